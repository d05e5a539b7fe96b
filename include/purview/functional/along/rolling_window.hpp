#pragma once

#include <purview/functional/along/scans.hpp>
#include <purview/functional/assembly/pad.hpp>
#include <purview/functional/reductions/reduce_over.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/slices.hpp>
#include <purview/tensor/views.hpp>

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
/// Given the results of all windows along the last axis, those of every `step`-th window.
PURVIEW_EXPORT Operand every_window(const Operand& results, index_t step);

/// The reductions of all windows, in the type of the lanes, which is built-in.
PURVIEW_EXPORT Operand rolled(Reduction reduction, const PaddedLanes& lanes, index_t width,
                              ShapeSpan shape);
/// Memory without elements, of a built-in type, for results with a shape of size 0.
PURVIEW_EXPORT Operand nothing(DType dtype, ShapeSpan shape);
/// The means of all windows, of float32 or float64.
PURVIEW_EXPORT Operand rolled_means(const PaddedLanes& lanes, index_t width, ShapeSpan shape);
/// The reductions, or means, over the elements of each window that are not NaN; where there is
/// none, mean, minimum and maximum are NaN.
PURVIEW_EXPORT Operand rolled_non_nan(Reduction reduction, bool averages, const PaddedLanes& lanes,
                                      index_t width, ShapeSpan shape);
/// Every `step`-th window, as an operand `[…, windows, width]`.
PURVIEW_EXPORT Operand all_windows(const PaddedLanes& lanes, index_t width, index_t step);

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
template <typename Operation>
inline constexpr bool kRolls = kRolledBy<Operation> != Reduction::any_of;

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

/// Whether the reduction of a tensor runs on the engine, whose kernels also take types known at run
/// time.
template <typename X, typename Operation>
inline constexpr bool kOnEngine = !std::is_void_v<Operation>;
template <TypedTensor X, typename Operation>
inline constexpr bool kOnEngine<X, Operation> =
    !std::is_void_v<Operation> && BuiltinType<typename X::value_type>;

/// The results of a function of every `step`-th window, which is given to it as a tensor `[width]`
/// in memory.
template <typename T, typename Reducer>
Operand roll_by(const PaddedLanes& lanes, index_t width, index_t step, ShapeSpan shape,
                const Reducer& reducer) {
    using R = LaneResult<Reducer, T>;
    MutableTensor<R> result = empty<R>(shape);
    if (result.empty()) return result.operand();
    const index_t length = lanes.length();
    const Evaluation evaluation(lanes.padded, Reads::within_one_operation);
    R* out = as_span(result).data();
    for (index_t group = 0; group < lanes.groups; ++group) {
        MutableTensor<T> lane = empty<T>({length});
        evaluation.read(group * length, length, as_span(lane).data());
        const Operand windows = sliding_window_operand(lane.operand(), 0, width, 1);
        for (index_t i = 0; i <= (length - width) / step; ++i)
            *out++ = static_cast<R>(reducer(Tensor<T>(slice_operand(windows, 1, false, i * step))));
    }
    return result.operand();
}

struct FixedRollingWindowFunction {
    using Options = RollingOptions;
    static constexpr std::size_t kBeforeOptions = 3;

    static constexpr const char* kName = "fixed_rolling_window";

