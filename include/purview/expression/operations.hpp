#pragma once

#include <purview/base/config.hpp>
#include <purview/expression/float_functions.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace purview::inline v0_1 {

/// The operations of element-wise nodes. Operands have the type that the operation computes in;
/// where it differs from their own, they are converted by nodes of their own (`cast`,
/// `wrapping_cast`).
enum class Op : std::uint8_t {
    cast,
    wrapping_cast,
    negative,
    absolute,
    square_root,
    square,
    logical_not,
    bit_not,
    floor,
    ceil,
    round, ///< halves away from zero
    rint,  ///< halves to even
    trunc,
    signum,
    next_up,
    next_down,
    ulp,
#define PURVIEW_ENUMERATOR(NAME) NAME,
    // clang-format off
    PURVIEW_EACH_FLOAT_FUNCTION(PURVIEW_ENUMERATOR)
    PURVIEW_EACH_FLOAT_FUNCTION_OF_TWO(PURVIEW_ENUMERATOR)
    ieee_remainder,
// clang-format on
#undef PURVIEW_ENUMERATOR
    add,
    subtract,
    multiply,
    scale, ///< x * y, and 0 where x is 0, whatever y is (Julia's strong zero): how derivatives go on
    divide,
    remainder,
    minimum,
    maximum,
    bit_and, ///< on integers bit by bit, on bools logical
    bit_or,
    bit_xor,
    shift_left,  ///< 0 for counts below 0, or at least the width
    shift_right, ///< arithmetic for signed types; for such counts 0, or -1 for a negative number
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    logical_and,
    logical_or,
    choose, ///< three operands: bool, then the value if true, then the value if false
    map ///< a `BlockFunction`: the user's, or a `LibraryFunction` (of complex numbers, times …)
};

enum class OperationFamily : std::uint8_t {
    conversion,
    arithmetic,
    rounding,       ///< returns an integer unchanged
    transcendental, ///< costs as much as dozens of additions
    bits,
    comparison, ///< gives bools
    logic,
    choice,
    function ///< a function unknown to the engine
};

/// The built-in types that an operation has kernels for.
enum class OperandTypes : std::uint8_t {
    numbers,
    floats, ///< other numbers are converted to float64 first
    integers,
    bools,
    integers_and_bools,
    built_in ///< all of them
};

/// The operand value that decides the result alone, whatever the other operand is (of floats:
/// whatever finite number it is).
enum class Absorbing : std::uint8_t {
    nothing,
    zero,
    zero_first, ///< zero, as the first operand only
    all_ones,
    lowest, ///< the lowest integer; none of floats, because of NaN
    highest ///< the highest integer; none of floats
};

/// What the engine knows of an operation. No column has a default.
struct OperationTraits {
    Op op;
    std::string_view name; ///< as it is printed; null-terminated
    std::uint8_t arity;    ///< the number of operands; 0: any
    OperationFamily family;
    OperandTypes operands;
    Absorbing absorbing;
};

