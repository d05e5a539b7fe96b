#include <support/catch.hpp>
#include <support/rounds.hpp>

#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/complex.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/literal.hpp>
#include <purview/tensor/views.hpp>

#include <cmath>
#include <complex>
#include <cstddef>
#include <random>
#include <vector>

namespace complex_test {

namespace pv = purview;
using pv::index_t;

TEMPLATE_TEST_CASE("real, imag, conj and angle of complex numbers", "", float, double) {
    using C = std::complex<TestType>;
    std::mt19937_64 random(1);
    std::uniform_real_distribution<TestType> parts(-2, 2);
    for (int round = 0; round < oracle::rounds(20); ++round) {
        const index_t rows = static_cast<index_t>(random() % 5);
        const index_t columns = static_cast<index_t>(random() % 5);
        std::vector<C> values(static_cast<std::size_t>(rows * columns));
        for (C& value : values) value = C(parts(random), parts(random));
        const auto z = pv::tensor(std::vector<C>(values), {rows, columns});
        const auto check = [&](const auto& x, auto element) {
            REQUIRE(pv::real(x).rank() == 2);
            for (index_t i = 0; i < x.extent(0); ++i)
                for (index_t j = 0; j < x.extent(1); ++j) {
                    const C value = element(i, j);
                    CHECK(pv::real(x)(i, j) == value.real());
                    CHECK((x | pv::imag)(i, j) == value.imag());
                    CHECK(C(pv::conj(x)(i, j)) == std::conj(value));
                    CHECK(pv::angle(x)(i, j) == Catch::Approx(std::arg(value)));
                }
        };
        const auto at = [&](index_t i, index_t j) {
            return values[static_cast<std::size_t>(i * columns + j)];
        };
        check(z, at);
        check(pv::transpose(z), [&](index_t i, index_t j) { return at(j, i); });
        check(pv::flip(z, 0), [&](index_t i, index_t j) { return at(rows - 1 - i, j); });
        check(z + z, [&](index_t i, index_t j) { return at(i, j) + at(i, j); });
    }
}

TEST_CASE("real and imag are views that write through") {
    using C = std::complex<double>;
    const auto z = pv::tensor({C(1, 2), C(3, 4)});
    pv::fill(pv::imag(z), 7);
    pv::real(z)(1) = 5;
    CHECK(pv::to_vector(z) == std::vector{C(1, 7), C(5, 7)});
    const auto [i] = pv::dims<1>();
    const pv::Tensor<double> under_dims = pv::imag(z(i)) | pv::order(i);
    CHECK(pv::to_vector(under_dims) == std::vector{7., 7.});
    const std::vector<C> range{C(1, -1)};
    CHECK(pv::to_vector(pv::conj(range)) == std::vector{C(1, 1)});
}

} // namespace complex_test
