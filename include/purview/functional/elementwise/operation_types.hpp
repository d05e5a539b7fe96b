#pragma once

#include <purview/expression/elementwise.hpp>

#include <concepts>
#include <type_traits>

namespace purview {

// The types that operations take, compute in and give. `supports` and `computed_dtype` are the same
// at run time.

/// Whether the engine has a kernel for `op` on C++ type `T`; at run time `supports`.
template <Op op, typename T>
inline constexpr bool kSupports = [] {
    constexpr OperandTypes kTypes = traits_of(op).operands;
    if constexpr (std::same_as<T, bool>)
        return kTypes == OperandTypes::built_in || kTypes == OperandTypes::bools ||
               kTypes == OperandTypes::integers_and_bools;
    else
        return !is_bitwise(op) || std::integral<T>;
}();

/// The type that operands of type `T` are converted to: float64 for functions of floats.
template <Op op, typename T>
using ComputedIn =
    std::conditional_t<is_of_floats(op) && std::is_arithmetic_v<T> && !std::floating_point<T>,
                       double, T>;

} // namespace purview
