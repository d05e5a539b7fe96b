#include <support/catch.hpp>
#include <support/rounds.hpp>

#include <purview/functional/elementwise/maths.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/tensor/any_tensor.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/literal.hpp>
#include <purview/tensor/views.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace floor_division_test {

namespace {

namespace pv = purview;

template <typename T>
bool same(T x, T y) {
    if constexpr (std::floating_point<T>)
        return std::isnan(y) ? std::isnan(x) : x == y && std::signbit(x) == std::signbit(y);
    else
        return x == y;
}

__extension__ typedef __int128 Wide;

/// Without a division: counted down from a quotient in a wider type.
template <std::integral T>
T quotient(T x, T y) {
    const auto a = static_cast<Wide>(x);
    const auto b = static_cast<Wide>(y);
    Wide q = a / b;
    while (q * b > a && b > 0) --q;
    while (q * b < a && b < 0) --q;
    return static_cast<T>(q);
}
template <std::integral T>
T remainder(T x, T y) {
    const auto b = static_cast<Wide>(y);
    return static_cast<T>(((static_cast<Wide>(x) % b) + b) % b);
}
/// CPython's float_divmod, but for the zeros and infinities that are divided plainly.
template <std::floating_point T>
T remainder(T x, T y) {
    T rest = std::fmod(x, y);
    if (rest == 0) return std::copysign(T{0}, y);
    if (std::signbit(rest) != std::signbit(y)) rest += y;
    return rest;
}
template <std::floating_point T>
T quotient(T x, T y) {
    if (x == 0 || std::isinf(y) || std::isinf(x / y)) return x / y;
    T rest = std::fmod(x, y);
    T q = (x - rest) / y;
    if (rest != 0 && std::signbit(rest) != std::signbit(y)) q -= 1;
    if (q == 0) return std::copysign(T{0}, x / y);
    const T down = std::floor(q);
    return q - down > T{0.5} ? down + 1 : down;
}

template <typename T>
std::vector<T> values(std::mt19937_64& random, std::size_t count, bool with_zero) {
    std::vector<T> all;
    while (all.size() < count) {
        T value{};
        if constexpr (std::floating_point<T>) {
            const T hard[] = {T{0},
                              T{-0.0},
                              T{1},
                              T{-1},
                              T{0.5},
                              std::numeric_limits<T>::infinity(),
                              -std::numeric_limits<T>::infinity(),
                              std::numeric_limits<T>::quiet_NaN(),
                              std::numeric_limits<T>::denorm_min(),
                              std::numeric_limits<T>::max()};
            value = random() % 3 == 0 ? hard[random() % 10]
                                      : std::uniform_real_distribution<T>(-30, 30)(random);
        } else {
            const T hard[] = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T{1},
                              static_cast<T>(-1), T{7}};
            value = random() % 3 == 0 ? hard[random() % 5] : static_cast<T>(random());
            if (!with_zero && value == 0) value = 3;
        }
        all.push_back(value);
    }
    return all;
}

} // namespace

