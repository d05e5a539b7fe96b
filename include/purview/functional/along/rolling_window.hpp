#pragma once

#include <purview/functional/along/scans.hpp>
#include <purview/functional/assembly/pad.hpp>
#include <purview/tensor/as_span.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace purview {

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
};

/// The number type that a reducer returns for a lane of T.
template <typename Reducer, typename T>
using LaneResult = Scalar<std::invoke_result_t<const Reducer&, const Tensor<T>&>>;

/// Lanes with `before` and `behind` more elements at their ends. Throws, naming `what`, as `pad`
/// does, and `DtypeError` for padding elements of a type that is not built-in with zeros.
PURVIEW_EXPORT PaddedLanes padded_lanes(const char* what, const AxisParts& parts, index_t before,
                                        index_t behind, PadMode edge);
PURVIEW_EXPORT index_t elements_before(WindowPosition position, index_t width) noexcept;
/// Throws `ShapeError` naming `what` for a width below 1.
PURVIEW_EXPORT void require_window(const char* what, index_t width);

/// How many of `length` windows a step keeps. Throws `ShapeError` naming `what` for a step below 1,
/// and `DimError` for a larger one along a Dim, whose size cannot change.
PURVIEW_EXPORT index_t stepped_count(const char* what, index_t length, index_t step,
                                     const ChosenAxis& axis);
/// The shape of `parts` with `count` windows along their axis.
PURVIEW_EXPORT Shape windows_shape(const AxisParts& parts, index_t count);
/// The engine's reduction that computes windows of `Operation` incrementally; `any_of` means that
/// there is none.
template <typename Operation>
inline constexpr Reduction kRolledBy = Reduction::any_of;
template <>
inline constexpr Reduction kRolledBy<FoldOperation<SumFold>> = Reduction::sum;
template <>
inline constexpr Reduction kRolledBy<FoldOperation<ProductFold>> = Reduction::product;
template <>
inline constexpr Reduction kRolledBy<FoldOperation<MinFold>> = Reduction::minimum;
template <>
inline constexpr Reduction kRolledBy<FoldOperation<MaxFold>> = Reduction::maximum;
template <>
inline constexpr Reduction kRolledBy<MeanOperation> = Reduction::sum;

/// A reduction of windows by the library.
struct WindowReduction {
    const BuiltInReduction& reduction;
    Reduction rolled_by; ///< what computes it incrementally; `any_of`: nothing does
    bool averages;       ///< whether it is the mean
    NanRule nan;

    template <typename Reducer>
    static WindowReduction of() {
        using By = ReducerParts<Reducer>;
        return {By::Operation::built_in(), kRolledBy<typename By::Operation>, By::kMean, By::kRule};
    }
};

/// Whether the reduction of windows runs on the engine, whose kernels also take types known at run
/// time.
template <typename X, typename Reducer>
inline constexpr bool kOnEngine =
    !std::is_void_v<typename ReducerParts<Reducer>::Operation> && kIsNumberOrVoid<ElementOrVoid<X>>;
template <typename X, typename Reducer>
inline constexpr bool kRollsOnEngine =
    kOnEngine<X, Reducer>&& kRolledBy<typename ReducerParts<Reducer>::Operation> !=
    Reduction::any_of;

/// A reduction, or a function of a tensor of rank 1, which returns a number.
template <typename F>
concept reducer = !AxisLike<F> && !array_like<F>;
template <typename F, typename T>
inline constexpr bool kReducesLanes = std::invocable<const F&, const Tensor<T>&>;
template <typename F>
inline constexpr bool kReducesLanes<F, void> = true;
/// One that takes the elements of an array.
template <typename F, typename X>
concept reducer_of = reducer<F> && lanes<X> && kReducesLanes<F, ElementOrVoid<X>>;

/// The windows of each of some lanes, which follow each other in `lanes`.
template <typename Window>
struct LaneWindows {
    Operand lanes;
    index_t groups = 1; ///< the number of lanes
    index_t length = 1; ///< the number of elements of each lane
    Shape shape;        ///< of the results, in the order of the lanes: as many for each lane
    Window window;      ///< `window(i)`: where window i of a lane begins and ends
};
template <typename Window>
LaneWindows(Operand, index_t, index_t, Shape, Window) -> LaneWindows<Window>;

/// The elements [begin, end) of a lane in memory.
PURVIEW_EXPORT Operand elements_between(const Operand& lane, index_t begin, index_t end);

