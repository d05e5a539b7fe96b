#pragma once

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/functional/reductions/chosen_reducer.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/result_handle.hpp>
#include <purview/tensor/slices.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// A tensor of `T`, or an `AnyTensor` if `T` is `void`.
template <typename T>
auto as_tensor(const Operand& operand) {
    if constexpr (std::is_void_v<T>)
        return AnyTensor(operand);
    else
        return Tensor<T>(operand);
}

/// The reduction of a view that `work` implements, with a policy for NaN; with `leads` >= 0, the
/// axis that it adds at the end comes to that place.
PURVIEW_EXPORT Operand reduce_view(const char* what, const ReducedView& view, NanRule nan,
                                   index_t leads, PartsWork work);
/// The reduction of a tensor without dims that `work` implements, over axes, or everything; with
/// `leads` >= 0, the axis that it adds at the end comes to that place.
PURVIEW_EXPORT Operand reduce_over_axes(const char* what, const Operand& x,
                                        const ChosenAxes& chosen, index_t leads, PartsWork work);

/// A reduction implemented at run time: `work(view)` returns memory of `R`, of the shape of the
/// view; with `leads`, with one more axis at the end, which then is moved before the positional
/// axes. Returns a tensor, of rank 0 over everything.
template <typename R, TensorLike X>
    requires(!kDefersReductions<X>)
auto reduce_over(const char* what, const X& x, const ChosenAxes& chosen, bool leads,
                 PartsWork work) {
    if constexpr (HasDims<X>) {
        if (chosen.nan == NanRule::refuse) require_no_nan(what, x);
        auto reduction = dims_to_reduce(what, dim_operand(x), chosen.axes_if_given(), chosen.keep);
        const ReducedView view = reduced_view(what, reduction.operand, reduction.axes, chosen.keep);
        const index_t lead = leads ? reduction.lead() : -1;
        return ResultHandle<R, X>(
            std::move(reduction).result(reduce_view(what, view, chosen.nan, lead, work)));
    } else {
        return as_tensor<std::conditional_t<TypedTensor<X>, R, void>>(
            reduce_over_axes(what, x.operand(), chosen, leads ? 0 : -1, work));
    }
}

/// Calls `work(part, out)` with the positional axes of each combination of dims; each call appends
/// its results, of shape `each`, to `out`. Returns memory of `R` under the dims of `x`.
template <typename R, HasDims X, typename Work>
ResultHandle<R, X> batched(const X& x, const Shape& each, Work work) {
    auto bound = settled(dim_operand(x));
    const ShapeSpan sizes = bound.operand.dims.max_shape();
    Shape shape(sizes.begin(), sizes.begin() + bound.dim_count());
    const index_t count = Dimensions::row_major(shape).size();
    shape.insert(shape.end(), each.begin(), each.end());
    const MutableTensor<R> results = empty<R>(shape);
    R* out = as_span(results).data();
    const index_t step = Dimensions::row_major(each).size();
    for (index_t at = 0; at < count; ++at, out += step)
        work(slice_operand(bound.operand, bound.dim_count(), false, at), out);
    bound.operand = brought_to(bound.operand, results.operand());
    return ResultHandle<R, X>(std::move(bound));
}

/// The result type of a reduction of a tensor or an array; `void` if it is known at run time.
template <typename Operation, typename T>
struct ReducedElement {
    using type = typename Operation::template Result<T>;
};
template <typename Operation>
struct ReducedElement<Operation, void> {
    using type = void;
};
template <typename Operation, typename X>
using ReducedTo = typename ReducedElement<Operation, ElementOrVoid<X>>::type;
/// The result type of a reduction at run time. Throws `DtypeError` naming `what` for a type that is
/// not built-in.
template <typename Operation>
DType reduced_dtype(const char* what, DType dtype) {
    if (!dtype.is_builtin()) throw_dtype_unsupported(what, dtype);
    return Operation::built_in().result_of(dtype);
}

/// The result type of statistics that are computed in floats.
template <typename X>
using AveragedOf = ReducedTo<MeanOperation, X>;

template <typename X>
using KnownElementOf = ElementOrVoid<X>;

/// Calls `work(x)` with a tensor of a static type that `function` accepts: `x`, or for an
/// `AnyTensor` its typed form. Throws `DtypeError` naming `what` for a type that the function does
/// not accept.
template <typename F, TensorLike X, typename Work>
auto by_function(const char* what, const X& x, const F&, Work work) {
    if constexpr (TypedTensor<X>) {
        static_assert(std::invocable<const F&, const Tensor<typename X::value_type>&>,
                      "the function takes a tensor, and returns a number");
        return work(x);
    } else {
        return visit_dtype(x.dtype(), what, [&]<typename T>(std::type_identity<T>) -> AnyTensor {
            if constexpr (std::invocable<const F&, const Tensor<T>&>)
                return work(x.template as<T>());
            else
                throw_dtype_unsupported(what, kDType<T>);
        });
    }
}

/// The result of `reduce_over` over everything as a number, if the tensor has no dims.
template <typename X, typename Result>
auto number_of(const Result& result) {
    if constexpr (HasDims<X>)
        return result;
    else if constexpr (kDefersReductions<Result>)
        return ScalarResult<typename Result::value_type, Result>(result.operand());
    else if constexpr (TypedTensor<Result>)
        return number_in(Tensor<typename Result::value_type>(result.operand()));
    else
        return AnyScalar(result);
}

} // namespace purview
