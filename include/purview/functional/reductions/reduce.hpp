#pragma once

#include <purview/base/not_finite.hpp>
#include <purview/dimensions/axes.hpp>
#include <purview/dtype/promote.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparse_reduction.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/reduce.hpp>
#include <purview/functional/elementwise/operation_functions.hpp>
#include <purview/functional/reductions/nan_policy.hpp>
#include <purview/functional/reductions/reduced_view.hpp>
#include <purview/functional/reductions/time_counts.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/any_scalar.hpp>
#include <purview/tensor/create.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace purview {

/// Option: reduced axes stay, with size 1: `sum(x, {1}, keep_dims)`.
struct KeepDims {};
inline constexpr KeepDims keep_dims;

template <typename A>
concept AxisOrOption = AxisLike<A> || std::same_as<A, KeepDims> || NanPolicy<A>;

/// The reductions: their name, types, and how they are folded.
struct SumFold {
    static constexpr const char* kName = "sum";
    static constexpr Reduction kReduction = Reduction::sum;
    static constexpr bool kNeedsElements = false;
    template <typename T>
    using Result = Accumulated<T>;
    template <typename T>
    auto operator()(const T& a, const T& b) const -> decltype(a + b) {
        return a + b;
    }
};
struct ProductFold {
    static constexpr const char* kName = "product";
    static constexpr Reduction kReduction = Reduction::product;
    static constexpr bool kNeedsElements = false;
    template <typename T>
    using Result = Accumulated<T>;
    template <typename T>
    auto operator()(const T& a, const T& b) const -> decltype(a * b) {
        return a * b;
    }
};
struct MinFold {
    static constexpr const char* kName = "min";
    static constexpr Reduction kReduction = Reduction::minimum;
    static constexpr bool kNeedsElements = true;
    template <typename T>
    using Result = T;
    template <std::totally_ordered T>
    T operator()(const T& a, const T& b) const {
        return b < a ? b : a;
    }
};
struct MaxFold {
    static constexpr const char* kName = "max";
    static constexpr Reduction kReduction = Reduction::maximum;
    static constexpr bool kNeedsElements = true;
    template <typename T>
    using Result = T;
    template <std::totally_ordered T>
    T operator()(const T& a, const T& b) const {
        return a < b ? b : a;
    }
};
struct AnyFold {
    static constexpr const char* kName = "any_of";
    static constexpr Reduction kReduction = Reduction::any_of;
    static constexpr bool kNeedsElements = false;
    template <typename T>
    using Result = bool;
};
struct AllFold {
    static constexpr const char* kName = "all_of";
    static constexpr Reduction kReduction = Reduction::all_of;
    static constexpr bool kNeedsElements = false;
    template <typename T>
    using Result = bool;
};

/// A reduction of a view to memory or a number, for static and run-time types.
template <typename Fold>
struct FoldOperation {
    static constexpr const char* kName = Fold::kName;
    template <typename T>
    using Result = typename Fold::template Result<T>;
    template <typename T>
    static constexpr bool kIsDefinedFor =
        BuiltinType<T> || std::invocable<const Fold&, const T&, const T&>;

    template <typename T>
    static void run(ReducedView view, Result<T>* out) {
        if constexpr (Fold::kNeedsElements) require_elements(kName, view);
        if constexpr (BuiltinType<T>) {
            view.operand = cast_operand(std::move(view.operand), kDType<Result<T>>, Op::cast);
            reduce(Fold::kReduction, view.operand, view.groups, out);
        } else {
            fold_groups(view, out, Fold{});
        }
    }
    /// The same for a non-empty sparse view.
    template <typename T>
    static SparseBufferPtr<Result<T>> run_sparse(ReducedView view) {
        if constexpr (Fold::kNeedsElements) require_elements(kName, view);
        if constexpr (BuiltinType<T>) {
            view.operand = cast_operand(std::move(view.operand), kDType<Result<T>>, Op::cast);
            return std::static_pointer_cast<SparseBuffer<Result<T>>>(
                reduce_sparse(Fold::kReduction, view.operand, view.groups));
        } else {
            return fold_sparse_groups<T>(view, Fold{});
        }
    }
    /// The reduction as a node, for symbols.
    template <typename T>
    static Operand node(ReducedView view) {
        static_assert(BuiltinType<T>,
                      "reductions inside a computation are of built-in element types");
        if constexpr (Fold::kNeedsElements) require_elements(kName, view);
        return reduce_operand(Fold::kReduction,
                              cast_operand(std::move(view.operand), kDType<Result<T>>, Op::cast),
                              view.groups, view.shape);
    }
    static AnyTensor run_any(const ReducedView& view) { return any_reduce(Fold::kReduction, view); }
};