/// The results of a function of each of the `LaneWindows` that `windows_of(parts)` gives: it gets
/// the elements of each window as a tensor in memory.
template <TensorLike X, typename Reducer, typename WindowsOf>
auto reduce_each_window(const char* what, const X& x, const Reducer& reducer,
                        const ChosenAxis& axis, const WindowsOf& windows_of) {
    return by_function(what, x, reducer, [&](const auto& typed) {
        using T = typename std::remove_cvref_t<decltype(typed)>::value_type;
        using R = LaneResult<Reducer, T>;
        return along_axis<R>(what, typed, axis, [&](const AxisParts& parts) {
            const auto windows = windows_of(parts);
            const MutableTensor<R> results = empty<R>(windows.shape);
            if (results.empty()) return results.operand();
            const Evaluation evaluation(windows.lanes, Reads::within_one_operation);
            const index_t count = results.size() / windows.groups;
            R* out = as_span(results).data();
            for (index_t group = 0; group < windows.groups; ++group) {
                const MutableTensor<T> lane = empty<T>({windows.length});
                if (windows.length > 0)
                    evaluation.read(group * windows.length, windows.length, as_span(lane).data());
                for (index_t i = 0; i < count; ++i) {
                    const auto [begin, end] = windows.window(i);
                    const Tensor<T> elements(elements_between(lane.operand(), begin, end));
                    *out++ = static_cast<R>(reducer(elements));
                }
            }
            return results.operand();
        });
    });
}

/// The reductions of the windows of `width` elements around each element of built-in type.
PURVIEW_EXPORT Operand rolled_windows(const char* what, const AxisParts& parts, index_t width,
                                      const WindowReduction& by, const RollingOptions& options,
                                      const ChosenAxis& axis);

struct FixedRollingWindowFunction : RefusedAlong {
    using RefusedAlong::operator();

    template <lanes X, reducer_of<X> Reducer>
    auto operator()(const X& x, index_t width, const Reducer& reducer,
                    const RollingOptions& options = {}) const {
        return along(tensor_argument<true>(x), width, reducer, {}, options);
    }
    template <lanes X, reducer_of<X> Reducer, std::same_as<WindowPosition> P>
    auto operator()(const X& x, index_t width, const Reducer& reducer, P position) const {
        return (*this)(x, width, reducer, RollingOptions{.position = position});
    }
    template <lanes X, reducer_of<X> Reducer>
    auto operator()(const X& x, index_t width, const Reducer& reducer, const AxisOrDim& axis,
                    const RollingOptions& options = {}) const {
        return along(tensor_argument<true>(x), width, reducer, axis, options);
    }
    template <StageNumber<index_t> N, reducer Reducer>
    auto operator()(const N& width, const Reducer& reducer,
                    const RollingOptions& options = {}) const {
        return make_stage(*this, static_cast<index_t>(width), reducer, options);
    }
    template <StageNumber<index_t> N, reducer Reducer>
    auto operator()(const N& width, const Reducer& reducer, const AxisOrDim& axis,
                    const RollingOptions& options = {}) const {
        return make_stage(*this, static_cast<index_t>(width), reducer, axis, options);
    }

private:
    static constexpr const char* kName = "fixed_rolling_window";

    template <TensorLike X, typename Reducer>
    static auto along(const X& x, index_t width, const Reducer& reducer, const ChosenAxis& axis,
                      const RollingOptions& options) {
        using By = ReducerParts<Reducer>;
        if constexpr (By::kRule == NanRule::refuse) require_no_nan(kName, x);
        require_window(kName, width);
        if constexpr (kOnEngine<X, Reducer>) {
            return along_axis<ReducedTo<typename By::Operation, X>>(
                kName, x, axis, [&](const AxisParts& parts) {
                    return rolled_windows(kName, parts, width, WindowReduction::of<Reducer>(),
                                          options, axis);
                });
        } else {
            return reduce_each_window(kName, x, reducer, axis, [&](const AxisParts& parts) {
                const index_t step = options.step;
                const auto window = [step, width](index_t i) {
                    return std::pair(i * step, i * step + width);
                };
                const Shape shape =
                    windows_shape(parts, stepped_count(kName, parts.length, step, axis));
                const index_t before = elements_before(options.position, width);
                const PaddedLanes lanes =
                    padded_lanes(kName, parts, before, width - 1 - before, options.edge);
                return LaneWindows{lanes.padded, lanes.groups, lanes.length(), shape, window};
            });
        }
    }
};

