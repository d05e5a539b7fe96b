#pragma once

#include <purview/tensor/array_like.hpp>
#include <purview/tensor/result_handle.hpp>
#include <purview/tensor/tensor.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// A tensor, or a tensor with dims that converts to one if no dims are bound.
template <typename X>
concept PlainOrOrdered = TensorLike<X> &&
    (!HasDims<X> || (TypedTensor<X> && std::convertible_to<const X&, AnyTensor>));

/// The tensor itself; of a handle with dims, none of which is bound, its tensor. Throws `DimError`
/// naming the dims that are bound. For functions that do not work over dims.
template <PlainOrOrdered X>
decltype(auto) plain_tensor(const X& x) {
    if constexpr (HasDims<X>)
        return Tensor<typename X::value_type>(x.operand());
    else
        return (x);
}

/// What functions along axes take, and others that read elements now: a tensor or an array, but not
/// of symbols.
template <typename X>
concept lanes = array_like<X> && !AxisLike<std::remove_cvref_t<X>> &&
                !kDefersReductions<std::remove_cvref_t<X>>;
/// An array without bound dims.
template <typename X>
concept plain_array = lanes<X> &&(ForeignArray<X> || PlainOrOrdered<std::remove_cvref_t<X>>);
/// An array of numbers, of a type known now or at run time, without bound dims.
template <typename X>
concept plain_number_array =
    plain_array<X> && kIsNumberOrVoid<ElementOrVoid<std::remove_cvref_t<X>>>;
/// The operand of an array for the length of a call. Throws `DimError` for bound dims.
template <array_like X>
Operand operand_for_call(const X& x) {
    if constexpr (ForeignArray<X>)
        return tensor_for_call(x).operand();
    else
        return plain_tensor(x).operand();
}

/// `lanes` of numbers, whose type may be known only at run time.
template <typename X>
concept number_lanes = lanes<X> && kIsNumberOrVoid<ElementOrVoid<X>>;

/// An array of numbers, or a symbol of numbers.
template <typename X>
concept number_lanes_or_symbol = number_lanes<X> ||
    (array_like<X> && !AxisLike<std::remove_cvref_t<X>> &&
     kDefersReductions<std::remove_cvref_t<X>> && BuiltinType<ElementOrVoid<X>>);

/// An argument of a function of several, `All`, whose results are in memory: an array is read where
/// it is, but kept where one of them is a symbol. What is no array stays as it is.
template <typename... All, typename X>
decltype(auto) tensor_beside(X&& x) {
    if constexpr (!ForeignArray<X>)
        return (x);
    else if constexpr ((kDefersReductions<std::remove_cvref_t<All>> || ...))
        return as_tensor(std::forward<X>(x));
    else
        return tensor_for_call<std::remove_cvref_t<X>>(x);
}

} // namespace purview