struct MeanOperation {
    static constexpr const char* kName = "mean";
    template <typename T>
    using Result = Averaged<T>;
    template <typename T>
    static constexpr bool kIsDefinedFor = BuiltinType<T> || CountedTime<T> ||
                                          requires(T sum, const T& x, index_t n) {
        sum = x + x;
        sum /= static_cast<T>(n);
    };

    template <typename T>
    static void run(const ReducedView& view, Result<T>* out) {
        if constexpr (CountedTime<T>)
            mean_of_times<T>(kName, view, out);
        else
            divide_sums<T>(view, out);
    }
    template <typename T>
    static void divide_sums(ReducedView view, Result<T>* out) {
        const index_t total = view.operand.dims.size();
        const index_t groups = view.groups;
        view.operand = cast_operand(std::move(view.operand), kDType<Result<T>>, Op::cast);
        FoldOperation<SumFold>::run<Result<T>>(std::move(view), out);
        if (groups == 0) return;
        if (total == 0) {
            for (index_t g = 0; g < groups; ++g) out[g] = kNotANumber<Result<T>>;
            return;
        }
        const auto count = static_cast<Result<T>>(total / groups);
        if (std::has_single_bit(static_cast<std::uint64_t>(total / groups))) { // exact
            const Result<T> part = 1 / count;
            for (index_t i = 0; i < groups; ++i) out[i] *= part;
        } else {
            for (index_t i = 0; i < groups; ++i) out[i] /= count;
        }
    }
    template <typename T>
        requires(!CountedTime<T>)
    static SparseBufferPtr<Result<T>> run_sparse(ReducedView view) {
        using R = Result<T>;
        const index_t groups = view.groups;
        const auto count = static_cast<R>(view.operand.dims.size() / groups);
        view.operand = cast_operand(std::move(view.operand), kDType<R>, Op::cast);
        const Operand sums{make_node<Leaf>(FoldOperation<SumFold>::run_sparse<R>(std::move(view))),
                           Dimensions::row_major(ShapeSpan(&groups, 1))};
        return realise_sparse<R>(
            binary_operand(Op::divide, sums, constant_operand<R>(count), kDType<R>, kDType<R>),
            kName);
    }
    template <typename T>
    static Operand node(ReducedView view) {
        using R = Result<T>;
        const index_t total = view.operand.dims.size();
        const auto count = static_cast<R>(view.groups == 0 ? 0 : total / view.groups);
        view.operand = cast_operand(std::move(view.operand), kDType<R>, Op::cast);
        Operand folded = FoldOperation<SumFold>::node<R>(std::move(view));
        return binary_operand(Op::divide, std::move(folded), constant_operand<R>(count), kDType<R>,
                              kDType<R>);
    }
    static AnyTensor run_any(const ReducedView& view) { return any_mean(view); }
};

/// The element type of a tensor; `void` where it is known only at run time.
template <typename X>
struct ElementOrVoidOf {
    using type = void;
};
template <TypedTensor X>
struct ElementOrVoidOf<X> {
    using type = typename X::value_type;
};
template <typename X>
using ElementOrVoid = typename ElementOrVoidOf<X>::type;

