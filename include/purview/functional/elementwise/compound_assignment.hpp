#pragma once

#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/bits.hpp>
#include <purview/tensor/copy.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace purview {

/// `destination = destination op values`, in place: values are cast with checks to the type of the
/// destination, and broadcast to its shape. If the destination contains an element several times,
/// as with indexes, sums and differences apply every value; other operations throw `ReadOnlyError`.
/// Correct when the two overlap. Throws `ShapeError`, `CastError`, `DtypeError`, `ReadOnlyError`,
/// `ArithmeticError`.
PURVIEW_EXPORT void update_operand(const char* what, Op op, const Operand& values,
                                   const Operand& destination);
/// The same if the type of one of them is known only at run time. A scalar is weak: it takes the
/// other's type. Throws `DtypeError` if the result would be a float and the destination holds
/// integers.
PURVIEW_EXPORT void update_any(const char* what, Op op, WeakOperand values,
                               const Operand& destination);

/// The operands of `x += values`: a writable tensor, and a tensor, another array or a scalar.
template <typename X, typename V>
concept CompoundOperands = (TensorOperands<X, V> ||
                            ArrayOperands<std::remove_cvref_t<X>, V>)&&requires {
    std::remove_cvref_t<X>::kWritesThrough;
};

template <typename X, typename V>
void update(const char* what, Op op, const auto& generic, const X& x, const V& values) {
    using Generic = std::remove_cvref_t<decltype(generic)>;
    if constexpr (!TypedOperand<X> || !TypedOperand<V>) {
        require_may_write(what, x);
        update_any(what, op, weak_operand(values), x.operand());
    } else if constexpr (BuiltinOperands<X, V>) {
        using T = OperandElement<X>;
        if constexpr (HasDims<X> || HasDims<V>)
            update_bound(what, op, operand_as<T>(values), x);
        else
            update_operand(what, op, operand_as<T>(values), x.operand());
    } else if constexpr (!std::invocable<Generic, const OperandElement<X>&,
                                         const OperandElement<V>&>) {
        static_assert(kRefused<X>, "these element types do not have this operation");
    } else {
        static_assert(
            !HasDims<X>,
            "x op= values, of elements that are not built in: write copy(x op values, x)");
        copy(map_operands(generic, x, values), x);
    }
}

/// `x op= values`, where x is a name, which is returned, or a subscript.
template <Op op, typename Generic, typename X, typename V>
decltype(auto) update_in_place(const char* what, X&& x, const V& values) {
    using Handle = std::remove_cvref_t<X>;
    static_assert(kIsWritable<Handle>,
                  "x op= values: x is a Tensor, which only reads; write x = x op values");
    if constexpr (ArrayOperands<Handle, V>) {
        update_in_place<op, Generic>(what, x, tensor_for_call(values));
    } else if constexpr (WritableHandle<Handle>) {
        if constexpr (TypedOperand<Handle> && TypedOperand<V> && BuiltinOperands<Handle, V>) {
            using T = OperandElement<Handle>;
            using C = ComputedIn<op, Computed<Handle, V>>;
            static_assert(
                !std::is_void_v<C>,
                "these element types have no common type (a signed integer with uint64): cast one of them");
            static_assert(kSupports<op, T>,
                          "this operation is not defined for elements of this type");
            static_assert(
                std::is_void_v<C> || std::is_floating_point_v<T> || !std::is_floating_point_v<C>,
                "x op= values: the result is a float, and x holds integers; cast one of them");
        }
        update(what, op, Generic{}, x, values);
    }
    if constexpr (std::is_lvalue_reference_v<X>) return (x);
}

// `x += values` writes into the memory of x, as in NumPy; every tensor over that memory sees the
// change. `x(0, all) *= 2` writes to the elements of the subscript. Values broadcast to the shape
// of x; the two may overlap. `E(ids(i), f) += v(i, f)` adds every value if indexes repeat.

template <typename X, typename V>
    requires CompoundOperands<X, V>
decltype(auto) operator+=(X&& x, const V& values) {
    return update_in_place<Op::add, Plus>("+=", std::forward<X>(x), values);
}
template <typename X, typename V>
    requires CompoundOperands<X, V>
decltype(auto) operator-=(X&& x, const V& values) {
    return update_in_place<Op::subtract, Minus>("-=", std::forward<X>(x), values);
}
template <typename X, typename V>
    requires CompoundOperands<X, V>
decltype(auto) operator*=(X&& x, const V& values) {
    return update_in_place<Op::multiply, Multiplies>("*=", std::forward<X>(x), values);
}
template <typename X, typename V>
    requires CompoundOperands<X, V>
decltype(auto) operator/=(X&& x, const V& values) {
    return update_in_place<Op::divide, Divides>("/=", std::forward<X>(x), values);
}
template <typename X, typename V>
    requires CompoundOperands<X, V>
decltype(auto) operator%=(X&& x, const V& values) {
    return update_in_place<Op::remainder, Modulus>("%=", std::forward<X>(x), values);
}
template <typename X, typename V>
    requires CompoundOperands<X, V>
decltype(auto) operator&=(X&& x, const V& values) {
    return update_in_place<Op::bit_and, BitAnd>("&=", std::forward<X>(x), values);
}
template <typename X, typename V>
    requires CompoundOperands<X, V>
decltype(auto) operator|=(X&& x, const V& values) {
    return update_in_place<Op::bit_or, BitOr>("|=", std::forward<X>(x), values);
}
template <typename X, typename V>
    requires CompoundOperands<X, V>
decltype(auto) operator^=(X&& x, const V& values) {
    return update_in_place<Op::bit_xor, BitXor>("^=", std::forward<X>(x), values);
}
template <typename X, typename V>
    requires CompoundOperands<X, V>
decltype(auto) operator<<=(X&& x, const V& values) {
    return update_in_place<Op::shift_left, LeftShift>("<<=", std::forward<X>(x), values);
}
template <typename X, typename V>
    requires CompoundOperands<X, V>
decltype(auto) operator>>=(X&& x, const V& values) {
    return update_in_place<Op::shift_right, RightShift>(">>=", std::forward<X>(x), values);
}

} // namespace purview
