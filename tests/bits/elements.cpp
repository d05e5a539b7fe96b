/// Operations on each element, and casts.

#include "bits.hpp"

namespace {

/// Numbers of both signs where the type has them; floats begin with zeros, infinities and the like.
template <typename T>
std::vector<Pair<T>> operands() {
    constexpr bool is_signed = std::numeric_limits<T>::is_signed;
    const pv::Shape shape{97, 131};
    const auto x = pv::clone(numbers<T>(shape, 1, is_signed ? -100 : 0, 100));
    const auto y = numbers<T>(shape, 2, 1, 27);
    if constexpr (std::floating_point<T>) {
        using L = std::numeric_limits<T>;
        const std::vector<T> special{
            0,        -T{0},    L::infinity(),   -L::infinity(), L::quiet_NaN(),
            L::max(), L::min(), L::denorm_min(), L::epsilon(),   T(0.5),
            T(-2.5),  T(1e15),  T(-1e-30)};
        pv::copy(special, x(0, pv::range(0, static_cast<pv::index_t>(special.size()))));
    }
    return seen(Pair<T>{x, y});
}

template <typename T>
void arithmetic() {
    const auto pairs = operands<T>();
    const auto of = [&](std::string_view name, const auto& f) { line_of_pairs(name, pairs, f); };
    of("+", [](auto& x, auto& y) { return x + y; });
    of("-", [](auto& x, auto& y) { return x - y; });
    of("*", [](auto& x, auto& y) { return x * y; });
    of("/", [](auto& x, auto& y) { return x / y; });
    of("%", [](auto& x, auto& y) { return x % y; });
    of("quot", [](auto& x, auto& y) { return pv::quot(x, y); });
    of("rem", [](auto& x, auto& y) { return pv::rem(x, y); });
    of("chain", [](auto& x, auto& y) { return x * y + x * 3 - y * y + (x - y) * (x + y); });
    of("minimum", [](auto& x, auto& y) { return pv::minimum(x, y); });
    of("maximum", [](auto& x, auto& y) { return pv::maximum(x, y); });
    of("clamp", [](auto& x, auto&) { return pv::clamp(x, 5, 20); });
    of("abs", [](auto& x, auto&) { return pv::abs(x); });
    of("sq", [](auto& x, auto&) { return pv::sq(x); });
    of("signum", [](auto& x, auto&) { return pv::signum(x); });
    of("negative", [](auto& x, auto&) { return -x; });
    of("compare", [](auto& x, auto& y) { return std::tuple(x < y, x == y, x >= y, x != x); });
    of("where", [](auto& x, auto& y) { return pv::where(x > y && y != 3, x, y); });
    of("take", [](auto& x, auto&) { return pv::take(x, pv::tensor({5, 2, 2, 30}), 0); });
    of("concat", [](auto& x, auto& y) { return pv::concat(x, y, 1); });
    of("pad", [](auto& x, auto&) { return pv::pad(x, {{2, 3}, {1, 2}}, pv::PadMode::reflect); });
    of("outer", [](auto& x, auto& y) { return pv::outer(x(1, pv::all), y(2, pv::all)); });
}

template <typename T>
void integers() {
    const auto pairs = operands<T>();
    const auto of = [&](std::string_view name, const auto& f) { line_of_pairs(name, pairs, f); };
    of("bits", [](auto& x, auto& y) { return std::tuple(x & y, x | y, x ^ y, ~x); });
    of("shifts", [](auto& x, auto& y) { return std::tuple(x << y, x >> y); });
    of("bit_test", [](auto& x, auto&) { return pv::bit_test(x, 3); });
}

template <typename T>
void floats() {
    const auto pairs = operands<T>();
    const auto of = [&](std::string_view name, const auto& f) { line_of_pairs(name, pairs, f); };
    of("floor", [](auto& x, auto&) { return pv::floor(x); });
    of("ceil", [](auto& x, auto&) { return pv::ceil(x); });
    of("round", [](auto& x, auto&) { return pv::round(x); });
    of("rint", [](auto& x, auto&) { return pv::rint(x); });
    of("trunc", [](auto& x, auto&) { return pv::trunc(x); });
    of("sqrt", [](auto& x, auto&) { return pv::sqrt(x); });
    of("reciprocal", [](auto& x, auto&) { return pv::reciprocal(x); });
    of("to_degrees", [](auto& x, auto&) { return pv::to_degrees(x); });
    of("to_radians", [](auto& x, auto&) { return pv::to_radians(x); });
    of("next_up", [](auto& x, auto&) { return pv::next_up(x); });
    of("next_down", [](auto& x, auto&) { return pv::next_down(x); });
    of("ulp", [](auto& x, auto&) { return pv::ulp(x); });
    of("signbit", [](auto& x, auto&) { return pv::signbit(x); });
    of("copysign", [](auto& x, auto& y) { return pv::copysign(x, y); });
    of("nextafter", [](auto& x, auto& y) { return pv::nextafter(x, y); });
    of("floor_divide", [](auto& x, auto& y) { return pv::floor_divide(x, y); });
    of("mod", [](auto& x, auto& y) { return pv::mod(x, y); });
    of("ieee_remainder", [](auto& x, auto& y) { return pv::ieee_remainder(x, y); });
    of("nan_to_num", [](auto& x, auto&) { return pv::nan_to_num(x); });
    of("is_nan", [](auto& x, auto&) { return pv::is_nan(x); });
    of("isclose", [](auto& x, auto& y) { return pv::isclose(x, y); });
    of("normalize", [](auto&, auto& y) { return pv::normalize(y); });
    of("emap", [](auto& x, auto& y) { return pv::emap([](T a, T b) { return a - b; }, x, y); });

    of("exp", [](auto& x, auto&) { return pv::exp(x); });
    of("exp2", [](auto& x, auto&) { return pv::exp2(x); });
    of("expm1", [](auto& x, auto&) { return pv::expm1(x); });
    of("log", [](auto& x, auto&) { return pv::log(x); });
    of("log2", [](auto& x, auto&) { return pv::log2(x); });
    of("log10", [](auto& x, auto&) { return pv::log10(x); });
    of("log1p", [](auto& x, auto&) { return pv::log1p(x); });
    of("pow", [](auto& x, auto& y) { return pv::pow(x, y) + pv::pow(y, x / 10); });
    of("cbrt", [](auto& x, auto&) { return pv::cbrt(x); });
    of("hypot", [](auto& x, auto& y) { return pv::hypot(x, y); });
    of("logaddexp", [](auto& x, auto& y) { return pv::logaddexp(x, y); });
    of("sin", [](auto& x, auto&) { return pv::sin(x); });
    of("cos", [](auto& x, auto&) { return pv::cos(x); });
    of("tan", [](auto& x, auto&) { return pv::tan(x); });
    of("asin", [](auto& x, auto&) { return pv::asin(x / 100); });
    of("acos", [](auto& x, auto&) { return pv::acos(x / 100); });
    of("atan", [](auto& x, auto&) { return pv::atan(x); });
    of("atan2", [](auto& x, auto& y) { return pv::atan2(x, y); });
    of("sinh", [](auto& x, auto&) { return pv::sinh(x / 10); });
    of("cosh", [](auto& x, auto&) { return pv::cosh(x / 10); });
    of("tanh", [](auto& x, auto&) { return pv::tanh(x / 10); });
    of("asinh", [](auto& x, auto&) { return pv::asinh(x); });
    of("acosh", [](auto& x, auto&) { return pv::acosh(x); });
    of("atanh", [](auto& x, auto&) { return pv::atanh(x / 100); });
    of("erf", [](auto& x, auto&) { return pv::erf(x / 10); });
    of("erfc", [](auto& x, auto&) { return pv::erfc(x / 10); });
    of("logistic", [](auto& x, auto&) { return pv::logistic(x / 10); });
    of("softmax", [](auto&, auto& y) { return pv::softmax(y, 1); });
}

/// Casts of what fits, and wrapping ones of what need not.
template <typename T, typename... To>
void casts() {
    const auto some = numbers<T>({67, 61}, 3, 0, 100);
    Hash hash;
    (hash.add(pv::cast<To>(some)), ...);
    (hash.add(pv::unchecked_cast<To>(some * 3)), ...);
    print_line<T>("cast", hash);
}
template <typename... T>
void all_casts() {
    (casts<T, T...>(), ...);
}

template <typename T>
void complex_numbers() {
    using C = std::complex<T>;
    const auto make = [](std::uint64_t seed) -> pv::Tensor<C> {
        const auto parts = numbers<T>({60, 70, 2}, seed, -3, 3);
        return pv::clone(pv::cast<C>(parts(pv::all, pv::all, 0)) +
                         pv::cast<C>(parts(pv::all, pv::all, 1)) * C(0, 1));
    };
    const auto pairs = seen(Pair<C>{make(4), make(5)});
    const auto of = [&](std::string_view name, const auto& f) { line_of_pairs(name, pairs, f); };
    of("+", [](auto& x, auto& y) { return x + y; });
    of("-", [](auto& x, auto& y) { return x - y; });
    of("*", [](auto& x, auto& y) { return x * y; });
    of("/", [](auto& x, auto& y) { return x / y; });
    of("sq", [](auto& x, auto&) { return pv::sq(x); });
    of("exp", [](auto& x, auto&) { return pv::exp(x); });
    of("sum", [](auto& x, auto&) { return std::tuple(pv::sum(x), pv::sum(x, 0), pv::sum(x, 1)); });
    of("mean", [](auto& x, auto&) { return pv::mean(x); });
    of("product", [](auto& x, auto&) { return pv::product(x / 2, 0); });
    of("matmul", [](auto& x, auto& y) { return pv::matmul(x, pv::transpose(y)); });
}

} // namespace

void lines_of_elements() {
    arithmetic<std::int8_t>(), arithmetic<std::uint8_t>(), arithmetic<std::int16_t>();
    arithmetic<std::int32_t>(), arithmetic<std::int64_t>(), arithmetic<std::uint64_t>();
    arithmetic<float>(), arithmetic<double>();
    integers<std::uint8_t>(), integers<std::int32_t>(), integers<std::int64_t>();
    floats<float>(), floats<double>();
    all_casts<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
              std::uint32_t, std::uint64_t, float, double, pv::Half, pv::BFloat16>();
    complex_numbers<float>(), complex_numbers<double>();
}
