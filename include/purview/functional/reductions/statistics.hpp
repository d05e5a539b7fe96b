#pragma once

#include <purview/base/not_finite.hpp>
#include <purview/base/refused.hpp>
#include <purview/dtype/time_element.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sparse_reduction.hpp>
#include <purview/evaluation/statistics.hpp>
#include <purview/expression/reduce.hpp>
#include <purview/functional/elementwise/operation_functions.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/tensor/accepting_arrays.hpp>

#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview {

/// The reductions of a tensor whose type is known at run time, in the result's type.
PURVIEW_EXPORT AnyTensor any_count(const ReducedView& view);
PURVIEW_EXPORT AnyTensor any_arg_extreme(Extreme extreme, const ReducedView& view);
/// As `arg_extreme`, but the last extreme element.
PURVIEW_EXPORT void last_arg_extreme(Extreme extreme, const ReducedView& view, std::int64_t* out);
PURVIEW_EXPORT SparseBufferPtr<std::int64_t> last_arg_extreme_sparse(Extreme extreme,
                                                                     const ReducedView& view);
PURVIEW_EXPORT AnyTensor any_last_arg_extreme(Extreme extreme, const ReducedView& view);
PURVIEW_EXPORT AnyTensor any_variance(const ReducedView& view, index_t correction, bool root);

/// Divides sums of squares by the number of elements minus `correction`; with `root`, takes the
/// square root.
template <std::floating_point R>
void divide_deviations(const ReducedView& view, index_t correction, bool root, R* out) {
    if (view.groups == 0) return;
    const index_t count = view.operand.dims.size() / view.groups;
    const R divisor = static_cast<R>(count - correction);
    for (index_t i = 0; i < view.groups; ++i) {
        out[i] = count > correction ? out[i] / divisor : kNotANumber<R>;
        if (root) out[i] = function_of(Op::square_root, out[i]);
    }
}

/// The sums of squared differences from the means as a node, for symbols.
PURVIEW_EXPORT Operand squared_deviations_operand(const ReducedView& view);

/// The index, in each group of a view, of the extreme element by `<`, for types that are not
/// built-in: the first such element, or with `last` the last. If the count of times can be NaN, a
/// NaN wins. O(size).
template <std::totally_ordered T>
void extreme_by_order(Extreme extreme, bool last, const ReducedView& view, std::int64_t* out) {
    const auto is_unordered = [](const T& x) { return TimeElement<T> && !(x == x); };
    const auto is_better = [&](const T& x, const T& best) {
        if (is_unordered(best)) return last && is_unordered(x);
        if (is_unordered(x)) return true;
        const T& less = extreme == Extreme::least ? x : best;
        const T& more = extreme == Extreme::least ? best : x;
        return last ? !(more < less) : less < more;
    };
    const Evaluation evaluation(view.operand, Reads::within_one_operation);
    const index_t group = view.groups > 0 ? evaluation.size() / view.groups : 0;
    std::vector<T> block(static_cast<std::size_t>(group < 256 ? group : 256));
    for (index_t g = 0; g < view.groups; ++g) {
        T best{};
        for (index_t done = 0; done < group; done += std::ssize(block)) {
            const index_t count =
                group - done < std::ssize(block) ? group - done : std::ssize(block);
            evaluation.read(g * group + done, count, block.data());
            for (index_t i = 0; i < count; ++i) {
                T& x = block[static_cast<std::size_t>(i)];
                if (done + i > 0 && !is_better(x, best)) continue;
                best = std::move(x);
                out[g] = done + i;
            }
        }
    }
}

struct CountOperation {
    static constexpr const char* kName = "count_true";
    template <typename T>
    using Result = std::int64_t;

    template <BuiltinType T>
    static void run(ReducedView view, std::int64_t* out) {
        view.operand = cast_operand(std::move(view.operand), boolean, Op::cast);
        count_true_elements(view.operand, view.groups, out);
    }
    template <BuiltinType T>
    static SparseBufferPtr<std::int64_t> run_sparse(ReducedView view) {
        view.operand = cast_operand(std::move(view.operand), boolean, Op::cast);
        return count_true_sparse(view.operand, view.groups);
    }
    /// For symbols: a sum of bools.
    template <BuiltinType T>
    static Operand node(ReducedView view) {
        Operand bools = cast_operand(std::move(view.operand), boolean, Op::cast);
        return reduce_operand(Reduction::sum, cast_operand(std::move(bools), int64, Op::cast),
                              view.groups, view.shape);
    }
    static AnyTensor run_any(const ReducedView& view) { return any_count(view); }
};

template <Extreme extreme>
struct ArgOperation {
    static constexpr const char* kName = extreme == Extreme::least ? "argmin" : "argmax";
    static constexpr bool kInNamedOrder = true;
    template <typename T>
    using Result = std::int64_t;
    template <typename T>
    static constexpr bool kIsDefinedFor = BuiltinType<T> || std::totally_ordered<T>;

    template <typename T>
    static void run(const ReducedView& view, std::int64_t* out) {
        require_elements(kName, view);
        if constexpr (BuiltinType<T>)
            arg_extreme(extreme, view.operand, view.groups, out);
        else
            extreme_by_order<T>(extreme, false, view, out);
    }
    template <BuiltinType T>
    static SparseBufferPtr<std::int64_t> run_sparse(const ReducedView& view) {
        require_elements(kName, view);
        return arg_extreme_sparse(extreme, view.operand, view.groups);
    }
    template <typename T>
    static Operand node(const ReducedView&) {
        static_assert(!BuiltinType<T>, "argmin and argmax are not defined for symbols");
        return {};
    }
    static AnyTensor run_any(const ReducedView& view) { return any_arg_extreme(extreme, view); }
};

