#include <support/catch.hpp>

#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/floating_point.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/tensor/any_tensor.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/literal.hpp>
#include <purview/tensor/views.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace float_signs_test {

namespace {

namespace pv = purview;

/// Pairs of all that are hard, and of random ones.
template <typename T>
struct Pairs {
    std::vector<T> x;
    std::vector<T> y;
};
template <typename T>
Pairs<T> pairs() {
    using Limits = std::numeric_limits<T>;
    std::vector<T> hard{T{0},
                        T{1},
                        T{1.5},
                        Limits::denorm_min(),
                        Limits::min(),
                        Limits::max(),
                        Limits::infinity(),
                        Limits::quiet_NaN(),
                        T{3}};
    for (std::size_t i = hard.size(); i-- > 0;) hard.push_back(-hard[i]);
    Pairs<T> result;
    for (const T a : hard)
        for (const T b : hard) {
            result.x.push_back(a);
            result.y.push_back(b);
        }
    std::mt19937_64 random(17);
    std::uniform_real_distribution<T> some(-2, 2);
    while (result.x.size() != 400) {
        result.x.push_back(some(random));
        result.y.push_back(some(random));
    }
    return result;
}

template <typename T>
bool same_bits(T a, T b) {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

} // namespace

TEMPLATE_TEST_CASE("signbit, copysign and nextafter are those of C, bit by bit", "", float,
                   double) {
    using T = TestType;
    const Pairs<T> all = pairs<T>();
    const auto x = pv::tensor(std::vector<T>(all.x), {20, 20});
    const auto y = pv::tensor(std::vector<T>(all.y), {20, 20});
    const auto check = [&](const pv::Tensor<T>& left, const pv::Tensor<T>& right) {
        const auto p = pv::to_vector(left);
        const auto q = pv::to_vector(right);
        const auto signs = pv::to_vector(pv::signbit(left));
        const auto signed_ones = pv::to_vector(pv::copysign(left, right));
        const auto next = pv::to_vector(pv::nextafter(left, right));
        const pv::AnyTensor a(left);
        const pv::AnyTensor b(right);
        const auto any_signs = pv::to_vector(pv::Tensor<bool>(pv::signbit(a).operand()));
        const auto any_signed = pv::to_vector(pv::Tensor<T>(pv::copysign(a, b).operand()));
        const auto any_next = pv::to_vector(pv::Tensor<T>(pv::nextafter(a, b).operand()));
        for (std::size_t i = 0; i < p.size(); ++i) {
            CAPTURE(p[i], q[i], next[i]);
            CHECK(signs[i] == std::signbit(p[i]));
            CHECK(any_signs[i] == std::signbit(p[i]));
            CHECK(pv::signbit(p[i]) == std::signbit(p[i]));
            CHECK(same_bits(signed_ones[i], std::copysign(p[i], q[i])));
            CHECK(same_bits(any_signed[i], signed_ones[i]));
            CHECK(same_bits(pv::copysign(p[i], q[i]), signed_ones[i]));
            const T expected = std::nextafter(p[i], q[i]);
            if (std::isnan(expected)) {
                CHECK(std::isnan(next[i]));
                CHECK(std::isnan(any_next[i]));
            } else {
                CHECK(same_bits(next[i], expected));
                CHECK(same_bits(any_next[i], expected));
                CHECK(same_bits(pv::nextafter(p[i], q[i]), expected));
            }
        }
    };
    check(x, y);
    check(pv::transpose(x), y);
    check(pv::flip(x, 0), pv::transpose(y));
    check(-x, y);
    const auto [i, j] = pv::dims("i", "j");
    const pv::Tensor<T> turned = pv::copysign(x(i, j), y(i, j)) | pv::order(j, i);
    CHECK(pv::to_vector(pv::signbit(turned)) == pv::to_vector(pv::signbit(pv::transpose(y))));
}

TEST_CASE("signbit, copysign and nextafter: integers, numbers and types") {
    CHECK(pv::to_vector(pv::signbit(pv::tensor({-1, 0, 1}))) == std::vector{true, false, false});
    CHECK(pv::to_vector(pv::signbit(pv::tensor(std::vector<std::uint8_t>{0, 200}))) ==
          std::vector{false, false});
    CHECK(pv::signbit(-2));
    CHECK(pv::signbit(-0.0));
    CHECK(pv::to_vector(pv::copysign(pv::tensor({1, -2}), -1)) == std::vector{-1., -2.});
    CHECK(pv::to_vector(pv::copysign(3, pv::tensor({-0., 0.}))) == std::vector{-3., 3.});
    CHECK(pv::copysign(pv::tensor({1.F}), -1).dtype() == pv::float32);
    CHECK(pv::nextafter(pv::tensor({1}), 2).dtype() == pv::float64);
    CHECK(pv::nextafter(pv::AnyTensor(pv::tensor({1.F})), 2).dtype() == pv::float32);
    CHECK((pv::tensor({1.}) | pv::nextafter(2))(0) == std::nextafter(1., 2.));
    CHECK_THROWS_AS(pv::copysign(pv::tensor({1., 2.}), pv::tensor({1., 2., 3.})), pv::ShapeError);
    CHECK_THROWS_AS(pv::signbit(pv::AnyTensor(pv::tensor({true}))), pv::DtypeError);
}

} // namespace float_signs_test