TEMPLATE_TEST_CASE("floor_divide and mod of every type", "", float, double, std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t) {
    using T = TestType;
    std::mt19937_64 random(11);
    for (int round = 0; round < oracle::rounds(20); ++round) {
        const std::vector<T> a = values<T>(random, 60, true);
        const std::vector<T> b = values<T>(random, 60, false);
        const auto x = pv::tensor(std::vector<T>(a), {6, 10});
        const auto y = pv::tensor(std::vector<T>(b), {6, 10});
        const auto check = [&](const pv::Tensor<T>& left, const pv::Tensor<T>& right) {
            const auto p = pv::to_vector(left);
            const auto q = pv::to_vector(right);
            const auto quotients = pv::to_vector(pv::floor_divide(left, right));
            const auto remainders = pv::to_vector(pv::mod(left, right));
            const pv::AnyTensor any = pv::floor_divide(pv::AnyTensor(left), pv::AnyTensor(right));
            REQUIRE(any.dtype() == pv::kDType<T>);
            const auto erased = pv::to_vector(pv::Tensor<T>(any.operand()));
            const auto rests =
                pv::to_vector(pv::Tensor<T>((left | pv::mod(pv::AnyTensor(right))).operand()));
            for (std::size_t i = 0; i < p.size(); ++i) {
                CAPTURE(p[i], q[i], quotients[i], remainders[i]);
                CHECK(same(quotients[i], quotient(p[i], q[i])));
                CHECK(same(remainders[i], remainder(p[i], q[i])));
                CHECK(same(erased[i], quotients[i]));
                CHECK(same(rests[i], remainders[i]));
                if constexpr (sizeof(T) >= 4) { // numbers of C++ are at least ints
                    CHECK(same(pv::floor_divide(p[i], q[i]), quotients[i]));
                    CHECK(same(pv::mod(p[i], q[i]), remainders[i]));
                }
            }
        };
        check(x, y);
        check(pv::transpose(x), pv::transpose(y));
        check(pv::flip(x, 1), y);
        const auto [i, j] = pv::dims("i", "j");
        const pv::Tensor<T> over_dims = pv::mod(x(i, j), y(i, j)) | pv::order(j, i);
        const auto turned = pv::to_vector(over_dims);
        const auto expected = pv::to_vector(pv::mod(pv::transpose(x), pv::transpose(y)));
        for (std::size_t k = 0; k < turned.size(); ++k) CHECK(same(turned[k], expected[k]));
    }
}

TEST_CASE("floor_divide: quotients beyond 2^51, as Python gives them") {
    // Python's 1e16 // 3., and NumPy's: a quotient halfway is of one that was rounded up.
    const auto far = pv::tensor({1e16, -1e16, 1e16, 3e15, 7e15});
    const auto by = pv::tensor({3., 3., -3., 0.7, 2.});
    const std::vector<double> expected{3333333333333333, -3333333333333335, -3333333333333335,
                                       4285714285714285, 3500000000000000};
    CHECK(pv::to_vector(pv::floor_divide(far, by)) == expected);
    CHECK(pv::to_vector(pv::floor_divide(pv::flip(far, 0), pv::flip(by, 0))) ==
          std::vector<double>(expected.rbegin(), expected.rend()));
    CHECK(pv::floor_divide(1e16, 3.) == 3333333333333333);
    // The same in float32, whose quotients have halves up to 2^23.
    std::mt19937_64 random(17);
    const auto check = [&]<typename T>(T lowest) {
        std::vector<T> x, y, quotients;
        for (int i = 0; i < 2000; ++i) {
            x.push_back(std::uniform_real_distribution<T>(lowest, 16 * lowest)(random));
            y.push_back(std::uniform_real_distribution<T>(-9, 9)(random));
            quotients.push_back(quotient(x.back(), y.back()));
        }
        CHECK(pv::to_vector(pv::floor_divide(pv::tensor(x), pv::tensor(y))) == quotients);
        for (std::size_t i = 0; i < x.size(); ++i)
            CHECK(pv::floor_divide(x[i], y[i]) == quotients[i]);
    };
    check(0x1p50);
    check(0x1p21F);
}

