#pragma once

#include <purview/tensor/tensor.hpp>

#include <concepts>
#include <type_traits>

namespace purview {

// Which handle the result of an operation has. Operations on tensors give a `Tensor`. A class of handles
// whose operations give something else names a kind:
//
//     using HandleKind = SymbolKind;
//
// and the kind says what that is:
//
//     struct SymbolKind {
//         static constexpr int kStrength = 1;    // the strongest among the operands decides; a tensor has 0
//         template <ElementType T>
//         using Handle = Symbol<T>;              // the handle of results and views
//         using BesideTensor = SymbolKind;       // the kind of a result when another operand is a tensor
//         template <ElementType T>
//         using Scalar = ScalarSymbol<T>;        // the handle of a reduction over everything
//         static constexpr bool kFoldsLater = true; // reductions are nodes, not evaluated
//         static constexpr bool kIsWeak = false;    // takes a tensor's type, as a number does
//     };
//
// A handle that is no `TensorHandle` has no operand as it stands: where operations would make one of their
// operands', they call its `combine`.

/// Tensors: what has no kind of its own.
struct TensorKind {
    static constexpr int kStrength = 0;
    template <ElementType T>
    using Handle = Tensor<T>;
    using BesideTensor = TensorKind;
};

/// Whether a tensor takes the type of another one that it is combined with.
template <typename X>
inline constexpr bool kIsWeak = false;
template <NamesItsKind X>
inline constexpr bool kIsWeak<X> = X::HandleKind::kIsWeak;

/// Whether reductions give symbols.
template <typename X>
inline constexpr bool kFoldsLater = false;
template <NamesItsKind X>
inline constexpr bool kFoldsLater<X> = X::HandleKind::kFoldsLater;

/// The kind of an operand; `void` for a scalar, which has no say.
template <typename X>
struct OperandKind {
    using type = std::conditional_t<TensorLike<X>, TensorKind, void>;
};
template <NamesItsKind X>
struct OperandKind<X> {
    using type = typename X::HandleKind;
};

/// The kind that two kinds make.
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

/// Only tensors and scalars, the usual case, is settled without looking closer.
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

/// The handle of a result with elements of type R: `Tensor<R>`, unless an operand's kind says otherwise.
template <ElementType R, typename... X>
using ResultHandle = typename ResultKind<X...>::template Handle<R>;

/// The handle of `function(operands…)`, where the handle does not arrange its operands first.
template <typename Handle, typename F, typename... Parts>
Handle result_of(F&& function, Parts&&... parts) {
    if constexpr (HasDims<Handle>)
        return Handle::combine(std::forward<F>(function), parts...);
    else
        return Handle(function(std::forward<Parts>(parts)...));
}

/// The handle of a reduction over everything that is a node.
template <ElementType R, typename X>
using ScalarResult = typename X::HandleKind::template Scalar<R>;

/// The handle of a view that keeps what can be written writable: X itself, unless its kind says otherwise.
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

/// The handle of elements that are looked up, such that they can be written where they were found: a handle's own, or
/// of a result that has no such form, itself.
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

/// A view of `x` in its handle; an `AnyTensor` may be written if `x` may.
template <typename X, typename Under>
ViewHandle<X> view_handle(const X& x, Under&& under) {
    if constexpr (std::same_as<ViewHandle<X>, AnyTensor>)
        return AnyTensor::view_of(x, std::forward<Under>(under));
    else
        return ViewHandle<X>(std::forward<Under>(under));
}

} // namespace purview
