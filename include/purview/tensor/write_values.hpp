#pragma once

#include <purview/dtype/cast.hpp>
#include <purview/dtype/promote.hpp>
#include <purview/expression/constant.hpp>
#include <purview/reader/element.hpp>
#include <purview/tensor/tensor_handle.hpp>

#include <concepts>
#include <type_traits>

namespace purview {

/// `values` cast, checked, broadcast to a destination and written to it: what `destination(…) = values` does. An
/// element that is named several times gets the last value. Correct when the two overlap. Throws `ReadOnlyError`,
/// `ShapeError`, `CastError`, and what reading `values` throws, before anything is written.
PURVIEW_EXPORT void write_values(const Operand& values, const Operand& destination);

/// One value as a constant of type T, checked.
template <ElementType T, typename V>
Operand value_operand(const V& value) {
    if constexpr (BuiltinType<T> && std::integral<V> && !std::same_as<V, bool>) {
        using N = typename IntegerOfWidth<std::is_signed_v<V>, sizeof(V)>::type;
        return constant_operand(checked_cast<T>(static_cast<N>(value)));
    } else if constexpr (BuiltinType<T> && BuiltinType<V>) {
        return constant_operand(checked_cast<T>(value));
    } else {
        return constant_operand(static_cast<T>(value));
    }
}

/// A number of any type of C++ as a constant of its own type.
template <typename V>
    requires std::is_arithmetic_v<V> Operand number_operand(V value) {
        if constexpr (BuiltinType<V>)
            return constant_operand(value);
        else if constexpr (std::integral<V>)
            return value_operand<typename IntegerOfWidth<std::is_signed_v<V>, sizeof(V)>::type>(
                value);
        else
            return constant_operand(static_cast<double>(value));
    }

/// Whether what a subscript names takes `V`: a tensor, or a value that an element may have.
template <typename V, typename T>
concept WritableValue = TensorLike<V> || std::convertible_to<const V&, T>;

template <typename V, typename T>
inline constexpr bool kIsWritableValue = WritableValue<V, T>;
template <typename X>
inline constexpr bool kIsTyped = TypedTensor<X>;
template <typename X, typename T>
inline constexpr bool kHasElements = false;
template <TypedTensor X, typename T>
inline constexpr bool kHasElements<X, T> = std::same_as<typename X::value_type, T>;

/// `values` as what a destination with elements of type T is given.
template <ElementType T, typename V>
decltype(auto) values_operand(const V& values) {
    if constexpr (TensorLike<V>)
        return values.operand();
    else if constexpr (std::same_as<V, Element<T>>)
        return value_operand<T>(static_cast<T>(values));
    else
        return value_operand<T>(values);
}

} // namespace purview
