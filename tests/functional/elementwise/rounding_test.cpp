#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/elementwise/floating_point.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/reductions/norm.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace rounding_test {

namespace {

namespace pv = purview;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEMPLATE_TEST_CASE("rounding agrees with the C library", "", float, double) {
    using T = TestType;
    for (const pv::index_t size : {0, 1, 7, 16, 33, 100, 300}) {
        const auto x = pv::empty<T>({size});
        for (pv::index_t i = 0; i < size; ++i) x(i) = static_cast<T>(i) / 4 - T{17.5};
        const auto check = [&](const auto& function, auto twin) {
            const std::vector<T> got = pv::to_vector(x | function);
            for (pv::index_t i = 0; i < size; ++i) {
                const T value = got[static_cast<std::size_t>(i)];
                CHECK(value == twin(x(i)));
                CHECK(std::signbit(value) == std::signbit(twin(x(i))));
                CHECK(function(T{x(i)}) == value);
            }
        };
        check(pv::floor, [](T v) { return std::floor(v); });
        check(pv::ceil, [](T v) { return std::ceil(v); });
        check(pv::round, [](T v) { return std::round(v); });
        check(pv::rint, [](T v) { return std::nearbyint(v); });
        check(pv::trunc, [](T v) { return std::trunc(v); });
        check(pv::signum, [](T v) { return v > 0 ? T{1} : v < 0 ? T{-1} : v; });
        check(pv::next_up,
              [](T v) { return std::nextafter(v, std::numeric_limits<T>::infinity()); });
        check(pv::next_down,
              [](T v) { return std::nextafter(v, -std::numeric_limits<T>::infinity()); });
    }
}

TEST_CASE("integers are their own roundings, and have signs") {
    const auto x = pv::tensor<std::int16_t>({-3, 0, 7});
    CHECK((x | pv::floor).dtype() == pv::int16);
    CHECK(pv::to_vector(pv::round(x)) == pv::to_vector(x));
    CHECK(pv::to_vector(pv::ceil(pv::AnyTensor(x)).as<std::int16_t>()) == pv::to_vector(x));
    CHECK(pv::to_vector(pv::signum(x)) == std::vector<std::int16_t>{-1, 0, 1});
    CHECK(pv::to_vector(pv::signum(pv::tensor<std::uint8_t>({0, 200}))) ==
          std::vector<std::uint8_t>{0, 1});
    CHECK(pv::floor(3) == 3);
    CHECK(pv::signum(-3) == -1);
    CHECK(pv::ulp(pv::tensor({1}))(0) == std::numeric_limits<double>::epsilon());
    CHECK(pv::ulp(1.0) == std::numeric_limits<double>::epsilon());
    CHECK(pv::ulp(-kInfinity) == kInfinity);
    CHECK(pv::ulp(std::numeric_limits<double>::max()) == 0x1p971);
}

TEST_CASE("relu, clamp, reciprocal, identity") {
    const auto x = pv::tensor({-1.0, 0.5, 3.0, kNaN});
    const auto positive = pv::to_vector(pv::relu(x));
    CHECK(positive[0] == 0);
    CHECK(positive[2] == 3);
    CHECK(std::isnan(positive[3]));
    CHECK(pv::to_vector(pv::relu(pv::tensor({-1, 2}))) == std::vector<int>{0, 2});
    CHECK(pv::relu(-2) == 0);
    const auto bounded = pv::to_vector(x | pv::clamp(0, 1));
    CHECK(bounded[0] == 0);
    CHECK(bounded[1] == 0.5);
    CHECK(bounded[2] == 1);
    CHECK(std::isnan(bounded[3]));
    CHECK(pv::to_vector(pv::clamp(pv::tensor({1, 5, 9}), pv::tensor({2, 2, 2}), 7)) ==
          std::vector<int>{2, 5, 7});
    CHECK(pv::clamp(5, 0, 3) == 3);
    CHECK(pv::to_vector(pv::clamp(pv::AnyTensor(pv::tensor({1, 9})), 2, 7).as<int>()) ==
          std::vector<int>{2, 7});
    CHECK(pv::to_vector(pv::reciprocal(pv::tensor({2, 4}))) == std::vector<double>{0.5, 0.25});
    CHECK(pv::reciprocal(pv::tensor({0.0F}))(0) == std::numeric_limits<float>::infinity());
    CHECK(pv::reciprocal(4) == 0.25);
    CHECK(pv::to_vector(pv::tensor({1, 2}) | pv::identity) == std::vector<int>{1, 2});
    CHECK(pv::identity(3) == 3);
}

TEST_CASE("quotients and remainders") {
    const auto x = pv::tensor({7, -7, 8});
    CHECK(pv::to_vector(pv::quot(x, 2)) == std::vector<int>{3, -3, 4});
    CHECK(pv::to_vector(x | pv::rem(2)) == std::vector<int>{1, -1, 0});
    CHECK(pv::to_vector(pv::quot(pv::tensor({7.5, -7.5}), 2)) == std::vector<double>{3, -3});
    CHECK(pv::to_vector(pv::rem(pv::tensor({7.5, -7.5}), 2)) == std::vector<double>{1.5, -1.5});
    CHECK(pv::to_vector(pv::quot(pv::AnyTensor(x), 2).as<int>()) == std::vector<int>{3, -3, 4});
    CHECK(pv::quot(7, 2) == 3);
    CHECK(pv::quot(-7.5, 2) == -3);
    CHECK(pv::rem(-7, 2) == -1);
    CHECK(pv::rem(7.5, 2) == 1.5);
    CHECK(pv::quot(std::numeric_limits<int>::min(), -1) == std::numeric_limits<int>::min());
    CHECK(pv::rem(std::numeric_limits<int>::min(), -1) == 0);
    CHECK_THROWS_AS(pv::quot(1, 0), pv::ArithmeticError);
    CHECK_THROWS_AS(pv::rem(1, 0), pv::ArithmeticError);
    CHECK_THROWS_AS(pv::clone(pv::quot(x, 0)), pv::ArithmeticError);
    CHECK(pv::ieee_remainder(pv::tensor({5.0, 7.0}), 4.0)(1) == -1);
}

TEST_CASE("normalize") {
    CHECK(pv::to_vector(pv::normalize(pv::tensor({3.0, 4.0}))) == std::vector<double>{0.6, 0.8});
    CHECK(pv::normalize(pv::tensor({300000, 400000}))(0) == 0.6);
    CHECK((pv::tensor({3.0F, 4.0F}) | pv::normalize).dtype() == pv::float32);
    CHECK(std::isnan(pv::normalize(pv::zeros({2}))(0)));
    CHECK(pv::normalize(pv::AnyTensor(pv::tensor({3, 4}))).dtype() == pv::float64);
}

} // namespace rounding_test
