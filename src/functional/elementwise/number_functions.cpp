#include <purview/base/errors.hpp>
#include <purview/functional/elementwise/composed.hpp>
#include <purview/functional/elementwise/number_functions.hpp>

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <limits>
#include <numbers>
#include <utility>

namespace purview::inline v0_1 {
namespace {

template <typename T>
T ulp_of(T x) {
    const T size = std::abs(x);
    if (size == std::numeric_limits<T>::max()) return size - std::nextafter(size, T{0});
    return std::isinf(size) ? size
                            : std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
}

/// Angles of many turns: beside multiples of π/2 the functions of double in glibc 2.36 are up to 14
/// bits off, those of long double are not. Its erfc is 3.3 ulp off.
template <typename T>
bool needs_long_double(Op op, T x) {
    if (op == Op::erf || op == Op::erfc) return true;
    return std::same_as<T, double> && (op == Op::sin || op == Op::cos || op == Op::tan) &&
           std::abs(x) > T{0x1p20};
}

/// The function of a number; null of operations that are not made of one. What is constant is its
/// choice, so that it can be checked.
template <typename T>
constexpr auto function_of_one(Op op) -> T (*)(T) {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    switch (op) {
    case Op::square_root: return [](T x) { return std::sqrt(x); };
    case Op::floor: return [](T x) { return std::floor(x); };
    case Op::ceil: return [](T x) { return std::ceil(x); };
    case Op::round: return [](T x) { return std::round(x); };
    case Op::rint: return [](T x) { return std::nearbyint(x); };
    case Op::trunc: return [](T x) { return std::trunc(x); };
    case Op::signum: return [](T x) { return x > 0 ? T{1} : x < 0 ? T{-1} : x; };
    case Op::next_up: return [](T x) { return std::nextafter(x, kInfinity); };
    case Op::next_down: return [](T x) { return std::nextafter(x, -kInfinity); };
    case Op::ulp: return [](T x) { return ulp_of(x); };
#define PURVIEW_CASE(NAME) \
 case Op::NAME: return [](T x) { return std::NAME(x); };
        PURVIEW_EACH_FLOAT_FUNCTION(PURVIEW_CASE)
#undef PURVIEW_CASE
    default: return nullptr;
    }
}

/// The same of two numbers.
template <typename T>
constexpr auto function_of_two(Op op) -> T (*)(T, T) {
    switch (op) {
#define PURVIEW_CASE(NAME) \
 case Op::NAME: return [](T x, T y) { return std::NAME(x, y); };
        PURVIEW_EACH_FLOAT_FUNCTION_OF_TWO(PURVIEW_CASE)
#undef PURVIEW_CASE
    case Op::ieee_remainder: return [](T x, T y) { return std::remainder(x, y); };
    case Op::remainder: return [](T x, T y) { return std::fmod(x, y); };
    case Op::scale: return [](T x, T y) { return x == 0 ? T{0} : x * y; };
    default: return nullptr;
    }
}

static_assert(
    [] {
        for (const OperationTraits& traits : kOperations) {
            const Op op = traits.op;
            const bool of_one =
                is_of_floats(op) ? traits.arity == 1 : is_rounding(op) || op == Op::signum;
            const bool of_two = is_of_floats(op) ? traits.arity == 2 : op == Op::remainder;
            if (of_one != (function_of_one<double>(op) != nullptr) ||
                of_two != (function_of_two<double>(op) != nullptr))
                return false;
        }
        return true;
    }(),
    "numbers have the functions that apply_to_number and apply_to_numbers ask for");

template <typename T>
T function(Op op, T x) {
    if (needs_long_double(op, x)) return static_cast<T>(function_of_one<long double>(op)(x));
    return function_of_one<T>(op)(x);
}

template <typename T>
T composed(Composed what, T x) {
    switch (what) {
    case Composed::reciprocal: return 1 / x;
    case Composed::to_degrees: return x * (180 / std::numbers::pi_v<T>);
    case Composed::to_radians: return x * (std::numbers::pi_v<T> / 180);
    case Composed::logistic: {
        const T e = std::exp(-std::abs(x));
        return (x >= 0 ? T{1} : e) / (e + 1);
    }
    case Composed::signbit: return std::signbit(x) ? T{1} : T{0};
    default: break;
    }
    std::unreachable();
}

/// The remainder of a division that is rounded down, with the sign of `y`, and the quotient: as of
/// elements (floor_division.cpp).
template <typename T>
T remainder_of_floats(T x, T y) {
    const T rest = std::fmod(x, y);
    if (rest == 0) return std::copysign(T{0}, y < 0 ? T{-1} : T{1});
    return (rest < 0) != (y < 0) ? rest + y : rest;
}
template <typename T>
T quotient_of_floats(T x, T y) {
    const T plain = x / y;
    if (x == 0 || std::isinf(plain) || std::isinf(y)) return plain;
    const T rest = std::fmod(x, y);
    const T quotient = (x - rest) / y;
    const bool is_below = rest != 0 && (rest < 0) != (y < 0);
    const T down = is_below ? quotient - 1 : quotient;
    const T floor = std::floor(down);
    const T whole = down - floor > T{0.5} ? floor + 1 : floor;
    return whole == 0 ? plain * 0 : whole;
}

template <typename T>
T composed(ComposedOfTwo what, T x, T y) {
    switch (what) {
    case ComposedOfTwo::copysign: return std::copysign(x, y);
    case ComposedOfTwo::nextafter: return std::nextafter(x, y);
    case ComposedOfTwo::floor_divide: return quotient_of_floats(x, y);
    case ComposedOfTwo::mod: return remainder_of_floats(x, y);
    default: break;
    }
    std::unreachable();
}

} // namespace

float function_of(Op op, float x) noexcept { return function(op, x); }
double function_of(Op op, double x) noexcept { return function(op, x); }
float function_of(Op op, float x, float y) noexcept { return function_of_two<float>(op)(x, y); }
double function_of(Op op, double x, double y) noexcept { return function_of_two<double>(op)(x, y); }

float composed_of(Composed what, float x) noexcept { return composed(what, x); }
double composed_of(Composed what, double x) noexcept { return composed(what, x); }
float composed_of(ComposedOfTwo what, float x, float y) noexcept { return composed(what, x, y); }
double composed_of(ComposedOfTwo what, double x, double y) noexcept { return composed(what, x, y); }

void throw_division_by_zero(const char* what) {
    throw ArithmeticError(fmt::format("{}: an integer is divided by zero", what));
}

} // namespace purview
