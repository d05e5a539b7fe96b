#pragma once

#include <purview/dimensions/transpose.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/result_handle.hpp>
#include <purview/tensor/slices.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace purview {

/// An option that may follow the axes.
template <typename A>
concept ReduceOption = std::same_as<A, KeepDims> || NanPolicy<A>;

/// The arguments after the tensor of a reduction: axes and dims, `keep_dims`, and the NaN policy,
/// in that order.
struct ChosenAxes {
    Axes axes;
    bool given = false; ///< whether axes were given; else the reduction is over everything
    bool keep = false;
    NanRule nan = NanRule::keep;

    ChosenAxes() = default;
    template <AxisOrOption... A>
    static ChosenAxes of(const A&... options) {
        ChosenAxes chosen;
        (chosen.add(options), ...);
        return chosen;
    }
    template <ReduceOption... A>
    static ChosenAxes of(const Axes& axes, const A&... options) {
        ChosenAxes chosen;
        chosen.axes = axes;
        chosen.given = true;
        (chosen.add(options), ...);
        return chosen;
    }
    static ChosenAxes of(const ChosenAxes& chosen) { return chosen; }

private:
    template <typename A>
    void add(const A& option) {
        if constexpr (std::same_as<A, KeepDims>) {
            keep = true;
        } else if constexpr (NanPolicy<A>) {
            nan = kNanRule<A>;
        } else {
            axes.add(option);
            given = true;
        }
    }
};

/// A tensor of `T`, or an `AnyTensor` if `T` is `void`.
template <typename T>
auto as_tensor(const Operand& operand) {
    if constexpr (std::is_void_v<T>)
        return AnyTensor(operand);
    else
        return Tensor<T>(operand);
}

/// A reduction implemented at run time: `work(view)` returns memory of `R`, of the shape of the
/// view; with `leads`, with one more axis at the end, which then is moved before the positional
/// axes. Returns a tensor, of rank 0 over everything.
template <typename R, TensorLike X, typename Work>
auto reduce_over(const char* what, const X& x, const ChosenAxes& chosen, bool leads, Work work) {
    static_assert(!kDefersReductions<X>, "this reduction is not defined for symbols");
    if (chosen.nan == NanRule::refuse) require_no_nan(what, x);
    const auto arranged = [&](const ReducedView& view, index_t dims) {
        Operand made = chosen.nan == NanRule::skip ? reduce_non_nan(what, view, work) : work(view);
        if (leads) made.dims = dimensions::move_axis(made.dims, -1, dims);
        return made;
    };
    if constexpr (HasDims<X>) {
        auto reduction =
            dims_to_reduce(what, x, chosen.given ? &chosen.axes : nullptr, chosen.keep);
        const ReducedView view = reduced_view(what, reduction.operand, reduction.axes, chosen.keep);
        const auto dims = static_cast<index_t>(reduction.left.size());
        return ResultHandle<R, X>(std::move(reduction).result(arranged(view, dims)));
    } else {
        const ReducedView view =
            chosen.given
                ? reduced_view(what, x.operand(), chosen.axes.positional(what), chosen.keep)
                : reduced_view(x.operand());
        return as_tensor<std::conditional_t<TypedTensor<X>, R, void>>(arranged(view, 0));
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
    bound.operand = results.operand();
    return ResultHandle<R, X>(std::move(bound));
}

/// The result type of a reduction of a tensor; `void` if it is known at run time.
template <typename Operation, typename X>
struct ReducedElement {
    using type = void;
};
template <typename Operation, TypedTensor X>
struct ReducedElement<Operation, X> {
    using type = typename Operation::template Result<typename X::value_type>;
};
template <typename Operation, typename X>
using ReducedTo = typename ReducedElement<Operation, X>::type;
/// The same at run time. Throws `DtypeError` naming `what`.
template <typename Operation>
DType reduced_dtype(const char* what, DType dtype) {
    return visit_dtype(dtype, what, []<typename T>(std::type_identity<T>) {
        return kDType<typename Operation::template Result<T>>;
    });
}

/// The result type of statistics that are computed in floats.
template <typename X>
using AveragedOf = ReducedTo<MeanOperation, X>;

template <typename X>
using KnownElementOf = ElementOrVoid<X>;

/// The operation of one of Purview's reductions; `void` for any other function.
template <typename Reducer>
struct ReducerOperation {
    using type = void;
};
template <typename Operation>
struct ReducerOperation<ReduceFunction<Operation>> {
    using type = Operation;
};
template <typename F>
struct ReducerOperation<AcceptingArrays<F>> : ReducerOperation<F> {};

/// What reduces windows or groups: one of Purview's reductions with a NaN policy, or another
/// function.
template <typename Reducer>
struct ReducerParts {
    using Given = typename ReducerOperation<Reducer>::type; ///< `void` for another function
    using Operation = typename PolicyOf<Given>::Plain;      ///< without the policy
    static constexpr NanRule kRule = PolicyOf<Given>::kRule;
    static constexpr bool kMean = std::same_as<Operation, MeanOperation>;
};

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
    else if constexpr (TypedTensor<X>)
        return result.item();
    else
        return AnyScalar(result);
}

/// Whether axes are among the arguments after a tensor; if not, the result is a number.
template <typename... A>
inline constexpr bool kNamesAxes = !(ReduceOption<A> && ...);

/// The arguments after a tensor that choose axes: none, axes, `keep_dims`, a NaN policy.
template <typename... A>
concept AxisArguments = requires(const A&... given) {
    ChosenAxes::of(given...);
};

} // namespace purview
