#pragma once

#include <purview/base/refused.hpp>
#include <purview/tensor/array_like.hpp>
#include <purview/tensor/stage.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// Whether a result does not refer to the arguments it was made of: a number, or a `MutableTensor`,
/// which an eager operation has written (views of a `Tensor` and lazy operations give a `Tensor`).
template <typename R>
inline constexpr bool kIsDetached = std::is_arithmetic_v<R>;
template <typename T>
inline constexpr bool kIsDetached<MutableTensor<T>> = true;

/// Whether a stage says that it is not defined for the elements of an array. Checked before it is
/// instantiated, because compilers would report errors from inside it.
template <typename S, typename X>
inline constexpr bool kRefusesElements = false;
template <typename S, ForeignArray X>
    requires requires { S::template kIsDefinedFor<ForeignElement<X>>; }
inline constexpr bool kRefusesElements<S, X> = !S::template kIsDefinedFor<ForeignElement<X>>;

/// `array | stage`: the array as a tensor, read where it is if the result does not refer to it.
template <ForeignArray X, StageLike S>
    requires(!kRefusesElements<S, X> && std::invocable<const S&, AsTensorArgument<X>>)
auto operator|(X&& array, const S& stage) {
    if constexpr (kIsDetached<std::invoke_result_t<const S&, AsTensorArgument<X>>>)
        return stage(tensor_for_call<std::remove_cvref_t<X>>(array));
    else
        return stage(as_tensor(std::forward<X>(array)));
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