/// `fixed_rolling_window(x, 3, min)`,
/// `fixed_rolling_window(x, 100, mean, axis, {WindowPosition::left})`, or a stage,
/// `x | fixed_rolling_window(3, sum)`: reduces the window of `width` elements around each element,
/// along an axis or a Dim (by default the last axis). Memory of the shape of `x`, under its dims,
/// of the type that the reduction gives. Beyond the ends the first and the last element are
/// repeated, or `RollingOptions::edge` applies. `RollingOptions::step` keeps every `step`-th
/// window, `(n + step - 1) / step` along the axis, as pandas's `step` does:
/// `fixed_rolling_window(x, 7, mean, {.position = WindowPosition::trailing, .step = 7})`. For
/// windows that are cut off at the ends see `variable_rolling_window`.
///
/// The NaN policy is given with the reduction: `fixed_rolling_window(x, 100, mean(skip_nan))`.
///
/// `sum`, `product`, `mean`, `min` and `max` of built-in types take O(size), whatever the width,
/// also with `skip_nan`. Each result is computed from its own window's elements alone (as a binary
/// tree, or from the ends of two longer runs), so that rounding errors do not accumulate, and a NaN
/// or an infinity affects only the windows that contain it. Purview's other reductions read each
/// window on the engine, and users' functions get it as a tensor `[width]` and return a number:
/// O(size · width).
///
/// Also for tensors whose type is known at run time. Eager. Throws `ShapeError` for a width or a
/// step below 1, `IndexError`, `DimError` (also for a step along a Dim), `DtypeError`, and what the
/// reduction throws.
inline constexpr FixedRollingWindowFunction fixed_rolling_window;

/// The scan that computes a reduction over expanding windows; `void` where there is none.
template <typename Operation>
struct ScanOf {
    using type = void;
};
template <>
struct ScanOf<FoldOperation<SumFold>> {
    using type = ScanAlong<CumulativeSum>;
};
template <>
struct ScanOf<FoldOperation<ProductFold>> {
    using type = ScanAlong<CumulativeProduct>;
};
template <>
struct ScanOf<FoldOperation<MinFold>> {
    using type = ScanAlong<CumulativeMin>;
};
template <>
struct ScanOf<FoldOperation<MaxFold>> {
    using type = ScanAlong<CumulativeMax>;
};

/// The means of each element of built-in type and all before it in its lane, of float32 or float64;
/// with `skip`, over those that are not NaN, and NaN while there is none.
PURVIEW_EXPORT Operand cumulative_means(const char* what, const AxisParts& parts, NanRule nan);

struct ExpandingWindowFunction : RefusedAlong {
    using RefusedAlong::operator();

    template <lanes X, reducer_of<X> Reducer>
    auto operator()(const X& x, const Reducer& reducer, const ChosenAxis& axis = {}) const {
        return along(tensor_argument<true>(x), reducer, axis);
    }
    template <reducer Reducer>
    auto operator()(const Reducer& reducer, const ChosenAxis& axis = {}) const {
        return make_stage(*this, reducer, axis);
    }

private:
    static constexpr const char* kName = "expanding_window";

    template <TensorLike X, typename Reducer>
    static auto along(const X& x, const Reducer& reducer, const ChosenAxis& axis) {
        using By = ReducerParts<Reducer>;
        using Operation = typename By::Operation;
        using Scan = typename ScanOf<Operation>::type;
        if constexpr (By::kRule == NanRule::refuse) require_no_nan(kName, x);
        if constexpr (!std::is_void_v<Scan>) {
            return Scan::over(x, axis.with(By::kRule));
        } else if constexpr (By::kMean && kOnEngine<X, Reducer>) {
            return along_axis<ReducedTo<Operation, X>>(kName, x, axis, [](const AxisParts& parts) {
                return cumulative_means(kName, parts, By::kRule);
            });
        } else {
            return reduce_each_window(kName, x, reducer, axis, [](const AxisParts& parts) {
                const auto window = [](index_t i) { return std::pair(index_t{0}, i + 1); };
                return LaneWindows{parts.operand, parts.groups, parts.length,
                                   to_shape(parts.operand.dims.max_shape()), window};
            });
        }
    }
};

/// `expanding_window(x, max)`, `expanding_window(x, f, axis)`, or a stage: a reduction of each
/// element and all before it, along an axis or a Dim (by default the last axis). `sum`, `product`,
/// `min` and `max` are the scans `cumsum` etc., and `mean` a quotient of scans: O(size). Other
/// reductions, and users' functions, get each leading part of a lane as a tensor: O(size · length).
/// Otherwise as `fixed_rolling_window`.
inline constexpr ExpandingWindowFunction expanding_window;

} // namespace purview
