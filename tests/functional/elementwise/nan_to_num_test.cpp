#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/elementwise/floating_point.hpp>
#include <purview/functional/reductions/distance.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace nan_to_num_test {

namespace {

namespace pv = purview;
using oracle::Random;

template <typename T>
constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();
template <typename T>
constexpr T kInf = std::numeric_limits<T>::infinity();

} // namespace

TEMPLATE_TEST_CASE("nan_to_num replaces what is no number, element by element", "", float, double) {
    using T = TestType;
    using Limits = std::numeric_limits<T>;
    Random random(1);
    for (int round = 0; round < oracle::rounds(30); ++round) {
        auto x = oracle::random_layout<T>(random);
        x.real = pv::clone(pv::where(
            x.real > T{4}, kInf<T>,
            pv::where(x.real > T{2}, kNaN<T>, pv::where(x.real < T{-5}, -kInf<T>, x.real))));
        std::vector<T> usual;
        std::vector<T> asked;
        for (const T value : pv::to_vector(x.real)) {
            usual.push_back(std::isnan(value)   ? T{0}
                            : std::isinf(value) ? (value > 0 ? Limits::max() : Limits::lowest())
                                                : value);
            asked.push_back(std::isnan(value)   ? T{-1}
                            : value == kInf<T>  ? T{33}
                            : value == -kInf<T> ? Limits::lowest()
                                                : value);
        }
        INFO(x.name);
        CHECK(pv::to_vector(x.real | pv::nan_to_num) == usual);
        const pv::NanToNumOptions options{.nan = -1, .positive_infinity = 33};
        CHECK(pv::to_vector(pv::nan_to_num(x.real, options)) == asked);
        CHECK(pv::to_vector(x.real | pv::nan_to_num(options)) == asked);
        CHECK(pv::to_vector(pv::nan_to_num(pv::AnyTensor(x.real)).template as<T>()) == usual);
    }
}

TEST_CASE("nan_to_num: integers stay, dims, lazy, errors") {
    const auto x = pv::tensor({{1, 2}, {3, 4}});
    CHECK(pv::to_vector(pv::nan_to_num(x)) == pv::to_vector(x));
    auto y = pv::tensor({1.0, kNaN<double>});
    const auto lazy = pv::nan_to_num(y);
    y(0) = kNaN<double>;
    CHECK(pv::to_vector(lazy) == std::vector{0.0, 0.0});
    const auto [i] = pv::dims("i");
    const pv::Tensor<double> bound = pv::nan_to_num(y(i)) | pv::order(i);
    CHECK(pv::to_vector(bound) == std::vector{0.0, 0.0});
    CHECK_THROWS_AS(pv::nan_to_num(pv::AnyTensor(pv::tensor({"a"}))), pv::DtypeError);
}

TEST_CASE("isclose and allclose: NumPy's tolerances") {
    const auto x = pv::tensor({1.0, kNaN<double>, kInf<double>, 1e-9});
    const auto y = pv::tensor({1.0 + 1e-6, kNaN<double>, kInf<double>, 0.0});
    CHECK(pv::to_vector(pv::isclose(x, y)) == std::vector{true, false, true, true});
    CHECK_FALSE(pv::allclose(x, y));
    CHECK(pv::allclose(x, y, {.nan_equal = true}));
    CHECK((x | pv::allclose(y, {.nan_equal = true})));
    CHECK_FALSE(pv::allclose(x, y, {.relative = 1e-9, .nan_equal = true}));
    CHECK_FALSE(pv::allclose(x, y, {.absolute = 1e-12, .nan_equal = true}));
    CHECK(pv::allclose(pv::tensor({1, 2}), pv::tensor({1.0, 2.0})));
    CHECK(pv::allclose(pv::ones({2, 3}), 1.0));
    CHECK(pv::allclose(pv::zeros({0}), 1.0));
    CHECK(pv::allclose(pv::AnyTensor(x), pv::AnyTensor(y), {.nan_equal = true}));
    const auto [i] = pv::dims("i");
    const auto m = pv::tensor({{1.0, 2.0}, {1.0, 1.0}});
    const pv::Tensor<bool> rows = pv::allclose(m(i), 1.0) | pv::order(i);
    CHECK(pv::to_vector(rows) == std::vector{false, true});
    CHECK_THROWS_AS(pv::allclose(x, pv::zeros({3})), pv::ShapeError);

    Random random(2);
    for (int round = 0; round < oracle::rounds(20); ++round) {
        const auto a = oracle::random_layout<double>(random);
        const double shift = static_cast<double>(random.between(0, 3)) * 1e-5;
        bool all = true;
        for (const double value : a.naive.values)
            all = all && std::abs(value - (value + shift)) <= 1e-8 + 1e-5 * std::abs(value + shift);
        CHECK(pv::allclose(a.real, a.real + shift) == all);
    }
}

} // namespace nan_to_num_test
