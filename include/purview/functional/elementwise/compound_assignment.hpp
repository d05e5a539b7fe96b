#pragma once

#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/bits.hpp>
#include <purview/tensor/copy.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// `destination = destination op values`, in place: values are cast with checks to the type of the
/// destination, and broadcast to its shape. Integers are computed in that type and wrap, as in NumPy:
/// `bytes += 10` makes 9 of 255 (`t(0) += 10`, of one element, is checked and throws). If the destination contains an element several times,
/// as with indexes, sums and differences apply every value; other operations throw `ReadOnlyError`.
/// Correct when the two overlap. Throws `ShapeError`, `CastError`, `DtypeError`, `ReadOnlyError`,
/// `ArithmeticError`.
PURVIEW_EXPORT void update_operand(const char* what, Op op, const Operand& values,
                                   const Operand& destination);
/// `destination = destination op values`, in place, if the type of one of them is known only at run
/// time. A scalar is weak: it takes the other's type. Otherwise as `update_operand`. Throws
/// `DtypeError` if the result would be a float and the destination holds integers.
PURVIEW_EXPORT void update_any(const char* what, Op op, WeakOperand values,
                               const Operand& destination);

/// The operands of `x op= values`: a tensor, and a tensor, another array or a scalar.
template <typename X, typename V>
concept CompoundOperands = (TensorOperands<X, V> ||
                            ArrayOperands<std::remove_cvref_t<X>, V>)&&requires {
    std::remove_cvref_t<X>::kWritesThrough;
};

/// Whether `x op= values` has a meaning: the result is of no float where x holds integers.
template <Op op, typename X, typename V>
consteval bool updates() {
    if constexpr (!has_operation<op, X, V>())
        return false;
    else if constexpr (!TypedOperand<X> || !TypedOperand<V>)
        return true;
    else if constexpr (ComplexOperands<X, V>)
        return ComplexElement<OperandElement<X>>;
    else if constexpr (!BuiltinOperands<X, V>)
        return !HasDims<X>; // copy(x op values, x)
    else
        return kSupports<op, OperandElement<X>> &&
               (std::is_floating_point_v<OperandElement<X>> ||
                !std::is_floating_point_v<ComputedIn<op, Computed<X, V>>>);
}
template <typename X, typename V, Op op>
concept Updates = updates<op, std::remove_cvref_t<X>, TensorOf<V>>();
template <typename X, typename V, Op op>
concept NoUpdates = !updates<op, std::remove_cvref_t<X>, TensorOf<V>>();

/// `x op= values`, where x is a name, which is returned, or a subscript.
template <Op op, typename X, typename V>
decltype(auto) update_in_place(const char* what, X&& x, const V& values) {
    if constexpr (ArrayOperands<std::remove_cvref_t<X>, V>) {
        update_in_place<op>(what, x, tensor_for_call(values));
    } else if constexpr (!TypedOperand<X> || !TypedOperand<V>) {
        require_may_write(what, x);
        update_any(what, op, weak_operand(values), x.operand());
    } else if constexpr (BuiltinOperands<X, V> || ComplexOperands<X, V>) {
        using T = OperandElement<X>;
        if constexpr (HasDims<X> || HasDims<V>)
            update_bound(what, op, operand_as<T>(values), x);
        else
            update_operand(what, op, operand_as<T>(values), x.operand());
    } else {
        copy(apply_binary<op>(x, values), x);
    }
    if constexpr (std::is_lvalue_reference_v<X>) return (x);
}

// `x += values` writes into the memory of x, as in NumPy; every tensor over that memory sees the
// change. `x(0, all) *= 2` writes to the elements of the subscript. Values broadcast to the shape
// of x; the two may overlap. `E(ids(i), f) += v(i, f)` adds every value if indexes repeat.

#define PURVIEW_NO_UPDATE \
 "x op= values: these element types do not have this operation, or the result is a float, and x holds integers; cast one of them"
#define PURVIEW_ONLY_READS "x op= values: x is a Tensor, which only reads; write x = x op values"
#define PURVIEW_COMPOUND_OPERATOR(OPERATOR, OP)                                    \
 template <typename X, typename V>                                                 \
  requires(CompoundOperands<X, V> && WritableHandle<X> && Updates<X, V, Op::OP>)   \
 decltype(auto) operator OPERATOR(X&& x, const V& values) {                        \
  return update_in_place<Op::OP>(#OPERATOR, std::forward<X>(x), values);           \
 }                                                                                 \
 template <typename X, typename V>                                                 \
  requires(CompoundOperands<X, V> && WritableHandle<X> && NoUpdates<X, V, Op::OP>) \
 PURVIEW_REFUSED(PURVIEW_NO_UPDATE, operator OPERATOR(X&&, const V&));             \
 template <typename X, typename V>                                                 \
  requires(CompoundOperands<X, V> && !WritableHandle<X>)                           \
 PURVIEW_REFUSED(PURVIEW_ONLY_READS, operator OPERATOR(X&&, const V&));
PURVIEW_COMPOUND_OPERATOR(+=, add)
PURVIEW_COMPOUND_OPERATOR(-=, subtract)
PURVIEW_COMPOUND_OPERATOR(*=, multiply)
PURVIEW_COMPOUND_OPERATOR(/=, divide)
PURVIEW_COMPOUND_OPERATOR(%=, remainder)
PURVIEW_COMPOUND_OPERATOR(&=, bit_and)
PURVIEW_COMPOUND_OPERATOR(|=, bit_or)
PURVIEW_COMPOUND_OPERATOR(^=, bit_xor)
PURVIEW_COMPOUND_OPERATOR(<<=, shift_left)
PURVIEW_COMPOUND_OPERATOR(>>=, shift_right)
#undef PURVIEW_COMPOUND_OPERATOR
#undef PURVIEW_NO_UPDATE
#undef PURVIEW_ONLY_READS

} // namespace purview