/// A function object for a reduction: over everything a number (for an `AnyTensor`, a tensor of
/// rank 0), over axes a tensor in memory; for symbols, symbols; without a tensor, a stage.
template <typename Operation>
struct ReduceFunction : PipelineStage {
    using Braces = AxisValues;
    static constexpr bool kTakesOneTensor = true;
    template <typename T>
    static constexpr bool kIsDefinedFor = kReduces<Operation, T>;

    template <TypedTensor X>
        requires(!AxisLike<X>)
    auto operator()(const X& x) const {
        using T = typename X::value_type;
        using R = typename Operation::template Result<T>;
        if constexpr (!kReduces<Operation, T>) {
            static_assert(kRefused<X>, "this element type does not have this reduction");
            return x;
        } else if constexpr (HasDims<X>) {
            return over_dims(x, nullptr, false);
        } else if constexpr (kDefersReductions<X>) {
            static_assert(!kRefusesNan<Operation>, "throw_nan is not defined for symbols");
            return ScalarResult<R, X>(Operation::template node<T>(reduced_view(x.operand())));
        } else {
            refuse(x);
            R result{};
            Operation::template run<T>(reduced_view(x.operand()), &result);
            return result;
        }
    }
    AnyScalar operator()(const AnyTensor& x) const {
        refuse(x);
        return Operation::run_any(reduced_view(x.operand()));
    }

    template <TensorLike X>
        requires(!AxisLike<X>)
    auto operator()(const X& x, const Axes& axes) const { return over_axes(x, axes, false); }
    template <TensorLike X>
        requires(!AxisLike<X>)
    auto operator()(const X& x, const Axes& axes, KeepDims) const {
        return over_axes(x, axes, true);
    }
    template <TensorLike X, AxisLike First, AxisOrOption... Rest>
        requires(!AxisLike<X>)
    auto operator()(const X& x, const First& first, const Rest&... rest) const {
        return With<Rest...>::over_axes(x, axes_of(first, rest...),
                                        (std::same_as<Rest, KeepDims> || ...));
    }
    template <TensorLike X, NanPolicy P>
        requires(!AxisLike<X>)
    auto operator()(const X& x, P) const { return With<P>{}(x); }
    template <TensorLike X, NanPolicy P>
        requires(!AxisLike<X>)
    auto operator()(const X& x, const Axes& axes, P) const {
        return With<P>::over_axes(x, axes, false);
    }
    template <TensorLike X, NanPolicy P>
        requires(!AxisLike<X>)
    auto operator()(const X& x, const Axes& axes, KeepDims, P) const {
        return With<P>::over_axes(x, axes, true);
    }

    auto operator()(const Axes& axes) const { return stage(axes, false); }
    auto operator()(const Axes& axes, KeepDims) const { return stage(axes, true); }
    template <AxisLike First, AxisOrOption... Rest>
    auto operator()(const First& first, const Rest&... rest) const {
        return With<Rest...>::stage(axes_of(first, rest...), (std::same_as<Rest, KeepDims> || ...));
    }
    template <NanPolicy P>
    auto operator()(P) const {
        return With<P>{}; // the reduction itself, with its policy, for windows and groups
    }
    template <NanPolicy P>
    auto operator()(const Axes& axes, P) const {
        return With<P>::stage(axes, false);
    }
    template <NanPolicy P>
    auto operator()(const Axes& axes, KeepDims, P) const {
        return With<P>::stage(axes, true);
    }

private:
    template <typename Other>
    friend struct ReduceFunction;

    /// The reduction with the policy that the options select.
    template <typename... Options>
    using With = std::conditional_t<
        (std::same_as<Options, SkipNan> || ...), ReduceFunction<SkippingNan<Operation>>,
        std::conditional_t<(std::same_as<Options, ThrowNan> || ...),
                           ReduceFunction<RefusingNan<Operation>>, ReduceFunction>>;

