#pragma once

#include <purview/base/refused.hpp>
#include <purview/tensor/array_like.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace purview {

/// An argument of a call; an array is converted to a tensor that owns what it reads, or, with
/// `Borrows`, to one that borrows the array for the length of the call.
template <bool Borrows, typename A>
decltype(auto) tensor_argument(A&& argument) {
    if constexpr (!ForeignArray<A>)
        return std::forward<A>(argument);
    else if constexpr (Borrows)
        return tensor_for_call<std::remove_cvref_t<A>>(argument);
    else
        return as_tensor(std::forward<A>(argument));
}

/// Whether a result does not refer to the arguments it was made of: a number, or a `MutableTensor`,
/// which an eager operation has written (views of a `Tensor` and lazy operations give a `Tensor`).
template <typename R>
inline constexpr bool kIsDetached = std::is_arithmetic_v<R>;
template <typename T>
inline constexpr bool kIsDetached<MutableTensor<T>> = true;

template <typename F, typename... A>
auto call_with_tensors(const F& function, A&&... arguments) {
    using R = std::invoke_result_t<const F&, AsTensorArgument<A>...>;
    return function(tensor_argument<kIsDetached<R>>(std::forward<A>(arguments))...);
}

/// `std::invocable`, written out so that compiler errors show fewer steps.
template <typename F, typename... A>
concept CallableWith = requires(const F& function, A&&... arguments) {
    function(static_cast<A&&>(arguments)...);
};

/// Whether `A` is an array of elements for which `F` says that it is not defined. Checked before
/// `F` is instantiated, because compilers would report errors from inside it.
template <typename F, typename A>
inline constexpr bool kRefusesElements = false;
template <typename F, ForeignArray A>
    requires requires { F::template kIsDefinedFor<ForeignElement<A>>; }
inline constexpr bool kRefusesElements<F, A> = !F::template kIsDefinedFor<ForeignElement<A>>;

/// The same of tensors.
template <typename F, typename X>
inline constexpr bool kRefusesElementsOf = kRefusesElements<F, X>;
template <typename F, TypedTensor X>
    requires requires { F::template kIsDefinedFor<typename X::value_type>; }
inline constexpr bool kRefusesElementsOf<F, X> = !F::template kIsDefinedFor<typename X::value_type>;

/// Whether `F` can be called with these arguments, tensors in the place of arrays.
template <typename F, typename... A>
concept CallableWithTensors =
    (!kRefusesElements<F, A> && ...) && CallableWith<F, AsTensorArgument<A>...>;

/// At least one argument is an array that is not a tensor, and `F` can be called with tensors in
/// the place of arrays.
template <typename F, typename... A>
concept CallWithArrays = (ForeignArray<A> || ...) && CallableWithTensors<F, A...>;

/// A call of `F` with arrays and, behind at least `kBeforeOptions` of them and of other arguments,
/// the options in braces that `F` declares as `Options`.
template <typename F, typename... A>
concept CallWithOptions = requires {
    typename F::Options;
}
&&(sizeof...(A) >= F::kBeforeOptions) && CallWithArrays<F, A..., const typename F::Options&>;

/// Makes a function of tensors accept arrays of any kind in their place: ranges, spans, mdspans,
/// nested vectors, readers (see `array_like`). An array that is moved in is owned by the result. An
/// lvalue or a view is copied if the result is a lazy tensor; if the result is a number or new
/// memory, it is read where it is.
template <typename F>
struct AcceptingArrays : F {
    using F::operator();

    template <typename... A>
        requires CallWithArrays<F, A...>
    auto operator()(A&&... arguments) const {
        return call_with_tensors(static_cast<const F&>(*this), std::forward<A>(arguments)...);
    }
    /// With lists as the other arguments: `percentile(values, std::vector{25., 75.})`.
    template <ForeignArray X, typename... A>
        requires(!CallWithArrays<F, X, A...> && !kRefusesElements<F, X> &&
                 CallableWith<F, AsTensorArgument<X>, A...>)
    auto operator()(X&& x, A&&... arguments) const {
        return call_with_first(std::forward<X>(x), std::forward<A>(arguments)...);
    }
    /// `x | sum()`, as `x | sum`.
    AcceptingArrays operator()() const requires(StageLike<F> && !CallableWith<F>) { return *this; }
    /// What has been rejected once is not rejected again.
    template <typename... A>
    requires HasRefused<A...> Refusal operator()(const A&...) const { return {}; }
    /// Text is not an array.
    template <typename... A>
        requires((TextLike<A> || ...) && !CallableWith<F, const A&...>)
    PURVIEW_REFUSED("an argument is text, where a tensor or an array is taken (a Dim is named by "
                    "its variable: sum(x, j))",
                    operator()(const A&...) const);
    /// Elements that `F` is not defined for.
    template <typename... A>
        requires(kRefusesElements<F, A> || ...)
    PURVIEW_REFUSED("this element type does not have this operation", operator()(const A&...)
                                                                          const);
    /// Other calls.
    template <array_like X>
        requires(!kRefusesElementsOf<F, X> && !CallableWith<F, const X&> &&
                 !CallableWithTensors<F, const X&>)
    PURVIEW_REFUSED("this function takes other elements, or more than a tensor: docs/catalogue.md "
                    "shows what, and in which order",
                    operator()(const X&) const);
    template <typename L = F>
    PURVIEW_REFUSED("these are not the arguments of this function: see docs/catalogue.md",
                    operator()(AnyArgument, AnyArgument, AnyArgument = {}, AnyArgument = {},
                               AnyArgument = {}, AnyArgument = {}) const);
    /// With options in braces behind. (A pack would be deduced only at the end.)
    template <typename X, typename L = F>
        requires CallWithOptions<L, X>
    auto operator()(X&& x, const typename L::Options& options) const {
        return call_with_tensors(static_cast<const F&>(*this), std::forward<X>(x), options);
    }
    template <typename X, typename Y, typename L = F>
        requires CallWithOptions<L, X, Y>
    auto operator()(X&& x, Y&& y, const typename L::Options& options) const {
        return call_with_tensors(static_cast<const F&>(*this), std::forward<X>(x),
                                 std::forward<Y>(y), options);
    }

private:
    template <ForeignArray X, typename... A>
    auto call_with_first(X&& x, A&&... arguments) const {
        using R = std::invoke_result_t<const F&, AsTensorArgument<X>, A...>;
        return static_cast<const F&>(*this)(tensor_argument<kIsDetached<R>>(std::forward<X>(x)),
                                            std::forward<A>(arguments)...);
    }
};

/// `array | stage`.
template <ForeignArray X, StageLike S>
    requires CallableWithTensors<S, X>
auto operator|(X&& array, const S& stage) {
    return call_with_tensors(stage, std::forward<X>(array));
}
/// Elements that the stage is not defined for.
template <ForeignArray X, StageLike S>
    requires kRefusesElements<S, X> PURVIEW_REFUSED(
        "this element type does not have this operation", operator|(const X&, const S&));

/// What is not a stage, or not one of this tensor. (All that anyone else may mean by `tensor | y` is
/// a better match.)
template <TensorLike X>
PURVIEW_REFUSED("tensor | stage is of stages that take this tensor; other functions are called, "
                "f(x), or mapped to all elements, emap(x, f)",
                operator|(const X&, AnyArgument));

} // namespace purview
