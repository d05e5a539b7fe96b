#pragma once

#include <purview/evaluation/destination.hpp>
#include <purview/functional/along/scans.hpp>
#include <purview/functional/assembly/pad.hpp>
#include <purview/tensor/as_span.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

namespace purview::inline v0_1 {

/// The position of a window relative to its element. pandas's `rolling` is `trailing` unless its
/// `center` is true.
enum class WindowPosition : std::uint8_t {
    left,            ///< the window ends at the element
    centre,          ///< around it; of an even number of elements, one more is before it than after
                     ///< it
    right,           ///< the window begins at the element
    trailing = left, ///< the element is the last of its window, at its right edge
    leading = right, ///< the element is the first of its window: the window looks ahead
    center = centre
};

struct RollingOptions {
    WindowPosition position = WindowPosition::centre;
    /// What is read beyond the ends: the first or last element repeated, or as in `pad`'s other
    /// modes.
    PadMode edge = PadMode::edge;
    /// Only the windows of the elements 0, step, 2 step, … are computed.
    index_t step = 1;
    /// What windows give that reach beyond the ends, whatever is read there: NaN, as pandas has it,
    /// or another number. `CastError` where the type of the results does not hold it.
    std::optional<double> incomplete = std::nullopt;
};

/// The number type that a reducer returns for a lane of T.
template <typename Reducer, typename T>
using LaneResult = Scalar<std::invoke_result_t<const Reducer&, const Tensor<T>&>>;

/// Lanes with `before` and `behind` more elements at their ends. Throws, naming `what`, as `pad`
/// does, and `DtypeError` for padding elements of a type that is not built-in with zeros.
PURVIEW_EXPORT PaddedLanes padded_lanes(const char* what, const AxisParts& parts, index_t before,
                                        index_t behind, PadMode edge);

PURVIEW_EXPORT index_t elements_before(WindowPosition position, index_t width) noexcept;

/// How many of `length` windows a step keeps. Throws `ShapeError` naming `what` for a step below 1,
/// and `DimError` for a larger one along a Dim, whose size cannot change.
PURVIEW_EXPORT index_t stepped_count(const char* what, index_t length, index_t step,
                                     const ChosenAxis& axis);

/// A reduction, or a function of a tensor of rank 1, which returns a number.
template <typename F>
concept lane_reducer = !AxisLike<F> && !array_like<F>;
template <typename F, typename T>
inline constexpr bool kReducesLanes = std::invocable<const F&, const Tensor<T>&>;
template <typename F>
inline constexpr bool kReducesLanes<F, void> = true;
template <typename T, typename R, NanRule rule, typename F, typename X>
    requires(!std::is_void_v<X>)
inline constexpr bool kReducesLanes<OwnReducer<T, R, rule, F>, X> = kOwnTakes<T, X>;
/// A reducer that takes the elements of an array.
template <typename F, typename X>
concept lane_reducer_of = lane_reducer<F> && lanes<X> && kReducesLanes<F, ElementOrVoid<X>>;

/// Windows of a lane: window i has the elements [begin[i], end[i]).
struct WindowRanges {
    std::vector<index_t> begin;
    std::vector<index_t> end;
};
/// The windows at both ends that reach beyond them, and what they give.
struct IncompleteWindows {
    index_t leading = 0;
    index_t trailing = 0;
    double result = 0;
};
/// Replaces the results of incomplete windows along the last axis of memory that is a list. Throws
/// `CastError`.
PURVIEW_EXPORT Operand with_incomplete(Operand results, const IncompleteWindows& windows);

/// Windows that are the same in each of some lanes, which follow each other in `lanes`.
struct LaneWindows {
    Operand lanes;
    index_t groups;      ///< the number of lanes
    index_t length;      ///< the number of elements of each lane
    Shape shape;         ///< of the results, in the order of the lanes
    WindowRanges ranges; ///< empty where they are in equal steps
    WindowEnds regular = {};
    IncompleteWindows incomplete = {};
    const WindowRanges* of_all = nullptr; ///< where these are some of them; else null

