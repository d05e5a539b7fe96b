#pragma once

#include <purview/tensor/tensor.hpp>

#include <concepts>
#include <type_traits>

namespace purview::inline v0_1 {

// Which handle class the result of an operation has. Operations on tensors give a `Tensor`. A
// handle class whose operations give another class names a kind:
//
//     using HandleKind = SymbolKind;
//
// and the kind declares:
//
//     struct SymbolKind {
//         static constexpr int kStrength = 1;    // the strongest among the operands decides; a tensor has 0
//         template <ElementType T>
//         using Handle = Symbol<T>;              // the handle of results and views
//         using BesideTensor = SymbolKind;       // the kind of a result when another operand is a tensor
//         template <ElementType T>
//         using Scalar = ScalarSymbol<T>;        // the handle of a reduction over everything
//         static constexpr bool kDefersReductions = true; // reductions are nodes, not evaluated
//         static constexpr bool kIsWeak = false;    // takes a tensor's type, as a number does
//     };
//
// A handle class that does not derive from `TensorHandle` does not always have an operand: instead
// of combining operands, operations call its `combine`.

/// The kind of all handles that name no kind of their own.
struct TensorKind {
    static constexpr int kStrength = 0;
    template <ElementType T>
    using Handle = Tensor<T>;
    using BesideTensor = TensorKind;
};

/// Whether a tensor takes the type of another tensor that it is combined with, as a number does.
template <typename X>
inline constexpr bool kIsWeak = false;
template <NamesItsKind X>
inline constexpr bool kIsWeak<X> = X::HandleKind::kIsWeak;

/// Whether reductions are recorded as nodes and give symbols, instead of being evaluated.
template <typename X>
inline constexpr bool kDefersReductions = false;
template <NamesItsKind X>
inline constexpr bool kDefersReductions<X> = X::HandleKind::kDefersReductions;

/// The kind of an operand; `void` for a scalar, which does not affect the result's kind.
template <typename X>
struct OperandKind {
    using type = std::conditional_t<TensorLike<X>, TensorKind, void>;
};
template <NamesItsKind X>
struct OperandKind<X> {
    using type = typename X::HandleKind;
};

/// The kind of the result of an operation on operands of two kinds.
template <typename A, typename B>
struct JoinedKind {
    using type = std::conditional_t<(A::BesideTensor::kStrength >= B::BesideTensor::kStrength),
                                    typename A::BesideTensor, typename B::BesideTensor>;
};
template <typename A>
struct JoinedKind<A, A> {
    using type = A;
};
template <typename A>
struct JoinedKind<A, void> {
    using type = A;
};
template <typename B>
struct JoinedKind<void, B> {
    using type = B;
};
template <>
struct JoinedKind<void, void> {
    using type = void;
};

template <typename Kind, typename... X>
struct StrongestKind {
    using type = Kind;
};
template <typename Kind, typename X, typename... Rest>
struct StrongestKind<Kind, X, Rest...>
    : StrongestKind<typename JoinedKind<Kind, typename OperandKind<X>::type>::type, Rest...> {};

/// The usual case, of tensors and scalars only, is decided without instantiating `StrongestKind`.
template <typename... X>
consteval auto result_kind() {
    if constexpr ((NamesItsKind<X> || ...))
        return typename StrongestKind<void, X...>::type{};
    else
        return TensorKind{};
}

/// The kind of the result of an operation on operands, tensors and scalars.
template <typename... X>
using ResultKind = decltype(result_kind<X...>());

/// The handle of a result with elements of type R: `Tensor<R>`, unless an operand's kind says
/// otherwise.
template <ElementType R, typename... X>
using ResultHandle = typename ResultKind<X...>::template Handle<R>;

/// The result of `function(operands…)` as a `Handle`; a handle with dims brings the operands to
/// common dims first.
template <typename Handle, typename F, typename... Parts>
Handle result_of(F&& function, Parts&&... parts) {
    if constexpr (HasDims<Handle>)
        return Handle::combine(std::forward<F>(function), parts...);
    else
        return Handle(function(std::forward<Parts>(parts)...));
}

/// The handle of a reduction over all axes, if that is recorded as a node.
template <ElementType R, typename X>
using ScalarResult = typename X::HandleKind::template Scalar<R>;

/// The handle of a view that stays writable where `X` is: X itself, unless its kind names another.
template <typename X>
struct ViewHandleOf {
    using type = X;
};
template <NamesItsKind X>
struct ViewHandleOf<X> {
    using type = typename X::HandleKind::BesideTensor::template Handle<typename X::value_type>;
};
template <NamesItsKind X>
    requires WritableHandle<X>
struct ViewHandleOf<X> {
    using type = X;
};
template <typename X>
using ViewHandle = typename ViewHandleOf<std::remove_cvref_t<X>>::type;

/// The handle of the result of a lookup (gather) of elements: with `writes`, one that writes to
/// where the elements were found, if the handle class has such a form.
template <typename Handle, bool writes>
struct WritableFormOf {
    using type = Handle;
};
template <ElementType T>
struct WritableFormOf<Tensor<T>, true> {
    using type = GatheredTensor<T>;
};
template <typename Handle, bool writes>
using WritableForm = typename WritableFormOf<Handle, writes>::type;

/// A view of `x` as its view handle. An `AnyTensor` view may write if `x` may.
template <typename X, typename Under>
ViewHandle<X> view_handle(const X& x, Under&& under) {
    if constexpr (std::same_as<ViewHandle<X>, AnyTensor>)
        return AnyTensor::view_of(x, std::forward<Under>(under));
    else
        return ViewHandle<X>(std::forward<Under>(under));
}

} // namespace purview