TEST_CASE("floor_divide and mod: types, shapes, stages and errors") {
    const auto x = pv::tensor({7, -7, 6});
    CHECK(pv::to_vector(x | pv::floor_divide(2)) == std::vector{3, -4, 3});
    CHECK(pv::to_vector(x | pv::mod(-4)) == std::vector{-1, -3, -2});
    CHECK(pv::to_vector(pv::floor_divide(7, pv::tensor({2, -2}))) == std::vector{3, -4});
    CHECK(pv::floor_divide(-7, 2) == -4);
    CHECK(pv::mod(-7, 2) == 1);
    CHECK(pv::mod(-7.5, 2) == 0.5);
    CHECK(pv::floor_divide(x, 2.0).dtype() == pv::float64);
    CHECK(pv::mod(pv::AnyTensor(x), 2.5F).dtype() == pv::mod(x, 2.5F).dtype());
    CHECK(pv::mod(pv::tensor({{1}, {2}}), x).shape() == pv::Shape{2, 3});
    CHECK_THROWS_AS(pv::clone(pv::floor_divide(x, 0)), pv::ArithmeticError);
    CHECK_THROWS_AS(pv::clone(pv::mod(x, 0)), pv::ArithmeticError);
    CHECK_THROWS_WITH(pv::mod(7, 0), "mod: an integer is divided by zero");
    CHECK_THROWS_WITH(pv::floor_divide(7, 0), "floor_divide: an integer is divided by zero");
    CHECK_THROWS_AS(pv::mod(x, pv::tensor({1, 2})), pv::ShapeError);
    CHECK_THROWS_AS(pv::mod(pv::AnyTensor(pv::tensor({true})), pv::tensor({true})), pv::DtypeError);
}

TEMPLATE_TEST_CASE("integer_pow of every type", "", std::int8_t, std::int16_t, std::int32_t,
                   std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t) {
    using T = TestType;
    std::mt19937_64 random(13);
    std::vector<T> bases;
    std::vector<T> exponents;
    for (int k = 0; k < 40; ++k) {
        bases.push_back(static_cast<T>(random()));
        exponents.push_back(static_cast<T>(random() % 70));
    }
    const auto x = pv::tensor(std::vector<T>(bases), {5, 8});
    const auto y = pv::tensor(std::vector<T>(exponents), {5, 8});
    const auto check = [&](const pv::Tensor<T>& left, const pv::Tensor<T>& right) {
        const auto p = pv::to_vector(left);
        const auto q = pv::to_vector(right);
        const auto got = pv::to_vector(pv::integer_pow(left, right));
        const pv::AnyTensor any = pv::integer_pow(pv::AnyTensor(left), pv::AnyTensor(right));
        REQUIRE(any.dtype() == pv::kDType<T>);
        CHECK(pv::to_vector(pv::Tensor<T>(any.operand())) == got);
        for (std::size_t i = 0; i < p.size(); ++i) {
            std::uint64_t product = 1;
            for (T k = 0; k < q[i]; ++k) product *= static_cast<std::uint64_t>(p[i]);
            CHECK(got[i] == static_cast<T>(product));
        }
    };
    check(x, y);
    check(pv::transpose(x), pv::transpose(y));
    check(pv::flip(x, 0), y);
    CHECK(pv::to_vector(pv::tensor(std::vector<T>{2, 3}) | pv::integer_pow(3)) ==
          std::vector<T>{8, 27});
    if constexpr (std::is_signed_v<T>) {
        const auto base = pv::tensor(std::vector<T>{5});
        CHECK_THROWS_WITH(pv::clone(pv::integer_pow(base, -2)),
                          "integer_pow: 5 to the power of -2 is no integer");
        CHECK_THROWS_AS(pv::clone(pv::integer_pow(pv::AnyTensor(base), -2)), pv::ArithmeticError);
    }
}

TEST_CASE("integer_pow: types and errors") {
    CHECK(pv::integer_pow(3, 4) == 81);
    CHECK(pv::integer_pow(-1, 3) == -1);
    CHECK_THROWS_AS(pv::integer_pow(2, -1), pv::ArithmeticError);
    CHECK_THROWS_AS(pv::integer_pow(pv::AnyTensor(pv::tensor({1.5})), 2), pv::DtypeError);
    CHECK_THROWS_AS(pv::integer_pow(pv::tensor({1, 2}), pv::tensor({1, 2, 3})), pv::ShapeError);
    const auto wide = pv::integer_pow(pv::tensor(std::vector<std::int8_t>{2}),
                                      pv::tensor(std::vector<std::int32_t>{20}));
    CHECK(wide(0) == 1 << 20);
}

} // namespace floor_division_test