    WindowEnds ends() const {
        return regular.count > 0 ? regular
                                 : WindowEnds{std::ssize(ranges.begin), ranges.begin, ranges.end};
    }
    PURVIEW_EXPORT WindowRanges listed() const;
};
/// The windows of lanes as they are.
PURVIEW_EXPORT LaneWindows windows_of_lanes(const AxisParts& parts, WindowRanges ranges);

/// The elements [begin, end) of a lane in memory.
PURVIEW_EXPORT Operand elements_between(const Operand& lane, index_t begin, index_t end);

/// The results of a reduction of windows of elements of built-in type, by its own way of rolling, or
/// of each window's elements. Throws `DtypeError` naming `what`.
PURVIEW_EXPORT Operand each_window(const char* what, const LaneWindows& windows,
                                   const ChosenReducer& by);

/// The results of windows by a reducer of one's own, whose states are joined.
PURVIEW_EXPORT Operand own_windows(const LaneWindows& windows, const FunctionReducer& own,
                                   bool skips_nan);

/// How windows are worked on: by the library, in pieces of results; with states that windows share; or each by itself.
enum class WindowWork : std::uint8_t { pieces, states, single };
/// Segments of the windows of long parts (`Segments`) that give the bits of all windows at once.
PURVIEW_EXPORT Segments cut_for(WindowWork work, Segments windows);
/// The windows of `width` elements around each element.
PURVIEW_EXPORT Segments rolled_segments(index_t width, const RollingOptions& options);

/// The results of a reduction of windows: `on_engine(parts, by)` if it is one of the library's; else
/// those of the function, which gets the elements of each window that `windows_of(parts)` gives as a
/// tensor in memory. Parts that have no room in memory are cut as `cut` says, if it is given.
template <TensorLike X, typename Reducer>
auto reduced_windows(const char* what, const X& x, const Reducer& reducer, const ChosenAxis& axis,
                     FunctionRef<Operand(const AxisParts&, const ChosenReducer&)> on_engine,
                     FunctionRef<LaneWindows(const AxisParts&)> windows_of,
                     const Segments* cut = nullptr) {
    using By = ReducerParts<Reducer>;
    const auto given = [cut](WindowWork work) {
        return cut != nullptr ? CutParts(cut_for(work, *cut)) : CutParts(GivenParts::slabs);
    };
    if constexpr (By::kRule == NanRule::refuse) require_no_nan(what, x);
    if constexpr (kReducedByLibrary<X, Reducer>) {
        return along_axis<ReducedTo<typename By::Operation, X>>(
            what, x, axis,
            [&](const AxisParts& parts) { return on_engine(parts, By::chosen(reducer)); },
            given(WindowWork::pieces));
    } else if constexpr (kIsOwnReducer<Reducer>) {
        using R = typename Reducer::Result;
        static_assert(FinishedAs<R>::kWidth == 0, "a window has one result, and no list of them");
        return along_axis<std::conditional_t<TypedTensor<X>, R, void>>(
            what, x, axis,
            [&](const AxisParts& parts) {
                return own_windows(windows_of(parts), reducer.functions(),
                                   By::kRule == NanRule::skip);
            },
            given(WindowWork::states));
    } else {
        return by_function(what, x, reducer, [&](const auto& typed) {
            using T = typename std::remove_cvref_t<decltype(typed)>::value_type;
            using R = LaneResult<Reducer, T>;
            const auto work = [&](const AxisParts& parts) {
                require_host_reads(what, parts.operand);
                const LaneWindows windows = windows_of(parts);
                const MutableTensor<R> results = empty<R>(windows.shape);
                if (results.empty()) return results.operand();
                const Evaluation evaluation(windows.lanes, Reads::within_one_operation);
                const WindowEnds ends = windows.ends();
                R* out = as_span(results).data();
                for (index_t group = 0; group < windows.groups; ++group) {
                    const MutableTensor<T> lane = empty<T>({windows.length});
                    if (windows.length > 0)
                        evaluation.read(group * windows.length, windows.length,
                                        as_span(lane).data());
                    for (index_t i = 0; i < ends.count; ++i)
                        *out++ = static_cast<R>(reducer(Tensor<T>(
                            elements_between(lane.operand(), ends.begin(i), ends.end(i)))));
                }
                return with_incomplete(results.operand(), windows.incomplete);
            };
            return along_axis<R>(what, typed, axis, work, given(WindowWork::single));
        });
    }
}

/// The reductions of the windows of `width` elements around each element of built-in type. Throws
/// `ShapeError` naming `what` for a width below 1.
PURVIEW_EXPORT Operand rolled_windows(const char* what, const AxisParts& parts, index_t width,
                                      const ChosenReducer& by, const RollingOptions& options,
                                      const ChosenAxis& axis);
/// The windows of `width` elements around each element, of padded lanes.
PURVIEW_EXPORT LaneWindows rolling_windows(const char* what, const AxisParts& parts, index_t width,
                                           const RollingOptions& options, const ChosenAxis& axis);

struct FixedRollingWindowFunction : RefusedAlong {
    using RefusedAlong::operator();
    PURVIEW_REFUSED("fixed_rolling_window takes a width and a reduction: x | "
                    "fixed_rolling_window(7, mean)",
                    operator()(AnyArgument) const);

