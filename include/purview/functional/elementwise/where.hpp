#pragma once

#include <purview/base/refused.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/functional/elementwise/operation_functions.hpp>

#include <type_traits>

namespace purview::inline v0_1 {

/// The result type of a choice between two operands.
template <typename X, typename Y>
struct ChosenType {
    static constexpr auto pick() {
        if constexpr (BuiltinOperands<X, Y> && (TensorLike<X> || TensorLike<Y>))
            return std::type_identity<Computed<X, Y>>{};
        else if constexpr (ComplexOperands<X, Y> && (TensorLike<X> || TensorLike<Y>))
            return ComplexType<X, Y>::pick();
        else if constexpr (!requires {
                               typename std::common_type<OperandElement<X>,
                                                         OperandElement<Y>>::type;
                           })
            return std::type_identity<void>{};
        else
            return std::type_identity<
                Canonical<std::common_type_t<OperandElement<X>, OperandElement<Y>>>>{};
    }
    using type = typename decltype(pick())::type;
};

/// Two operands of static types that have no common type.
template <typename X, typename Y>
concept NothingInCommon =
    TypedOperand<X> && TypedOperand<Y> && std::is_void_v<typename ChosenType<X, Y>::type>;

/// A tensor of bool, or of a type known at run time.
template <typename X>
concept Decides = !TypedTensor<X> || kHasElements<X, bool>;

PURVIEW_EXPORT AnyTensor any_where(const Operand& condition, WeakOperand x, WeakOperand y);
/// The choice of numbers, real or complex ones, as numbers of the type `complex`. Lazy. Throws
/// `ShapeError`, and `DtypeError` for operands that are no numbers.
PURVIEW_EXPORT Operand choose_complex(const Operand& condition, const Operand& x, const Operand& y,
                                      DType complex);

/// `where(condition, x, y)`: x where the condition is true, else y, all broadcast together. x and y
/// are tensors or scalars, promoted as in arithmetic. Both are read everywhere; for a sparse result
/// (docs/sparse.md) only where something is stored. Lazy. Throws `ShapeError`.
struct WhereFunction : ElementwiseFunction {
    using ElementwiseFunction::operator();

    template <array_like Condition, typename X, typename Y>
        requires(Decides<TensorOf<Condition>> && !NothingInCommon<TensorOf<X>, TensorOf<Y>>)
    auto operator()(Condition&& condition, X&& x, Y&& y) const {
        return chosen(lasting_tensor(std::forward<Condition>(condition)),
                      lasting_tensor(std::forward<X>(x)), lasting_tensor(std::forward<Y>(y)));
    }
    template <array_like Condition, typename X, typename Y>
        requires(NothingInCommon<TensorOf<X>, TensorOf<Y>>)
    PURVIEW_REFUSED("where: these element types have no common type: cast one of them",
                    operator()(const Condition&, const X&, const Y&) const);
    template <array_like Condition, typename X, typename Y>
        requires(!Decides<TensorOf<Condition>> && !NothingInCommon<TensorOf<X>, TensorOf<Y>>)
    PURVIEW_REFUSED("where: the condition is a tensor of bool, and comes first",
                    operator()(const Condition&, const X&, const Y&) const);
    template <array_like Condition>
    PURVIEW_REFUSED("where(condition, x, y) chooses between two; the indexes at which a condition "
                    "holds are pv::argfilter(condition)",
                    operator()(const Condition&) const);
    template <typename X, typename Y>
        requires(!NothingInCommon<TensorOf<X>, TensorOf<Y>>)
    auto operator()(X&& x, Y&& y) const {
        return make_stage(*this, kept_operand(std::forward<X>(x)),
                          kept_operand(std::forward<Y>(y)));
    }

private:
    template <typename Condition, typename X, typename Y>
    static auto chosen(const Condition& condition, const X& x, const Y& y) {
        if constexpr (!TypedTensor<Condition> || !TypedOperand<X> || !TypedOperand<Y>) {
            return any_where(condition.operand(), weak_operand(x), weak_operand(y));
        } else {
            using R = typename ChosenType<X, Y>::type;
            if constexpr (BuiltinType<R>)
                return result_of<ResultHandle<R, Condition, X, Y>>(
                    [](Operand c, Operand a, Operand b) {
                        return choose_operand(std::move(c), std::move(a), std::move(b), kDType<R>);
                    },
                    operand_as<bool>(condition), operand_as<R>(x), operand_as<R>(y));
            else if constexpr (KernelComplex<R>)
                return result_of<ResultHandle<R, Condition, X, Y>>(
                    [](const Operand& c, const Operand& a, const Operand& b) {
                        return choose_complex(c, a, b, kDType<R>);
                    },
                    operand_as<bool>(condition), operand_as<R>(x), operand_as<R>(y));
            else
                return map_elements(
                    FunctionName("where"),
                    [](bool c, const OperandElement<X>& a, const OperandElement<Y>& b) {
                        return c ? R(a) : R(b);
                    },
                    condition, x, y);
        }
    }
};
inline constexpr WhereFunction where;

} // namespace purview
