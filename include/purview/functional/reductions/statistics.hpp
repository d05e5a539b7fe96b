#pragma once

#include <purview/dtype/time_element.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sparse_reduction.hpp>
#include <purview/evaluation/statistics.hpp>
#include <purview/functional/reductions/reduce.hpp>

#include <concepts>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// The sums of squared differences from the means as a node, for symbols.
PURVIEW_EXPORT Operand squared_deviations_operand(const ReducedView& view);

/// The index, in each group of a view, of the extreme element by `<`, for types that are not
/// built-in: the first such element, or with `last` the last. A NaT wins, as NaN does. O(size).
template <std::totally_ordered T>
void extreme_by_order(Extreme extreme, bool takes_last, const ReducedView& view,
                      std::int64_t* out) {
    const auto is_unordered = [](const T& x) { return is_nat_value(x); };
    const auto is_better = [&](const T& x, const T& best) {
        if (is_unordered(best)) return takes_last && is_unordered(x);
        if (is_unordered(x)) return true;
        const T& less = extreme == Extreme::least ? x : best;
        const T& more = extreme == Extreme::least ? best : x;
        return takes_last ? !(more < less) : less < more;
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
    static constexpr bool kOfSymbols = true;
    template <typename T>
    using Result = std::int64_t;
    static const BuiltInReduction& built_in() { return count_reduction(); }
};

template <Extreme extreme, bool last = false>
struct ArgOperation {
    static constexpr const char* kName = extreme == Extreme::least
                                             ? (last ? "argmin_last" : "argmin")
                                             : (last ? "argmax_last" : "argmax");
    template <typename T>
    using Result = std::int64_t;
    static const BuiltInReduction& built_in() { return arg_reduction(extreme, last); }

    template <std::totally_ordered T>
    static void run(const ReducedView& view, std::int64_t* out) {
        require_elements(kName, view);
        extreme_by_order<T>(extreme, last, view, out);
    }
};

template <bool of_sample, bool root>
struct VarianceOperation {
    static constexpr const char* kName =
        of_sample ? (root ? "sample_standard_deviation" : "sample_variance")
                  : (root ? "standard_deviation" : "variance");
    static constexpr bool kOfSymbols = true;
    template <typename T>
    using Result = Averaged<T>;
    static const BuiltInReduction& built_in() { return variance_reduction(of_sample, root); }
};

/// The number of true (non-zero) elements, as int64. 0 for an empty tensor.
inline constexpr ReduceFunction<CountOperation> count_true;

/// The index of the smallest element, the first of equal ones: over everything the row-major index,
/// over axes a tensor of indexes along them (row-major ones for several axes). A NaN or NaT wins,
/// the first of several. Also for strings, times and every type with `<`. Throws `ShapeError` for an
/// empty tensor.
inline constexpr ReduceFunction<ArgOperation<Extreme::least>> argmin;
/// The index of the greatest element; otherwise as `argmin`.
inline constexpr ReduceFunction<ArgOperation<Extreme::greatest>> argmax;

/// The index of the last of several smallest elements, or of the last NaN; otherwise as `argmin`.
inline constexpr ReduceFunction<ArgOperation<Extreme::least, true>> argmin_last;
/// The index of the last of several greatest elements, or of the last NaN; otherwise as `argmax`.
inline constexpr ReduceFunction<ArgOperation<Extreme::greatest, true>> argmax_last;

/// The mean of the squared differences from the mean; float64 for integers and bool. NaN for an
/// empty tensor. As accurate as computing the mean first, and reads memory once if the reduced
/// elements are contiguous.
inline constexpr ReduceFunction<VarianceOperation<false, false>> variance;
/// The variance of a sample: divided by the number of elements minus one. NaN for one element.
inline constexpr ReduceFunction<VarianceOperation<true, false>> sample_variance;
/// The square root of `variance`.
inline constexpr ReduceFunction<VarianceOperation<false, true>> standard_deviation;
/// The square root of `sample_variance`.
inline constexpr ReduceFunction<VarianceOperation<true, true>> sample_standard_deviation;

} // namespace purview