    template <lanes X, lane_reducer_of<X> Reducer>
    auto operator()(const X& x, index_t width, const Reducer& reducer,
                    const RollingOptions& options = {}) const {
        return (*this)(x, width, reducer, ChosenAxis(), options);
    }
    template <lanes X, lane_reducer_of<X> Reducer, std::same_as<WindowPosition> P>
    auto operator()(const X& x, index_t width, const Reducer& reducer, P position) const {
        return (*this)(x, width, reducer, ChosenAxis(), {.position = position});
    }
    template <lanes X, lane_reducer_of<X> Reducer, std::same_as<WindowPosition> P>
    auto operator()(const X& x, index_t width, const Reducer& reducer, const ChosenAxis& axis,
                    P position) const {
        return (*this)(x, width, reducer, axis, RollingOptions{.position = position});
    }
    template <lanes X, lane_reducer_of<X> Reducer>
    auto operator()(const X& x, index_t width, const Reducer& reducer, const ChosenAxis& axis,
                    const RollingOptions& options = {}) const {
        constexpr const char* kName = "fixed_rolling_window";
        const Segments cut = rolled_segments(width, options);
        return reduced_windows(
            kName, tensor_for_call(x), reducer, axis,
            [&](const AxisParts& parts, const ChosenReducer& by) {
                return rolled_windows(kName, parts, width, by, options, axis);
            },
            [&](const AxisParts& parts) {
                return rolling_windows(kName, parts, width, options, axis);
            },
            &cut);
    }
    template <StageNumber<index_t> N, lane_reducer Reducer>
    auto operator()(const N& width, const Reducer& reducer,
                    const RollingOptions& options = {}) const {
        return make_stage(*this, static_cast<index_t>(width), reducer, options);
    }
    template <StageNumber<index_t> N, lane_reducer Reducer>
    auto operator()(const N& width, const Reducer& reducer, const AxisOrDim& axis,
                    const RollingOptions& options = {}) const {
        return make_stage(*this, static_cast<index_t>(width), reducer, axis, options);
    }
    template <StageNumber<index_t> N, lane_reducer Reducer, std::same_as<WindowPosition> P>
    auto operator()(const N& width, const Reducer& reducer, P position) const {
        return (*this)(width, reducer, RollingOptions{.position = position});
    }
};

/// The windows lie around their elements, so that each looks ahead, unless a `WindowPosition` is given:
/// of a series in time they are usually `WindowPosition::trailing`.
/// `fixed_rolling_window(x, 3, min)`, `fixed_rolling_window(x, 100, mean(skip_nan), axis, options)`,
/// or a stage, `x | fixed_rolling_window(3, sum, {.step = 7})`: reduces the window of `width`
/// elements around each element along an axis or a Dim (by default the last axis). Memory of the
/// shape of `x`, under its dims, of the type that the reduction gives. What is read beyond the ends,
/// and which windows are computed, `(n + step - 1) / step` of them, say the `RollingOptions`; for
/// windows that are cut off at the ends see `variable_rolling_window`.
///
/// `sum`, `product`, `mean`, `min` and `max` of built-in types take O(size), whatever the width.
/// Each result is computed from its own window's elements alone (as a binary tree, or from the ends
/// of two longer runs), so that rounding errors do not accumulate, and a NaN or an infinity affects
/// only the windows that contain it. `variance`, `standard_deviation`, their sample forms,
/// `standard_error`, `magnitude`, `magnitude_squared` and `quadratic_mean` take O(size) likewise
/// (steps longer than the window read each); for the bound on errors of variances see
/// `roll_variances`. `median` and quantiles keep the window sorted, or, from 8192 elements on, know the ranks of the
/// lane: O(size · log(length)). Other reductions read each window, and users' functions get it as a tensor `[width]` and return a number: O(size · width).
///
/// Eager. Throws `ShapeError` for a width or a step below 1, `IndexError`, `DimError` (also for a
/// step along a Dim), `DtypeError`, and what the reduction throws.
inline constexpr FixedRollingWindowFunction fixed_rolling_window;

/// The scan of a reduction that is a fold; void where there is none.
template <typename Operation>
struct ScanOf : std::type_identity<void> {};
template <typename Fold>
    requires(Fold::kReduction != Reduction::any_of && Fold::kReduction != Reduction::all_of)
struct ScanOf<FoldOperation<Fold>> : std::type_identity<ScanAlong<Fold>> {};

/// The means of each element of built-in type and all before it in its lane, of float32 or float64;
/// with `skip`, over those that are not NaN, and NaN while there is none.
PURVIEW_EXPORT Operand cumulative_means(const char* what, const AxisParts& parts, NanRule nan);
/// The reductions of each element of built-in type and all before it.
PURVIEW_EXPORT Operand expanded(const char* what, const AxisParts& parts, const ChosenReducer& by);
/// The windows of each element and all before it.
PURVIEW_EXPORT LaneWindows expanding_windows(const AxisParts& parts);

struct ExpandingWindowFunction : RefusedAlong {
    using RefusedAlong::operator();