    template <TensorLike X, typename Reducer>
        requires(!kDefersReductions<X> && !AxisLike<Reducer>)
    auto operator()(const X& x, index_t width, const Reducer& reducer,
                    RollingOptions options = {}) const {
        return along(x, width, reducer, {}, options);
    }
    template <TensorLike X, typename Reducer, std::same_as<WindowPosition> P>
        requires(!kDefersReductions<X> && !AxisLike<Reducer>)
    auto operator()(const X& x, index_t width, const Reducer& reducer, P position) const {
        return (*this)(x, width, reducer, RollingOptions{.position = position});
    }
    template <TensorLike X, typename Reducer, OneAxisLike A = AxisOrDim>
        requires(!kDefersReductions<X>)
    auto operator()(const X& x, index_t width, const Reducer& reducer, const A& axis,
                    RollingOptions options = {}) const {
        return along(x, width, reducer, AxisOrDim(axis), options);
    }
    template <StageNumber<index_t> N, typename Reducer>
        requires(!AxisLike<Reducer> && !array_like<Reducer>)
    auto operator()(const N& width, const Reducer& reducer, RollingOptions options = {}) const {
        return make_stage(*this, static_cast<index_t>(width), reducer, options);
    }
    template <StageNumber<index_t> N, typename Reducer, OneAxisLike A = AxisOrDim>
        requires(!AxisLike<Reducer> && !array_like<Reducer>)
    auto operator()(const N& width, const Reducer& reducer, const A& axis,
                    RollingOptions options = {}) const {
        return make_stage(*this, static_cast<index_t>(width), reducer, axis, options);
    }

private:
    template <TensorLike X, typename Reducer>
    static auto along(const X& x, index_t width, const Reducer& reducer, const ChosenAxis& axis,
                      RollingOptions options) {
        using Given = typename ReducerOperation<Reducer>::type;
        using Operation = typename PolicyOf<Given>::Plain;
        constexpr NanRule kRule = PolicyOf<Given>::kRule;
        if constexpr (kRule == NanRule::refuse) require_no_nan(kName, x);
        require_window(kName, width);
        const index_t step = options.step;
        const auto windows_of = [step, &axis](const AxisParts& parts) {
            return windows_shape(parts, stepped_count(kName, parts.length, step, axis));
        };
        const index_t before = elements_before(options.position, width);
        const auto lanes_of = [=](const AxisParts& parts, DType dtype) {
            AxisParts typed = parts;
            typed.operand = cast_operand(parts.operand, dtype, Op::cast);
            return padded_lanes(kName, typed, before, width - 1 - before, options.edge);
        };
        if constexpr (kOnEngine<X, Operation>) {
            return along_axis<ReducedTo<Operation, X>>(
                kName, x, axis, [&](const AxisParts& parts) -> Operand {
                    const Shape kept = windows_of(parts);
                    const ShapeSpan shape = parts.operand.dims.max_shape();
                    const DType dtype = parts.operand.dtype();
                    const DType result = reduced_dtype<Operation>(kName, dtype);
                    if (parts.operand.dims.size() == 0) return nothing(result, kept);
                    constexpr bool kMean = std::same_as<Operation, MeanOperation>;
                    if constexpr (kRule == NanRule::skip && kRolls<Operation>)
                        if (dtype.is_floating())
                            return every_window(rolled_non_nan(kRolledBy<Operation>, kMean,
                                                               lanes_of(parts, result), width,
                                                               shape),
                                                step);
                    if constexpr (kMean)
                        return every_window(rolled_means(lanes_of(parts, result), width, shape),
                                            step);
                    else if constexpr (kRolls<Operation>)
                        return every_window(
                            rolled(kRolledBy<Operation>, lanes_of(parts, result), width, shape),
                            step);
                    else
                        return Given::run_any({all_windows(lanes_of(parts, dtype), width, step),
                                               kept, Dimensions::row_major(kept).size()})
                            .operand();
                });
        } else {
            return by_function(kName, x, reducer, [&](const auto& typed) {
                using T = typename std::remove_cvref_t<decltype(typed)>::value_type;
                using R = LaneResult<Reducer, T>;
                return along_axis<R>(kName, typed, axis, [&](const AxisParts& parts) -> Operand {
                    const Shape shape = windows_of(parts);
                    if (parts.operand.dims.size() == 0) return empty<R>(shape).operand();
                    return roll_by<T>(lanes_of(parts, kDType<T>), width, step, shape, reducer);
                });
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
inline constexpr AcceptingArrays<FixedRollingWindowFunction> fixed_rolling_window;

} // namespace purview
