#include "expression/derivatives/elementwise_rules.hpp"

#include <purview/base/errors.hpp>
#include <purview/expression/derivatives.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/library_function.hpp>
#include <purview/expression/reduce.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace purview::inline v0_1::derivatives {
namespace {

using Result = std::optional<Slope>;
using Rule = Result (*)(const Differentiated&, std::size_t);

bool is_constant_operand(const Operand& x) { return node_as<Constant>(*x.node) != nullptr; }

Result nothing(const Differentiated&, std::size_t) { return std::nullopt; }
Result itself(const Differentiated& of, std::size_t) { return of.g; }
Slope negative(const Differentiated& of) { return {of.numbers.negative(of.g.value), of.g.chosen}; }

Result by_cast(const Differentiated& of, std::size_t) {
    const DType from = of.x().dtype();
    // A cast to the type itself is made by stop_gradient alone.
    if (from == of.operation.dtype() || !(from.is_floating() || is_float16(from)))
        return std::nullopt;
    return of.g;
}

Result by_root(const Differentiated& of, std::size_t) {
    const Numbers& in = of.numbers;
    const Operand root = of.result();
    const Slope d = of.g.times(in.binary(Op::divide, 0.5, root));
    if (!of.zero_orders.is_norm(*of.x().node, 0.5)) return d;
    return Slope{in.choose(in.binary(Op::equal, root, 0), 0, d.value), d.chosen};
}

/// d/dx x^y = y x^(y - 1), where 0 times ∞ is 0; d/dy x^y = x^y log x, 0 at x = 0 for y >= 0.
Result by_power(const Differentiated& of, std::size_t number) {
    const Numbers& in = of.numbers;
    const Operand x = of.x();
    const Operand y = of.x(1);
    if (number == 0) {
        const Operand less = in.binary(Op::pow, x, in.binary(Op::subtract, y, 1));
        const Slope d = of.g.times(in.scaled(y, less));
        const double exponent = in.value(y).value_or(1);
        if (!(exponent < 1) || !of.zero_orders.is_norm(*x.node, exponent)) return d;
        return Slope{in.choose(in.binary(Op::equal, x, 0), 0, d.value), d.chosen};
    }
    const Operand flat = binary_operand(Op::logical_and, in.binary(Op::equal, x, 0),
                                        in.binary(Op::greater_equal, y, 0), boolean, boolean);
    return of.g.times(in.choose(flat, 0, in.scaled(of.result(), in.unary(Op::log, x))));
}

Result by_hypot(const Differentiated& of, std::size_t number) {
    const Numbers& in = of.numbers;
    const Operand length = of.result();
    return of.g.times(
        in.choose(in.binary(Op::equal, length, 0), 0, in.binary(Op::divide, of.x(number), length)));
}

/// atan2(y, x) by y is x / (x² + y²), by x it is -y / (x² + y²); 0 at the origin.
Result by_angle(const Differentiated& of, std::size_t number) {
    const Numbers& in = of.numbers;
    const Operand length = in.binary(Op::hypot, of.x(0), of.x(1));
    const Operand d =
        in.binary(Op::divide, in.binary(Op::divide, of.x(1 - number), length), length);
    return of.g.times(
        in.choose(in.binary(Op::equal, length, 0), 0, number == 0 ? d : in.negative(d)));
}

/// Where matrices are multiplied, `g` repeats along the axes that were summed, and forwards the product is
/// summed: a product of `g` as it is stays one that BLAS computes.
Result by_product(const Differentiated& of, std::size_t number) {
    const Operand other = of.x(1 - number);
    const Slope& g = of.g;
    const bool is_one_factor = !g.chosen || Numbers::value(g.value) == 1.;
    const Operand& factor = g.chosen ? *g.chosen : g.value;
    const bool of_matrices = (of.is_summed || !of.forwards) && is_one_factor &&
                             factor.dtype() != boolean && !is_constant_operand(factor) &&
                             factor.dims.is_broadcast() &&
                             (other.dims.is_broadcast() || of.x(number).dims.is_broadcast());
    if (!of_matrices) return of.scaled(other, 1 - number);
    const Operand product = of.numbers.binary(Op::multiply, factor, other);
    const bool is_computed = !g.chosen && of.depends_on(1 - number);
    return is_computed ? Slope{product, std::nullopt} : Slope::given(product);
}

Result by_quotient(const Differentiated& of, std::size_t number) {
    const Numbers& in = of.numbers;
    const Operand y = of.x(1);
    if (number == 1) return of.g.times(in.negative(in.binary(Op::divide, of.result(), y)));
    const std::optional<double> divisor = in.value(y);
    const bool keeps_zeros = divisor && *divisor != 0 && !std::isnan(*divisor);
    if (keeps_zeros) return Slope{in.binary(Op::divide, of.g.value, y), of.g.chosen};
    return of.scaled(in.reciprocal(y), 1);
}

/// x - n y with a whole number n of which the derivative is 0: that of the exact quotient, which x / y may
/// be rounded away from.
Result by_rest(const Differentiated& of, std::size_t number) {
    if (number == 0) return of.g;
    const Numbers& in = of.numbers;
    const Operand multiple = in.binary(Op::subtract, of.x(0), of.result());
    return of.g.times(in.negative(in.unary(Op::rint, in.binary(Op::divide, multiple, of.x(1)))));
}

/// Shared equally where both are the extreme; NaN where one is, as the extreme is then.
template <Op better, Op worse>
Result by_extreme(const Differentiated& of, std::size_t number) {
    const Numbers& in = of.numbers;
    const Operand own = of.x(number);
    const Operand other = of.x(1 - number);
    const Operand of_nan = in.number(std::numeric_limits<double>::quiet_NaN());
    const Operand share = in.choose(in.binary(better, own, other), 1,
                                    in.choose(in.binary(Op::equal, own, other), 0.5,
                                              in.choose(in.binary(worse, own, other), 0, of_nan)));
    return of.g.weighted(share, of.forwards);
}

Result by_choice(const Differentiated& of, std::size_t number) {
    if (number == 0) return std::nullopt;
    return of.g.where(number == 1 ? of.x(0) : unary_operand(Op::logical_not, of.x(0), boolean));
}

/// Of functions of the library that are no operations of their own, and of the user's.
Result by_function(const Differentiated& of, std::size_t number) {
    const Elementwise& operation = of.operation;
    const Numbers& in = of.numbers;
    if (!operation.dtype().is_floating() || !of.x(number).dtype().is_floating())
        throw DtypeError(
            fmt::format("gradient: '{}' gives {} of {}: derivatives are those of floats by floats",
                        name_of(operation), operation.dtype().name(), of.x(number).dtype().name()));
    if (auto by = operation.function()->derivative(number)) {
        std::vector<Operand> operands;
        for (std::size_t i = 0; i < operation.inputs().size(); ++i) operands.push_back(of.x(i));
        return of.g.times({elementwise_node(Op::map, operation.dtype(), operands, std::move(by)),
                           of.result().dims});
    }
    const LibraryFunction* const function = library_function(operation);
    if (function != nullptr && function->name() == "copysign") {
        if (number == 1) return std::nullopt;
        return of.g.times(in.choose(in.binary(Op::equal, of.result(), of.x()), 1, in.number(-1)));
    }
    throw SymbolError(fmt::format(
        "gradient: the function of '{}' has no derivative: make it by with_derivative(f, df…), or "
        "take stop_gradient of its result",
        name_of(operation)));
}

/// A function of one operand, times its derivative at x, which is made of x and f(x).
template <auto f>
Result by(const Differentiated& of, std::size_t) {
    return of.g.times(f(of.numbers, of.x(), of.result()));
}

/// `a` with the derivatives of `b`, which it equals but for rounding.
Operand as_derived(const Numbers& in, const Operand& a, const Operand& b) {
    return in.binary(Op::add, b, without_derivative(in.binary(Op::subtract, a, b)));
}
/// 1 - x² from the product of 1 - x and 1 + x, where the square would cancel. Its derivative is that of
/// the square: in those of a product ∞ would meet the factor that is 0.
Operand one_minus_square(const Numbers& in, const Operand& x) {
    return as_derived(
        in, in.binary(Op::multiply, in.binary(Op::subtract, 1, x), in.binary(Op::add, 1, x)),
        in.binary(Op::subtract, 1, in.unary(Op::square, x)));
}
Operand one_over_root_of_difference(const Numbers& in, const Operand& x) {
    return in.reciprocal(in.unary(Op::square_root, one_minus_square(in, x)));
}
/// 1 / √(x² - 1), in the same way; 1 / x of numbers whose squares would overflow.
Operand slope_of_acosh(const Numbers& in, const Operand& x) {
    const Operand difference = as_derived(
        in, in.binary(Op::multiply, in.binary(Op::subtract, x, 1), in.binary(Op::add, x, 1)),
        in.binary(Op::subtract, in.unary(Op::square, x), 1));
    return in.reciprocal(
        in.choose(in.binary(Op::greater, x, 1e9), x, in.unary(Op::square_root, difference)));
}
/// 1 - tanh²; from |x| = 1 on, where that cancels, it is 4 e / (1 + e)² of e = exp(-2 |x|). Near 0 second
/// derivatives are those of the former, which are proportional to tanh.
Operand slope_of_tanh(const Numbers& in, const Operand& x, const Operand& y) {
    const Operand twice = in.binary(Op::multiply, 2, x);
    const Operand e =
        in.unary(Op::exp, in.choose(in.binary(Op::greater, x, 0), in.negative(twice), twice));
    const Operand far = in.binary(Op::divide, in.binary(Op::multiply, 4, e),
                                  in.unary(Op::square, in.binary(Op::add, 1, e)));
    return in.choose(in.binary(Op::less, in.unary(Op::absolute, x), 1),
                     in.binary(Op::subtract, 1, in.unary(Op::square, y)), far);
}
Operand bell(const Numbers& in, const Operand& x) {
    return in.binary(Op::multiply, 2 * std::numbers::inv_sqrtpi,
                     in.unary(Op::exp, in.negative(in.unary(Op::square, x))));
}

using N = const Numbers&;
using X = const Operand&;

/// Whether an operation has ends, as `has_ends` means it.
enum class Ends : std::uint8_t { none, some, of_divisor };

struct RuleOf {
    Op op;
    Ends ends;
    Zeros zeros;
    Rule rule;
};

/// One entry per operation, in the order of `Op`. No column has a default.
constexpr auto kRules = [] {
    using enum Ends;
    using enum Zeros;
    return std::to_array<RuleOf>({
        {Op::cast, none, of_operand, by_cast},
        {Op::wrapping_cast, none, of_operand, by_cast},
        {Op::negative, none, unknown,
         [](const Differentiated& of, std::size_t) -> Result { return negative(of); }},
        {Op::absolute, none, of_absolute, by<[](N in, X x, X) { return in.unary(Op::signum, x); }>},
        {Op::square_root, some, of_root, by_root},
        {Op::square, none, of_square,
         by<[](N in, X x, X) { return in.binary(Op::multiply, 2, x); }>},
        {Op::logical_not, none, unknown, nothing},
        {Op::bit_not, none, unknown, nothing},
        {Op::floor, none, unknown, nothing},
        {Op::ceil, none, unknown, nothing},
        {Op::round, none, unknown, nothing},
        {Op::rint, none, unknown, nothing},
        {Op::trunc, none, unknown, nothing},
        {Op::signum, none, unknown, nothing},
        {Op::next_up, none, unknown, itself},
        {Op::next_down, none, unknown, itself},
        {Op::ulp, none, unknown, nothing},
        {Op::cbrt, some, unknown, by<[](N in, X, X y) {
             return in.binary(Op::divide, in.unary(Op::square, in.reciprocal(y)), 3);
         }>},
        {Op::exp, some, nowhere, by<[](N, X, X y) { return y; }>},
        {Op::exp2, some, nowhere,
         by<[](N in, X, X y) { return in.binary(Op::multiply, std::numbers::ln2, y); }>},
        {Op::expm1, some, unknown, by<[](N in, X x, X) { return in.unary(Op::exp, x); }>},
        {Op::log, some, unknown, by<[](N in, X x, X) { return in.reciprocal(x); }>},
        {Op::log2, some, unknown,
         by<[](N in, X x, X) { return in.binary(Op::divide, 1 / std::numbers::ln2, x); }>},
        {Op::log10, some, unknown,
         by<[](N in, X x, X) { return in.binary(Op::divide, 1 / std::numbers::ln10, x); }>},
        {Op::log1p, some, unknown,
         by<[](N in, X x, X) { return in.reciprocal(in.binary(Op::add, 1, x)); }>},
        {Op::sin, none, unknown, by<[](N in, X x, X) { return in.unary(Op::cos, x); }>},
        {Op::cos, none, unknown,
         by<[](N in, X x, X) { return in.negative(in.unary(Op::sin, x)); }>},
        {Op::tan, none, unknown,
         by<[](N in, X, X y) { return in.binary(Op::add, 1, in.unary(Op::square, y)); }>},
        {Op::asin, some, unknown,
         by<[](N in, X x, X) { return one_over_root_of_difference(in, x); }>},
        {Op::acos, some, unknown,
         by<[](N in, X x, X) { return in.negative(one_over_root_of_difference(in, x)); }>},
        {Op::atan, none, unknown, by<[](N in, X x, X) {
             return in.reciprocal(in.binary(Op::add, 1, in.unary(Op::square, x)));
         }>},
        {Op::sinh, some, unknown, by<[](N in, X x, X) { return in.unary(Op::cosh, x); }>},
        {Op::cosh, some, nowhere, by<[](N in, X x, X) { return in.unary(Op::sinh, x); }>},
        {Op::tanh, none, unknown, by<[](N in, X x, X y) { return slope_of_tanh(in, x, y); }>},
        {Op::asinh, none, unknown,
         by<[](N in, X x, X) { return in.reciprocal(in.binary(Op::hypot, x, 1)); }>},
        {Op::acosh, some, unknown, by<[](N in, X x, X) { return slope_of_acosh(in, x); }>},
        {Op::atanh, some, unknown,
         by<[](N in, X x, X) { return in.reciprocal(one_minus_square(in, x)); }>},
        {Op::erf, none, unknown, by<[](N in, X x, X) { return bell(in, x); }>},
        {Op::erfc, none, unknown, by<[](N in, X x, X) { return in.negative(bell(in, x)); }>},
        {Op::pow, some, of_power, by_power},
        {Op::hypot, none, of_length, by_hypot},
        {Op::atan2, none, unknown, by_angle},
        {Op::ieee_remainder, some, unknown, by_rest},
        {Op::add, none, of_sum, itself},
        {Op::subtract, none, unknown,
         [](const Differentiated& of, std::size_t number) -> Result {
             return number == 0 ? of.g : negative(of);
         }},
        {Op::multiply, none, of_product, by_product},
        {Op::scale, none, of_product,
         [](const Differentiated& of, std::size_t number) -> Result {
             // A zero of the first operand, a derivative, stays one, whatever g is.
             return number == 0 ? of.scaled(of.x(1), 1) : of.g.weighted(of.x(), true);
         }},
        {Op::divide, of_divisor, of_quotient, by_quotient},
        {Op::remainder, some, unknown, by_rest},
        {Op::minimum, none, of_sum, by_extreme<Op::less, Op::greater>},
        {Op::maximum, none, of_sum, by_extreme<Op::greater, Op::less>},
        {Op::bit_and, none, unknown, nothing},
        {Op::bit_or, none, unknown, nothing},
        {Op::bit_xor, none, unknown, nothing},
        {Op::shift_left, none, unknown, nothing},
        {Op::shift_right, none, unknown, nothing},
        {Op::equal, none, unknown, nothing},
        {Op::not_equal, none, unknown, nothing},
        {Op::less, none, unknown, nothing},
        {Op::less_equal, none, unknown, nothing},
        {Op::greater, none, unknown, nothing},
        {Op::greater_equal, none, unknown, nothing},
        {Op::logical_and, none, unknown, nothing},
        {Op::logical_or, none, unknown, nothing},
        {Op::choose, none, of_choice, by_choice},
        {Op::map, some, unknown, by_function},
    });
}();
static_assert(
    [] {
        for (std::size_t i = 0; i < kRules.size(); ++i)
            if (kRules[i].op != static_cast<Op>(i)) return false;
        return kRules.size() == kOperations.size();
    }(),
    "a rule for each operation, in order");

constexpr const RuleOf& rule_of(Op op) { return kRules[static_cast<std::size_t>(op)]; }

} // namespace

std::optional<Slope> derivative(const Differentiated& of, std::size_t number) {
    return rule_of(of.operation.op()).rule(of, number);
}

Zeros zeros_of(Op op) noexcept { return rule_of(op).zeros; }

bool has_ends(const Elementwise& operation) noexcept {
    const Ends ends = rule_of(operation.op()).ends;
    if (ends != Ends::of_divisor) return ends == Ends::some;
    const auto* const divisor = node_as<Constant>(*operation.inputs()[1].node);
    const bool is_float = operation.dtype() == float32 || operation.dtype() == float64;
    return divisor == nullptr || !is_float || Numbers::value(operation.operand(1)) == 0.;
}

bool has_derivative(const Elementwise& operation) noexcept {
    if (operation.op() == Op::cast || operation.op() == Op::wrapping_cast)
        return operation.inputs()[0].node->dtype() != operation.dtype();
    return rule_of(operation.op()).rule != nothing;
}

} // namespace purview::derivatives