/// One entry per operation, in the order of `Op`.
inline constexpr auto kOperations = [] {
    using enum OperationFamily;
    using enum OperandTypes;
    using enum Absorbing;
    return std::to_array<OperationTraits>({
        {Op::cast, "cast", 1, conversion, numbers, nothing},
        {Op::wrapping_cast, "unchecked_cast", 1, conversion, numbers, nothing},
        {Op::negative, "negative", 1, arithmetic, numbers, nothing},
        {Op::absolute, "abs", 1, arithmetic, numbers, nothing},
        {Op::square_root, "sqrt", 1, arithmetic, floats, nothing},
        {Op::square, "sq", 1, arithmetic, numbers, nothing},
        {Op::logical_not, "logical_not", 1, logic, bools, nothing},
        {Op::bit_not, "bit_not", 1, bits, integers_and_bools, nothing},
        {Op::floor, "floor", 1, rounding, numbers, nothing},
        {Op::ceil, "ceil", 1, rounding, numbers, nothing},
        {Op::round, "round", 1, rounding, numbers, nothing},
        {Op::rint, "rint", 1, rounding, numbers, nothing},
        {Op::trunc, "trunc", 1, rounding, numbers, nothing},
        {Op::signum, "signum", 1, arithmetic, numbers, nothing},
        {Op::next_up, "next_up", 1, arithmetic, floats, nothing},
        {Op::next_down, "next_down", 1, arithmetic, floats, nothing},
        {Op::ulp, "ulp", 1, arithmetic, floats, nothing},
#define PURVIEW_LINE_OF_ONE(NAME) {Op::NAME, #NAME, 1, transcendental, floats, nothing},
#define PURVIEW_LINE_OF_TWO(NAME) {Op::NAME, #NAME, 2, transcendental, floats, nothing},
        // clang-format off
        PURVIEW_EACH_FLOAT_FUNCTION(PURVIEW_LINE_OF_ONE)
        PURVIEW_EACH_FLOAT_FUNCTION_OF_TWO(PURVIEW_LINE_OF_TWO)
        {Op::ieee_remainder, "ieee_remainder", 2, transcendental, floats, nothing},
    // clang-format on
#undef PURVIEW_LINE_OF_ONE
#undef PURVIEW_LINE_OF_TWO
        {Op::add, "add", 2, arithmetic, built_in, nothing},
        {Op::subtract, "subtract", 2, arithmetic, numbers, nothing},
        {Op::multiply, "multiply", 2, arithmetic, built_in, zero},
        {Op::scale, "scale", 2, arithmetic, floats, zero_first},
        {Op::divide, "divide", 2, arithmetic, numbers, nothing},
        {Op::remainder, "remainder", 2, arithmetic, numbers, nothing},
        {Op::minimum, "minimum", 2, arithmetic, built_in, lowest},
        {Op::maximum, "maximum", 2, arithmetic, built_in, highest},
        {Op::bit_and, "bit_and", 2, bits, integers_and_bools, zero},
        {Op::bit_or, "bit_or", 2, bits, integers_and_bools, all_ones},
        {Op::bit_xor, "bit_xor", 2, bits, integers_and_bools, nothing},
        {Op::shift_left, "shift_left", 2, bits, integers, zero_first},
        {Op::shift_right, "shift_right", 2, bits, integers, zero_first},
        {Op::equal, "equal", 2, comparison, built_in, nothing},
        {Op::not_equal, "not_equal", 2, comparison, built_in, nothing},
        {Op::less, "less", 2, comparison, built_in, nothing},
        {Op::less_equal, "less_equal", 2, comparison, built_in, nothing},
        {Op::greater, "greater", 2, comparison, built_in, nothing},
        {Op::greater_equal, "greater_equal", 2, comparison, built_in, nothing},
        {Op::logical_and, "logical_and", 2, logic, bools, zero},
        {Op::logical_or, "logical_or", 2, logic, bools, all_ones},
        {Op::choose, "where", 3, choice, built_in, nothing},
        {Op::map, "emap", 0, function, numbers, nothing},
    });
}();
static_assert(
    [] {
        for (std::size_t i = 0; i < kOperations.size(); ++i)
            if (kOperations[i].op != static_cast<Op>(i)) return false;
        return kOperations.back().op == Op::map;
    }(),
    "a line for each operation, in order");

constexpr const OperationTraits& traits_of(Op op) noexcept {
    return kOperations[static_cast<std::size_t>(op)];
}

/// The name of an operation as it is printed: "add", "sqrt".
constexpr std::string_view name_of(Op op) noexcept { return traits_of(op).name; }

constexpr bool is_comparison(Op op) noexcept {
    return traits_of(op).family == OperationFamily::comparison;
}
constexpr bool is_bitwise(Op op) noexcept { return traits_of(op).family == OperationFamily::bits; }
constexpr bool is_rounding(Op op) noexcept {
    return traits_of(op).family == OperationFamily::rounding;
}
constexpr bool is_transcendental(Op op) noexcept {
    return traits_of(op).family == OperationFamily::transcendental;
}
/// Whether an operation computes on floats alone: other numbers are converted to float64 first.
constexpr bool is_of_floats(Op op) noexcept {
    return traits_of(op).operands == OperandTypes::floats;
}

} // namespace purview