    template <lanes X, lane_reducer_of<X> Reducer>
    auto operator()(const X& given, const Reducer& reducer, const ChosenAxis& axis = {}) const {
        constexpr const char* kName = "expanding_window";
        const auto& x = tensor_for_call(given);
        using By = ReducerParts<Reducer>;
        using Scan = typename ScanOf<typename By::Operation>::type;
        if constexpr (!std::is_void_v<Scan>) {
            if constexpr (By::kRule == NanRule::refuse) require_no_nan(kName, x);
            return Scan::over(x, axis.with(By::kRule));
        } else {
            // Means go on from what is carried; all others need the whole part.
            constexpr Segments kGoesOn;
            constexpr bool kIsMean = std::same_as<typename By::Operation, MeanOperation> &&
                                     kReducedByLibrary<std::remove_cvref_t<decltype(x)>, Reducer>;
            return reduced_windows(
                kName, x, reducer, axis,
                [](const AxisParts& parts, const ChosenReducer& by) {
                    return expanded(kName, parts, by);
                },
                [](const AxisParts& parts) { return expanding_windows(parts); },
                kIsMean ? &kGoesOn : nullptr);
        }
    }
    template <lane_reducer Reducer>
    auto operator()(const Reducer& reducer, const ChosenAxis& axis = {}) const {
        return make_stage(*this, reducer, axis);
    }
};

/// `expanding_window(x, max)`, `expanding_window(x, f, axis)`, or a stage: a reduction of each
/// element and all before it. `sum`, `product`, `min` and `max` are the scans `cumsum` etc., and
/// `mean` a quotient of scans: O(size). `median` and quantiles know the ranks of a lane: O(size ·
/// log(length)). Other reductions, and users' functions, get each leading
/// part of a lane as a tensor: O(size · length). Otherwise as `fixed_rolling_window`.
inline constexpr ExpandingWindowFunction expanding_window;

} // namespace purview