    template <TensorLike X>
    static void refuse(const X& x) {
        if constexpr (kRefusesNan<Operation>) require_no_nan(Operation::kName, x);
    }

    template <AxisOrOption... A>
    static Axes axes_of(const A&... given) {
        Axes axes;
        const auto add = [&]<typename One>(const One& axis) {
            if constexpr (AxisLike<One>) axes.add(axis);
        };
        (add(given), ...);
        return axes;
    }

    static auto stage(const Axes& axes, bool keep) {
        return Stage([axes, keep]<TensorLike X>(const X& x) {
            if constexpr (kReduces<Operation, ElementOrVoid<X>>) {
                return over_axes(x, axes, keep);
            } else {
                static_assert(kRefused<X>, "this element type does not have this reduction");
                return x;
            }
        });
    }

    template <TensorLike X>
    static auto over_axes(const X& x, const Axes& axes, bool keep) {
        if constexpr (!kReduces<Operation, ElementOrVoid<X>>) {
            static_assert(kRefused<X>, "this element type does not have this reduction");
            return x;
        } else if constexpr (HasDims<X>) {
            return over_dims(x, &axes, keep);
        } else {
            if constexpr (kDefersReductions<X>)
                static_assert(!kRefusesNan<Operation>, "throw_nan is not defined for symbols");
            else
                refuse(x);
            const Shape positional = axes.positional(Operation::kName);
            ReducedView view =
                reduced_view_for<Operation, ElementOrVoid<X>>(x.operand(), positional, keep);
            if constexpr (TypedTensor<X>) {
                using T = typename X::value_type;
                using R = typename Operation::template Result<T>;
                if constexpr (kDefersReductions<X>)
                    return ResultHandle<R, X, Tensor<R>>(
                        Operation::template node<T>(std::move(view)));
                else
                    return realised_reduction<Operation, T>(std::move(view));
            } else {
                return Operation::run_any(view);
            }
        }
    }

    /// Over the given dims and axes, or all positional axes, for each combination of other dims.
    template <HasDims X>
    static auto over_dims(const X& x, const Axes* axes, bool keep) {
        using T = typename X::value_type;
        using R = typename Operation::template Result<T>;
        refuse(x);
        auto reduction = dims_to_reduce(Operation::kName, x, axes, keep);
        ReducedView view = reduced_view_for<Operation, T>(reduction.operand, reduction.axes, keep);
        return ResultHandle<R, X>(std::move(reduction).result(
            realised_reduction<Operation, T>(std::move(view)).operand()));
    }
};

/// The sum. Integers accumulate in, and return, 64 bits (wrapping); bools are counted. Empty: 0.
/// Floats: pairwise on fixed lanes, the same on every machine. Matrix products may use BLAS.
inline constexpr AcceptingArrays<ReduceFunction<FoldOperation<SumFold>>> sum;
/// The product. Integers accumulate in, and return, 64 bits (wrapping). Empty: 1.
inline constexpr AcceptingArrays<ReduceFunction<FoldOperation<ProductFold>>> product;
/// The mean; float64 for integers and bool. Empty: NaN. Of times counted in integers: a time,
/// exact, the nearest tick, of two the earlier; throws `ShapeError` if empty.
inline constexpr AcceptingArrays<ReduceFunction<MeanOperation>> mean;
/// The minimum; NaN if any element is. Throws `ShapeError` for an empty tensor.
inline constexpr AcceptingArrays<ReduceFunction<FoldOperation<MinFold>>> min;
/// The maximum; NaN if any element is. Throws `ShapeError` for an empty tensor.
inline constexpr AcceptingArrays<ReduceFunction<FoldOperation<MaxFold>>> max;
/// Whether any element is true (non-zero). Empty: false.
inline constexpr AcceptingArrays<ReduceFunction<FoldOperation<AnyFold>>> any_of;
/// Whether all elements are true (non-zero). Empty: true.
inline constexpr AcceptingArrays<ReduceFunction<FoldOperation<AllFold>>> all_of;

} // namespace purview