/// The index of the last extreme element, found from the end.
template <Extreme extreme>
struct LastArgOperation : ArgOperation<extreme> {
    static constexpr const char* kName = extreme == Extreme::least ? "argmin_last" : "argmax_last";

    template <typename T>
    static void run(const ReducedView& view, std::int64_t* out) {
        require_elements(kName, view);
        if constexpr (BuiltinType<T>)
            last_arg_extreme(extreme, view, out);
        else
            extreme_by_order<T>(extreme, true, view, out);
    }
    template <BuiltinType T>
    static SparseBufferPtr<std::int64_t> run_sparse(const ReducedView& view) {
        require_elements(kName, view);
        return last_arg_extreme_sparse(extreme, view);
    }
    static AnyTensor run_any(const ReducedView& view) {
        return any_last_arg_extreme(extreme, view);
    }
};

template <index_t correction, bool root>
struct VarianceOperation {
    static constexpr const char* kName = root ? "standard_deviation" : "variance";
    template <typename T>
    using Result = Averaged<T>;

    template <typename T>
        requires(CountedTime<T>)
    static void run(const ReducedView&, Result<T>*) {
        static_assert(kRefused<T>, "the variance and standard deviation of times have no unit that "
                                   "is a time: take those of epoch<Unit>(t)");
    }
    template <BuiltinType T>
    static void run(ReducedView view, Result<T>* out) {
        view.operand = cast_operand(std::move(view.operand), kDType<Result<T>>, Op::cast);
        squared_deviations(view.operand, view.groups, out);
        divide_deviations(view, correction, root, out);
    }
    template <BuiltinType T>
    static SparseBufferPtr<Result<T>> run_sparse(ReducedView view) {
        using R = Result<T>;
        view.operand = cast_operand(std::move(view.operand), kDType<R>, Op::cast);
        const auto squares = std::static_pointer_cast<SparseBuffer<R>>(
            squared_deviations_sparse(view.operand, view.groups));
        const index_t count = view.operand.dims.size() / view.groups;
        const R divisor = count > correction ? static_cast<R>(count - correction) : kNotANumber<R>;
        Operand result = binary_operand(
            Op::divide,
            Operand{make_node<Leaf>(squares), Dimensions::row_major(ShapeSpan(&view.groups, 1))},
            constant_operand<R>(divisor), kDType<R>, kDType<R>);
        if (root) result = unary_operand(Op::square_root, std::move(result), kDType<R>);
        return realise_sparse<R>(result, kName);
    }
    /// For symbols: first the mean, then the squared differences from it.
    template <BuiltinType T>
    static Operand node(ReducedView view) {
        constexpr DType kType = kDType<Result<T>>;
        view.operand = cast_operand(std::move(view.operand), kType, Op::cast);
        Operand squares = squared_deviations_operand(view);
        const index_t n = view.groups == 0 ? 0 : view.operand.dims.size() / view.groups;
        const auto divisor = static_cast<Result<T>>(n > correction ? n - correction : 0);
        Operand result = binary_operand(Op::divide, std::move(squares),
                                        constant_operand<Result<T>>(divisor), kType, kType);
        return root ? unary_operand(Op::square_root, std::move(result), kType) : result;
    }
    static AnyTensor run_any(const ReducedView& view) {
        return any_variance(view, correction, root);
    }
};

/// The number of true (non-zero) elements, as int64. 0 for an empty tensor.
inline constexpr AcceptingArrays<ReduceFunction<CountOperation>> count_true;

/// The index of the smallest element, the first of equal ones: over everything the row-major index,
/// over axes a tensor of indexes along them (row-major ones for several axes). A NaN wins, the
/// first of several. Also for strings, times and every type with `<`. Throws `ShapeError` for an
/// empty tensor.
inline constexpr AcceptingArrays<ReduceFunction<ArgOperation<Extreme::least>>> argmin;
/// The index of the greatest element; otherwise as `argmin`.
inline constexpr AcceptingArrays<ReduceFunction<ArgOperation<Extreme::greatest>>> argmax;

/// The index of the last of several smallest elements, or of the last NaN; otherwise as `argmin`.
inline constexpr AcceptingArrays<ReduceFunction<LastArgOperation<Extreme::least>>> argmin_last;
/// The same for the greatest element.
inline constexpr AcceptingArrays<ReduceFunction<LastArgOperation<Extreme::greatest>>> argmax_last;

/// The mean of the squared differences from the mean; float64 for integers and bool. NaN for an
/// empty tensor. As accurate as computing the mean first, and reads memory once if the reduced
/// elements are contiguous.
inline constexpr AcceptingArrays<ReduceFunction<VarianceOperation<0, false>>> variance;
/// The variance of a sample: divided by the number of elements minus one. NaN for one element.
inline constexpr AcceptingArrays<ReduceFunction<VarianceOperation<1, false>>> sample_variance;
/// The square root of `variance`.
inline constexpr AcceptingArrays<ReduceFunction<VarianceOperation<0, true>>> standard_deviation;
/// The square root of `sample_variance`.
inline constexpr AcceptingArrays<ReduceFunction<VarianceOperation<1, true>>>
    sample_standard_deviation;

} // namespace purview
