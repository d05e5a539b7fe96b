#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/elementwise/predicates.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace predicates_test {

namespace {

namespace pv = purview;

template <typename T>
std::vector<T> samples() {
    using L = std::numeric_limits<T>;
    std::vector<T> values{T{0}, T{1}, T{2}, T{3}, T{100}, L::max(), L::lowest()};
    if constexpr (std::is_floating_point_v<T>) {
        for (const T x : {T{-0.0}, T{-1}, T{-2}, T{0.5}, T{1.5}, T{-2.5}, L::infinity(),
                          -L::infinity(), L::quiet_NaN(), L::denorm_min(), -L::denorm_min(),
                          L::min(), 1 / L::epsilon(), 1 / L::epsilon() + 1, 4 / L::epsilon()})
            values.push_back(x);
    } else {
        for (const int x : {-1, -2, -7}) values.push_back(static_cast<T>(x));
    }
    return values;
}

/// What a predicate says of samples: of a tensor, of one whose type is known at run time, behind it
/// as a stage, and of numbers.
template <typename T>
void check_answers(const char* name, const std::vector<T>& values, const std::vector<bool>& got,
                   const pv::AnyTensor& erased, const std::vector<bool>& staged,
                   const std::vector<bool>& of_numbers, const std::vector<bool>& expected) {
    const std::vector<bool> any = pv::to_vector(erased.as<bool>());
    CHECK(staged == got);
    for (std::size_t i = 0; i < values.size(); ++i) {
        INFO(name << " of " << pv::kDType<T>.name() << " " << +values[i]);
        CHECK(got[i] == expected[i]);
        CHECK(any[i] == got[i]);
        CHECK(of_numbers[i] == got[i]);
    }
}

template <typename T, typename F, typename G>
void check(const char* name, F predicate, G twin) {
    const std::vector<T> values = samples<T>();
    const auto x = pv::tensor(std::vector<T>(values));
    std::vector<bool> of_numbers;
    std::vector<bool> expected;
    for (const T value : values) {
        of_numbers.push_back(predicate(value));
        expected.push_back(twin(value));
    }
    check_answers(name, values, pv::to_vector(predicate(x)), predicate(pv::AnyTensor(x)),
                  pv::to_vector(x | predicate), of_numbers, expected);
}

template <typename T>
bool naive_even(T x) {
    if constexpr (std::is_floating_point_v<T>)
        return std::fmod(x, T{2}) == 0;
    else
        return x % 2 == 0;
}
template <typename T>
bool naive_odd(T x) {
    if constexpr (std::is_floating_point_v<T>)
        return std::abs(std::fmod(x, T{2})) == 1;
    else
        return x % 2 != 0;
}

} // namespace

TEMPLATE_TEST_CASE("predicates of every type", "", std::int8_t, std::int16_t, std::int32_t,
                   std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, float,
                   double) {
    using T = TestType;
    const auto as_double = [](T x) { return static_cast<double>(x); };
    check<T>("is_nan", pv::is_nan, [&](T x) { return std::isnan(as_double(x)); });
    check<T>("is_infinite", pv::is_infinite, [&](T x) { return std::isinf(as_double(x)); });
    check<T>("is_finite", pv::is_finite, [&](T x) { return std::isfinite(as_double(x)); });
    check<T>("is_zero", pv::is_zero, [](T x) { return x == T{0}; });
    check<T>("is_pos", pv::is_pos, [](T x) { return x > T{0}; });
    check<T>("is_neg", pv::is_neg, [](T x) { return x < T{0}; });
    check<T>("is_even", pv::is_even, naive_even<T>);
    check<T>("is_odd", pv::is_odd, naive_odd<T>);
    check<T>("is_integral", pv::is_integral, [&](T x) {
        return std::isfinite(as_double(x)) && std::trunc(as_double(x)) == as_double(x);
    });
    CHECK(pv::is_nan(pv::empty<T>({0, 3})).shape() == pv::Shape{0, 3});
}

TEST_CASE("close_to is NumPy's isclose") {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    const auto x = pv::tensor({1.0, 1.0, 1.0, kInfinity, kInfinity, 1.0, kNaN, 0.0, -kInfinity});
    const auto y =
        pv::tensor({1.0, 1.000001, 1.1, kInfinity, 1.0, kInfinity, kNaN, 1e-9, kInfinity});
    const std::vector<bool> expected{true, true, false, true, false, false, false, true, false};
    CHECK(pv::to_vector(pv::close_to(x, y)) == expected);
    CHECK(pv::to_vector(pv::close_to(pv::AnyTensor(x), y).as<bool>()) == expected);
    for (pv::index_t i = 0; i < x.size(); ++i)
        CHECK(pv::close_to(x(i), y(i)) == expected[static_cast<std::size_t>(i)]);
    CHECK(pv::close_to(x, y, {.nan_equal = true})(6));
    CHECK(pv::close_to(kNaN, kNaN, {.nan_equal = true}));
    CHECK(!pv::close_to(x, y, {.relative = 1e-9})(1));
    CHECK(pv::close_to(x, 1.05, {.absolute = 0.1})(0));
    CHECK(pv::to_vector(pv::close_to(pv::tensor({1, 2}), 2)) == std::vector<bool>{false, true});
    CHECK(pv::all_of(pv::close_to(pv::tensor({1.0F}), pv::tensor({1}))));
    CHECK_THROWS_AS(pv::close_to(x, pv::zeros({2})), pv::ShapeError);
}

} // namespace predicates_test
