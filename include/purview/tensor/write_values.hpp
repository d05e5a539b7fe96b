#pragma once

#include <purview/dtype/cast.hpp>
#include <purview/dtype/promote.hpp>
#include <purview/expression/constant.hpp>
#include <purview/reader/element.hpp>
#include <purview/tensor/tensor_handle.hpp>

#include <concepts>
#include <cstddef>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>

namespace purview::inline v0_1 {

/// Writes `values`, cast with checks and broadcast, to a destination: what
/// `destination(…) = values` does. An element that occurs several times gets the last value.
/// Correct when the two overlap. Throws `ReadOnlyError`, `ShapeError`, `CastError`, and what
/// reading `values` throws, before anything is written.
PURVIEW_EXPORT void write_values(const Operand& values, const Operand& destination);

/// An operand of shape [0].
template <ElementType T>
Operand empty_operand() {
    const index_t zero = 0;
    return constant_operand(T{}, ShapeSpan(&zero, 1));
}

/// The node of `empty_operand`, which is never destroyed and so needs no counting, and no memory.
template <BuiltinType T>
NodePtr empty_node() noexcept {
    alignas(ConstantOf<T>) static std::byte place[sizeof(ConstantOf<T>)];
    static const Node* const node = [] {
        auto* const made = ::new (place) ConstantOf<T>(T{});
        made->make_immortal();
        return made;
    }();
    return NodePtr(node, false);
}

/// One value, converted with checks, as a constant of type T.
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

/// A number of any arithmetic type as a constant of its own type.
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

/// A text or a time, which is written to elements whose type is known at run time.
template <typename V>
concept WrittenValue = TimeElement<V> || std::convertible_to<const V&, std::string_view>;
template <WrittenValue V>
Operand written_operand(const V& value) {
    if constexpr (TimeElement<V>)
        return constant_operand<Canonical<V>>(Canonical<V>(value));
    else
        return constant_operand(std::string(std::string_view(value)));
}

/// Whether a value can be assigned to a subscript of a tensor of T: a tensor, or a value
/// convertible to T.
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

/// Whether a name of a tensor of T can be rebound by `x = y`: y is a tensor of the same element
/// type. Rejects everything else at compile time, with a message.
template <typename T, typename X>
consteval bool can_be_named() {
    static_assert(kIsTensor<X>,
                  "x = value: the name of a tensor does not become a number or another "
                  "array; write fill(x, value), x(pv::all) = value, x = "
                  "tensor(values)");
    static_assert(!kIsTensor<X> || kIsTyped<X>,
                  "x = any: write x = any.as_mutable<T>(), which names its memory, or x = "
                  "clone(any.as<T>())");
    static_assert(!kIsTyped<X> || kHasElements<X, T>,
                  "x = expression: its elements are of another type than those of x; write x = "
                  "expression | cast<T>, or copy(expression, x)");
    return kHasElements<X, T>;
}

/// Whether `t(…) = values` is valid: values are a tensor or one value. Rejects everything else at
/// compile time, with a message.
template <typename T, typename V>
consteval bool can_be_written() {
    static_assert(kIsWritableValue<V, T>,
                  "t(…) = values: the values are a tensor, or a value of its element type; "
                  "of another array write t(…) = tensor(values)");
    return kIsWritableValue<V, T>;
}

/// `values` as an operand to write to a destination of element type T.
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
