#pragma once

#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/plain_tensor.hpp>

#include <vector>

namespace purview {

/// Windows of a lane: window i has the elements [begin[i], end[i]).
struct WindowRanges {
    std::vector<index_t> begin;
    std::vector<index_t> end;
};

/// The reductions of windows of each lane, in the lane's type; O(elements) if neither begins nor
/// ends ever decrease, else O(elements of all windows). Throws `ShapeError` naming `what` for the
/// minimum or maximum of an empty window.
PURVIEW_EXPORT Operand folded_windows(const char* what, Reduction reduction, const AxisParts& parts,
                                      const WindowRanges& windows, DType dtype, bool averages,
                                      bool non_nan_only);

/// The elements of an integer operand `[k]`. Throws, naming `what`, `ShapeError` for another rank
/// and `DtypeError` for elements that are not integers.
PURVIEW_EXPORT std::vector<index_t> window_ends(const char* what, const Operand& ends);
/// Throws `ShapeError`, naming `what`, for different numbers of begins and ends.
PURVIEW_EXPORT void require_pairs(const char* what, const WindowRanges& windows);
/// Throws, naming `what`, `IndexError` unless 0 <= begin <= end <= length for each window, and for
/// a tensor of rank 0.
PURVIEW_EXPORT void require_within(const char* what, const WindowRanges& windows,
                                   const AxisParts& parts);

/// The results of a function of each window of each lane, which is given to it as a tensor
/// `[elements]` in memory.
template <typename R, typename T, typename Reducer>
Operand each_window(const AxisParts& parts, const WindowRanges& windows, const Reducer& reducer) {
    MutableTensor<R> result = empty<R>(windows_shape(parts, std::ssize(windows.begin)));
    if (result.empty()) return result.operand();
    const Evaluation evaluation(parts.operand, Reads::within_one_operation);
    R* out = as_span(result).data();
    for (index_t group = 0; group < parts.groups; ++group) {
        MutableTensor<T> lane = empty<T>({parts.length});
        if (parts.length > 0)
            evaluation.read(group * parts.length, parts.length, as_span(lane).data());
        const Tensor<T> whole = lane;
        for (std::size_t i = 0; i < windows.begin.size(); ++i)
            *out++ =
                static_cast<R>(reducer(Tensor<T>(whole(range(windows.begin[i], windows.end[i])))));
    }
    return result.operand();
}

/// A reduction, or a user's function, of each window of each lane. Calls `check(parts)` first.
template <TensorLike X, typename Reducer, typename Check>
auto reduced_windows(const char* what, const X& x, const WindowRanges& windows,
                     const Reducer& reducer, const ChosenAxis& axis, Check check) {
    using Given = typename ReducerOperation<Reducer>::type;
    using Operation = typename PolicyOf<Given>::Plain;
    constexpr NanRule kRule = PolicyOf<Given>::kRule;
    if constexpr (kRule == NanRule::refuse) require_no_nan(what, x);
    if constexpr (kOnEngine<X, Operation> && kRolls<Operation>) {
        constexpr bool kMean = std::same_as<Operation, MeanOperation>;
        return along_axis<ReducedTo<Operation, X>>(what, x, axis, [&](const AxisParts& parts) {
            check(parts);
            const DType result = reduced_dtype<Operation>(what, parts.operand.dtype());
            return folded_windows(what, kRolledBy<Operation>, parts, windows, result, kMean,
                                  kRule == NanRule::skip);
        });
    } else {
        return by_function(what, x, reducer, [&](const auto& typed) {
            using T = typename std::remove_cvref_t<decltype(typed)>::value_type;
            using R = LaneResult<Reducer, T>;
            return along_axis<R>(what, typed, axis, [&](const AxisParts& parts) {
                check(parts);
                return each_window<R, T>(parts, windows, reducer);
            });
        });
    }
}

struct RangeWindowsFunction {
    static constexpr const char* kName = "range_windows";

    template <TensorLike X, PlainOrOrdered B, PlainOrOrdered E, typename Reducer>
        requires(!kDefersReductions<X> && !array_like<Reducer>)
    auto operator()(const X& x, const B& begins, const E& ends, const Reducer& reducer) const {
        return along(x, ranges_of(begins, ends), reducer, {});
    }
    template <TensorLike X, PlainOrOrdered B, PlainOrOrdered E, typename Reducer,
              OneAxisLike A = AxisOrDim>
        requires(!kDefersReductions<X> && !array_like<Reducer>)
    auto operator()(const X& x, const B& begins, const E& ends, const Reducer& reducer,
                    const A& axis) const {
        return along(x, ranges_of(begins, ends), reducer, AxisOrDim(axis));
    }
    template <TensorLike X, typename Reducer>
    auto operator()(const X& x, const WindowRanges& windows, const Reducer& reducer) const {
        return along(x, windows, reducer, {});
    }
    template <TensorLike X, typename Reducer, OneAxisLike A = AxisOrDim>
    auto operator()(const X& x, const WindowRanges& windows, const Reducer& reducer,
                    const A& axis) const {
        return along(x, windows, reducer, AxisOrDim(axis));
    }
    template <PlainOrOrdered B, PlainOrOrdered E, typename Reducer>
        requires(!array_like<Reducer>)
    auto operator()(const B& begins, const E& ends, const Reducer& reducer) const {
        return make_stage(*this, ranges_of(begins, ends), reducer);
    }
    template <PlainOrOrdered B, PlainOrOrdered E, typename Reducer, OneAxisLike A = AxisOrDim>
        requires(!array_like<Reducer>)
    auto operator()(const B& begins, const E& ends, const Reducer& reducer, const A& axis) const {
        return make_stage(*this, ranges_of(begins, ends), reducer, axis);
    }

private:
    template <PlainOrOrdered B, PlainOrOrdered E>
    static WindowRanges ranges_of(const B& begins, const E& ends) {
        WindowRanges windows{window_ends(kName, plain_tensor(begins).operand()),
                             window_ends(kName, plain_tensor(ends).operand())};
        require_pairs(kName, windows);
        return windows;
    }
    template <TensorLike X, typename Reducer>
    static auto along(const X& x, const WindowRanges& windows, const Reducer& reducer,
                      const ChosenAxis& axis) {
        require_pairs(kName, windows);
        require_positional(kName, axis);
        return reduced_windows(kName, x, windows, reducer, axis, [&](const AxisParts& parts) {
            require_within(kName, windows, parts);
        });
    }
};

/// `range_windows(x, begins, ends, sum)`, `range_windows(x, begins, ends, f, axis)`, or, without
/// `x`, a stage: reduces the elements [begins[i], ends[i]) along an axis (by default the last) for
/// each i. The axis then has one element per window. Windows may overlap, leave elements out, and
/// be in any order. Begins and ends are integers `[k]`, or both are a `WindowRanges`.
///
/// An empty window has the sum 0, the product 1 and the mean NaN, and users' functions get an empty
/// tensor.
///
/// `sum`, `product`, `mean`, `min` and `max` of built-in types take O(size) if neither begins nor
/// ends ever decrease, else O(elements of all windows), as do other reductions and functions, which
/// get each window as a tensor. Eager. Throws `IndexError` for a window that leaves the axis, or
/// ends before it begins; `ShapeError` for different numbers of begins and ends, and for the `min`
/// or `max` of an empty window; `DtypeError` for begins or ends that are not integers; and
/// `DimError` for a Dim, whose size cannot change.
inline constexpr AcceptingArrays<RangeWindowsFunction> range_windows;

} // namespace purview
