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

/// What the engine knows of an operation.
struct OperationTraits {
    Op op;
    std::string_view name; ///< as it is printed; null-terminated
    OperationFamily family;
    OperandTypes operands = OperandTypes::numbers;
    Absorbing absorbing = Absorbing::nothing;
};

/// One entry per operation, in the order of `Op`.
inline constexpr auto kOperations = [] {
    using enum OperationFamily;
    using enum OperandTypes;
    return std::to_array<OperationTraits>({
        {Op::cast, "cast", conversion},
        {Op::wrapping_cast, "unchecked_cast", conversion},
        {Op::negative, "negative", arithmetic},
        {Op::absolute, "abs", arithmetic},
        {Op::square_root, "sqrt", arithmetic, floats},
        {Op::square, "sq", arithmetic},
        {Op::logical_not, "logical_not", logic, bools},
        {Op::bit_not, "bit_not", bits, integers_and_bools},
        {Op::floor, "floor", rounding},
        {Op::ceil, "ceil", rounding},
        {Op::round, "round", rounding},
        {Op::rint, "rint", rounding},
        {Op::trunc, "trunc", rounding},
        {Op::signum, "signum", arithmetic},
        {Op::next_up, "next_up", arithmetic, floats},
        {Op::next_down, "next_down", arithmetic, floats},
        {Op::ulp, "ulp", arithmetic, floats},
#define PURVIEW_LINE(NAME) {Op::NAME, #NAME, transcendental, floats},
        // clang-format off
        PURVIEW_EACH_FLOAT_FUNCTION(PURVIEW_LINE)
        PURVIEW_EACH_FLOAT_FUNCTION_OF_TWO(PURVIEW_LINE)
        {Op::ieee_remainder, "ieee_remainder", transcendental, floats},
    // clang-format on
#undef PURVIEW_LINE
        {Op::add, "add", arithmetic, built_in},
        {Op::subtract, "subtract", arithmetic},
        {Op::multiply, "multiply", arithmetic, built_in, Absorbing::zero},
        {Op::scale, "scale", arithmetic, floats, Absorbing::zero_first},
        {Op::divide, "divide", arithmetic},
        {Op::remainder, "remainder", arithmetic},
        {Op::minimum, "minimum", arithmetic, built_in, Absorbing::lowest},
        {Op::maximum, "maximum", arithmetic, built_in, Absorbing::highest},
        {Op::bit_and, "bit_and", bits, integers_and_bools, Absorbing::zero},
        {Op::bit_or, "bit_or", bits, integers_and_bools, Absorbing::all_ones},
        {Op::bit_xor, "bit_xor", bits, integers_and_bools},
        {Op::shift_left, "shift_left", bits, integers, Absorbing::zero_first},
        {Op::shift_right, "shift_right", bits, integers, Absorbing::zero_first},
        {Op::equal, "equal", comparison, built_in},
        {Op::not_equal, "not_equal", comparison, built_in},
        {Op::less, "less", comparison, built_in},
        {Op::less_equal, "less_equal", comparison, built_in},
        {Op::greater, "greater", comparison, built_in},
        {Op::greater_equal, "greater_equal", comparison, built_in},
        {Op::logical_and, "logical_and", logic, bools, Absorbing::zero},
        {Op::logical_or, "logical_or", logic, bools, Absorbing::all_ones},
        {Op::choose, "where", choice, built_in},
        {Op::map, "emap", function},
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
