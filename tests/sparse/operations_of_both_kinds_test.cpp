#include "both_kinds.hpp"

namespace operations_of_both_kinds_test {

// Every function of elements, of sparse tensors and of their dense twins: a line each.

namespace {

using namespace oracle;
using enum Form;

template <typename T>
std::vector<Row<T>> comparisons() {
    using X = pv::Tensor<T>;
    return {
        row<T>("<", sparse, [](const X& x, const X& y) { return x < y; }),
        row<T>("<=", sparse, [](const X& x, const X& y) { return x <= y; }),
        row<T>("> a number", sparse, [](const X& x) { return x > T{1}; }),
        row<T>(">=", sparse, [](const X& x, const X& y) { return x >= y; }),
        row<T>("==", sparse, [](const X& x, const X& y) { return x == y; }),
        row<T>("!=", sparse, [](const X& x, const X& y) { return x != y; }),
        row<T>("!", sparse, [](const X& x, const X& y) { return !(x == y); }),
        row<T>("&&", sparse, [](const X& x, const X& y) { return x != T{} && y != T{}; }),
        row<T>("||", sparse, [](const X& x, const X& y) { return x == T{} || y == T{}; }),
        row<T>("minimum", sparse, [](const X& x, const X& y) { return pv::minimum(x, y); }),
        row<T>("maximum", sparse, [](const X& x, const X& y) { return pv::maximum(x, y); }),
        row<T>("where", sparse, [](const X& x, const X& y) { return pv::where(x < y, x, y); }),
        row<T>("where not", sparse,
               [](const X& x, const X& y) { return pv::where(!(x < y), x == y, y != T{}); }),
        row<T>("identity", sparse, pv::identity),
        row<T>("cast to double", sparse, pv::cast<double>),
        row<T>("cast to bool", sparse, pv::cast<bool>),
        row<T>("cast to uint8", sparse, pv::cast<std::uint8_t>),
        row<T>("unchecked_cast to int16", sparse, pv::unchecked_cast<std::int16_t>),
        row<T>("with dense", dense, [](const X& x) { return x == pv::zeros<T>(x.shape()); }),
        row<T>("&& with dense", either,
               [](const X& x) { return x != T{} && pv::ones<bool>(x.shape()); }),
        row<T>("|| with dense", either,
               [](const X& x) { return x == T{} || pv::zeros<bool>(x.shape()); }),
        row<T>(
            "where with dense on one side", either,
            [](const X& x, const X& y) { return pv::where(x != T{}, pv::ones<T>(x.shape()), y); }),
        row<T>(
            "where on the other", either,
            [](const X& x, const X& y) { return pv::where(x == y, x, pv::full(x.shape(), T{1})); }),
        row<T>("where of a dense condition", either,
               [](const X& x, const X& y) {
                   return pv::where(pv::ones<bool>(y.shape()), x, pv::flip(x));
               }),
    };
}

template <typename T>
std::vector<Row<T>> arithmetic() {
    using X = pv::Tensor<T>;
    return {
        row<T>("+", sparse, [](const X& x, const X& y) { return x + y; }),
        row<T>("+ a number", sparse, [](const X& x) { return x + 2; }),
        row<T>("-", sparse, [](const X& x, const X& y) { return x - y; }),
        row<T>("from a number", sparse, [](const X& x) { return 1 - x; }),
        row<T>("*", sparse, [](const X& x, const X& y) { return x * y; }),
        row<T>("* a number", sparse, [](const X& x) { return x * 3; }),
        row<T>("/", sparse, [](const X& x, const X& y) { return x / y; }),
        row<T>("%", sparse, [](const X& x, const X& y) { return x % y; }),
        row<T>("quot", sparse, [](const X& x, const X& y) { return pv::quot(x, y); }),
        row<T>("rem a number", sparse, [](const X& x) { return pv::rem(x, 2); }),
        row<T>("a sum of products", sparse,
               [](const X& x, const X& y) { return x * y + y * y - x * 2; }),
        row<T>("a product of sums", sparse,
               [](const X& x, const X& y) { return (x + y) * (x - y); }),
        row<T>("with itself turned round", sparse, [](const X& x) { return x * pv::flip(x); }),
        row<T>("with dense", dense, [](const X& x) { return x + pv::ones<T>(x.shape()); }),
        row<T>("* with dense", either, [](const X& x) { return x * pv::full(x.shape(), T{3}); }),
        row<T>("a chain with dense", either,
               [](const X& x, const X& y) {
                   return -(x * pv::full(x.shape(), T{3})) * y + (y * pv::ones<T>(x.shape())) * x;
               }),
        row<T>("where for a product with dense", either,
               [](const X& x) { return pv::where(x != T{}, x * pv::full(x.shape(), T{3}), T{0}); }),
        row<T>("with computed", dense,
               [](const X& x) { return x + pv::reshape(pv::arange(x.size()), x.shape()); }),
        row<T>("-x", sparse, [](const X& x) { return -x; }),
        row<T>("abs", sparse, pv::abs),
        row<T>("sq", sparse, pv::sq),
        row<T>("signum", sparse, pv::signum),
        row<T>("clamp", sparse, [](const X& x) { return pv::clamp(x, -1, 1); }),
        row<T>("relu", sparse, pv::relu),
        row<T>("floor", sparse, pv::floor),
        row<T>("is_zero", sparse, pv::is_zero),
        row<T>("is_pos", sparse, pv::is_pos),
        row<T>("is_neg", sparse, pv::is_neg),
        row<T>("is_even", sparse, pv::is_even),
        row<T>("is_odd", sparse, pv::is_odd),
        row<T>("is_integral", sparse, pv::is_integral),
        row<T>("diff1d", sparse,
               [](const X& x, Random& r) { return pv::diff1d(x, any_axis(x, r)); }),
        row<T>("gradient1d", sparse, [](const X& x) { return pv::gradient1d(x); }),
    };
}

std::vector<Row<double>> functions() {
    using X = pv::Tensor<double>;
    return {
        row<double>("exp", sparse, pv::exp),
        row<double>("exp2", sparse, pv::exp2),
        row<double>("expm1", sparse, pv::expm1),
        row<double>("log", sparse, pv::log),
        row<double>("log2", sparse, pv::log2),
        row<double>("log10", sparse, pv::log10),
        row<double>("log1p", sparse, pv::log1p),
        row<double>("sqrt", sparse, pv::sqrt),
        row<double>("cbrt", sparse, pv::cbrt),
        row<double>("erf", sparse, pv::erf),
        row<double>("erfc", sparse, pv::erfc),
        row<double>("reciprocal", sparse, pv::reciprocal),
        row<double>("pow", sparse, [](const X& x, const X& y) { return pv::pow(x, y); }),
        row<double>("hypot", sparse, [](const X& x, const X& y) { return pv::hypot(x, y); }),
        row<double>("atan2", sparse, [](const X& x, const X& y) { return pv::atan2(x, y); }),
        row<double>("logaddexp", sparse,
                    [](const X& x, const X& y) { return pv::logaddexp(x, y); }),
        row<double>("ieee_remainder", sparse,
                    [](const X& x, const X& y) { return pv::ieee_remainder(x, y); }),
        row<double>("sin", sparse, pv::sin),
        row<double>("cos", sparse, pv::cos),
        row<double>("tan", sparse, pv::tan),
        row<double>("asin", sparse, pv::asin),
        row<double>("acos", sparse, pv::acos),
        row<double>("atan", sparse, pv::atan),
        row<double>("sinh", sparse, pv::sinh),
        row<double>("cosh", sparse, pv::cosh),
        row<double>("tanh", sparse, pv::tanh),
        row<double>("asinh", sparse, pv::asinh),
        row<double>("acosh", sparse, pv::acosh),
        row<double>("atanh", sparse, pv::atanh),
        row<double>("logistic", sparse, pv::logistic),
        row<double>("to_degrees", sparse, pv::to_degrees),
        row<double>("to_radians", sparse, pv::to_radians),
        row<double>("ceil", sparse, pv::ceil),
        row<double>("round", sparse, pv::round),
        row<double>("rint", sparse, pv::rint),
        row<double>("trunc", sparse, pv::trunc),
        row<double>("next_up", sparse, pv::next_up),
        row<double>("next_down", sparse, pv::next_down),
        row<double>("ulp", sparse, pv::ulp),
        row<double>("signbit", sparse, pv::signbit),
        row<double>("copysign", sparse, [](const X& x, const X& y) { return pv::copysign(x, y); }),
        row<double>("nextafter", sparse,
                    [](const X& x, const X& y) { return pv::nextafter(x, y); }),
        row<double>("floor_divide", sparse,
                    [](const X& x, const X& y) { return pv::floor_divide(x, y); }),
        row<double>("mod", sparse, [](const X& x, const X& y) { return pv::mod(x, y); }),
        row<double>("is_nan", sparse, pv::is_nan),
        row<double>("is_infinite", sparse, pv::is_infinite),
        row<double>("is_finite", sparse, pv::is_finite),
        row<double>("close_to", sparse, [](const X& x, const X& y) { return pv::close_to(x, y); }),
        row<double>("cast to float", sparse, pv::cast<float>),
        row<double>("cast to int", sparse, pv::cast<int>),
    };
}

std::vector<Row<std::int32_t>> bits() {
    using X = pv::Tensor<std::int32_t>;
    return {
        row<std::int32_t>("&", sparse, [](const X& x, const X& y) { return x & y; }),
        row<std::int32_t>("|", sparse, [](const X& x, const X& y) { return x | y; }),
        row<std::int32_t>("^", sparse, [](const X& x, const X& y) { return x ^ y; }),
        row<std::int32_t>("~", sparse, [](const X& x) { return ~x; }),
        row<std::int32_t>("& with dense", either,
                          [](const X& x) { return x & pv::full<std::int32_t>(x.shape(), 6); }),
        row<std::int32_t>("| with dense", either,
                          [](const X& x) { return ~x | pv::full<std::int32_t>(x.shape(), 6); }),
        row<std::int32_t>("<< with dense", either,
                          [](const X& x) { return x << pv::full<std::int32_t>(x.shape(), 2); }),
        row<std::int32_t>("<<", sparse, [](const X& x, const X& y) { return x << y; }),
        row<std::int32_t>(">>", sparse, [](const X& x, const X& y) { return x >> y; }),
        row<std::int32_t>("unsigned_shift_right", sparse,
                          [](const X& x) { return pv::unsigned_shift_right(x, 1); }),
        row<std::int32_t>("bit_and_not", sparse,
                          [](const X& x, const X& y) { return pv::bit_and_not(x, y); }),
        row<std::int32_t>("bit_set", sparse, [](const X& x) { return pv::bit_set(x, 1); }),
        row<std::int32_t>("bit_clear", sparse, [](const X& x) { return pv::bit_clear(x, 0); }),
        row<std::int32_t>("bit_flip", sparse, [](const X& x) { return pv::bit_flip(x, 2); }),
        row<std::int32_t>("bit_test", sparse, [](const X& x) { return pv::bit_test(x, 0); }),
    };
}

std::vector<Row<std::string>> texts() {
    using X = pv::Tensor<std::string>;
    return {
        row<std::string>("<", sparse, [](const X& x, const X& y) { return x < y; }),
        row<std::string>("+", sparse, [](const X& x, const X& y) { return x + y; }),
        row<std::string>("text_length", sparse, pv::text_length),
        row<std::string>("contains", sparse, [](const X& x) { return pv::contains(x, "x"); }),
        row<std::string>("starts_with", sparse,
                         [](const X& x, const X& y) { return pv::starts_with(x, y); }),
        row<std::string>("to_upper", sparse, pv::to_upper),
        row<std::string>("substring", sparse, [](const X& x) { return pv::substring(x, 1, 2); }),
        row<std::string>("replace_all", sparse,
                         [](const X& x) { return pv::replace_all(x, "x", "yy"); }),
    };
}

} // namespace

TEST_CASE("comparisons of sparse and dense tensors: float64") {
    expect_all_alike(comparisons<double>(), 60);
}
TEST_CASE("comparisons of sparse and dense tensors: int32") {
    expect_all_alike(comparisons<std::int32_t>(), 40);
}
TEST_CASE("comparisons of sparse and dense tensors: bool") {
    expect_all_alike(comparisons<bool>(), 40);
}
TEST_CASE("arithmetic of sparse and dense tensors: float64") {
    expect_all_alike(arithmetic<double>(), 60);
}
TEST_CASE("arithmetic of sparse and dense tensors: int32") {
    expect_all_alike(arithmetic<std::int32_t>(), 40);
}
TEST_CASE("functions of sparse and dense tensors") { expect_all_alike(functions(), 40); }
TEST_CASE("bits of sparse and dense tensors") { expect_all_alike(bits(), 40); }
TEST_CASE("texts of sparse and dense tensors") { expect_all_alike(texts(), 40); }

} // namespace operations_of_both_kinds_test
