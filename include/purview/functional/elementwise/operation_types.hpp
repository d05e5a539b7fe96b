#pragma once

#include <purview/expression/elementwise.hpp>

#include <concepts>
#include <type_traits>

namespace purview {

// Which types the operations take, compute in and give; `supports` and `computed_dtype` say the same at run
// time.

/// Whether C++ type `T` has `op` as a kernel: what `supports` tells at run time.
template <Op op, typename T>
inline constexpr bool kSupports = [] {
    if constexpr (std::same_as<T, bool>)
        return is_comparison(op) || op == Op::add || op == Op::multiply || op == Op::minimum ||
               op == Op::maximum || op == Op::logical_and || op == Op::logical_or ||
               op == Op::logical_not || op == Op::bit_and || op == Op::bit_or ||
               op == Op::bit_xor || op == Op::bit_not;
    else
        return !is_bitwise(op) || std::integral<T>;
}();

/// The type that operands of type `T` are converted to: float64 for functions of floats.
template <Op op, typename T>
using ComputedIn =
    std::conditional_t<is_of_floats(op) && std::is_arithmetic_v<T> && !std::floating_point<T>,
                       double, T>;

} // namespace purview
