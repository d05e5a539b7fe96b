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

/// Where a window lies about its element. pandas's `rolling` is `trailing` unless its `center` is true.
enum class WindowPosition : std::uint8_t {
    left,            ///< it ends there
    centre,          ///< of an even number of elements, one more is before than behind
    right,           ///< it begins there
    trailing = left, ///< the element is the last of its window, its right edge
    leading = right, ///< the element is the first of its window: the window looks ahead
    center = centre
};

struct RollingOptions {
    WindowPosition position = WindowPosition::centre;
    /// What is read beyond the ends: the first and last element again, or as `pad`'s modes say.
    PadMode edge = PadMode::edge;
    /// Of how many windows one is kept: those of the elements 0, step, 2 step, …
    index_t step = 1;
};

/// What a reducer makes of a lane of T: the number that it returns.
template <typename Reducer, typename T>
using LaneResult = Scalar<std::invoke_result_t<const Reducer&, const Tensor<T>&>>;

/// Lanes with so many elements more at both ends. Throws, naming `what`, as `pad` does, and `DtypeError` for zeros beside
/// elements of a type that is not built in.
PURVIEW_EXPORT PaddedLanes padded_lanes(const char* what, const AxisParts& parts, index_t before,
                                        index_t behind, PadMode edge);
PURVIEW_EXPORT index_t elements_before(WindowPosition position, index_t width) noexcept;
/// Throws `ShapeError` naming `what` for a width below 1.
PURVIEW_EXPORT void require_window(const char* what, index_t width);

/// How many of `length` windows are kept. Throws `ShapeError` naming `what` for a step below 1, and `DimError` for a greater
/// one along a Dim, which keeps its size.
PURVIEW_EXPORT index_t stepped_count(const char* what, index_t length, index_t step,
                                     const ChosenAxis& axis);
/// The shape of `parts` with so many windows along their axis.
PURVIEW_EXPORT Shape windows_shape(const AxisParts& parts, index_t count);
/// The results of every `step`-th window, of those of all along the last axis.
PURVIEW_EXPORT Operand every_window(const Operand& results, index_t step);

/// The folds of all windows, in the type of the lanes, of built-in types.
PURVIEW_EXPORT Operand rolled(Reduction reduction, const PaddedLanes& lanes, index_t width,
                              ShapeSpan shape);
/// Memory without elements, of a built-in type.
PURVIEW_EXPORT Operand nothing(DType dtype, ShapeSpan shape);
/// The means of all windows, of float32 or float64.
PURVIEW_EXPORT Operand rolled_means(const PaddedLanes& lanes, index_t width, ShapeSpan shape);
/// The folds, or means, of the numbers of all windows; NaN for the mean, the least and the greatest of none.
PURVIEW_EXPORT Operand rolled_numbers(Reduction reduction, bool averages, const PaddedLanes& lanes,
                                      index_t width, ShapeSpan shape);
/// Every `step`-th window, one after the other: `[…, windows, width]`.
PURVIEW_EXPORT Operand all_windows(const PaddedLanes& lanes, index_t width, index_t step);

/// The fold that windows of a reduction are made of; `any_of` where the engine does not fold them as it goes on.
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

/// The operation of a reduction of Purview's; `void` of any other function.
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

/// Whether the reduction of a tensor runs on the engine, whose kernels take what is known at run time.
template <typename X, typename Operation>
inline constexpr bool kOnEngine = !std::is_void_v<Operation>;
template <TypedTensor X, typename Operation>
inline constexpr bool kOnEngine<X, Operation> =
    !std::is_void_v<Operation> && BuiltinType<typename X::value_type>;

/// The results of a function of every `step`-th window, which it gets as a tensor `[width]` in memory.
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

    static constexpr const char* kName = "fixed_rolling_window";

    template <TensorLike X, typename Reducer>
        requires(!kFoldsLater<X> && !AxisLike<Reducer>)
    auto operator()(const X& x, index_t width, const Reducer& reducer,
                    RollingOptions options = {}) const {
        return along(x, width, reducer, {}, options);
    }
    template <TensorLike X, typename Reducer, std::same_as<WindowPosition> P>
        requires(!kFoldsLater<X> && !AxisLike<Reducer>)
    auto operator()(const X& x, index_t width, const Reducer& reducer, P position) const {
        return (*this)(x, width, reducer, RollingOptions{.position = position});
    }
    template <TensorLike X, typename Reducer, OneAxisLike A = AxisOrDim>
        requires(!kFoldsLater<X>)
    auto operator()(const X& x, index_t width, const Reducer& reducer, const A& axis,
                    RollingOptions options = {}) const {
        return along(x, width, reducer, AxisOrDim(axis), options);
    }
    template <StageNumber<index_t> N, typename Reducer>
        requires(!AxisLike<Reducer> && !array_like<Reducer>)
    auto operator()(const N& width, const Reducer& reducer, RollingOptions options = {}) const {
        return later(*this, static_cast<index_t>(width), reducer, options);
    }
    template <StageNumber<index_t> N, typename Reducer, OneAxisLike A = AxisOrDim>
        requires(!AxisLike<Reducer> && !array_like<Reducer>)
    auto operator()(const N& width, const Reducer& reducer, const A& axis,
                    RollingOptions options = {}) const {
        return later(*this, static_cast<index_t>(width), reducer, axis, options);
    }

private:
    template <TensorLike X, typename Reducer>
    static auto along(const X& x, index_t width, const Reducer& reducer, const ChosenAxis& axis,
                      RollingOptions options) {
        using Given = typename ReducerOperation<Reducer>::type;
        using Operation = typename PolicyOf<Given>::Plain;
        constexpr NanRule kRule = PolicyOf<Given>::kRule;
        if constexpr (kRule == NanRule::refuse) require_numbers(kName, x);
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
                            return every_window(rolled_numbers(kRolledBy<Operation>, kMean,
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

/// A reduction of the window of `width` elements about each element, along an axis or a Dim, the last axis if none is given:
/// `fixed_rolling_window(x, 3, min)`, `fixed_rolling_window(x, 100, mean, axis, {WindowPosition::left})`, or a
/// stage, `x | fixed_rolling_window(3, sum)`. Memory of the shape of `x`, under its dims, of the type that the
/// reduction gives. Beyond the ends the first and the last element are repeated, or what `RollingOptions::edge` says.
/// `RollingOptions::step` keeps the windows of every so many elements alone, `(n + step - 1) / step` along the axis, as pandas's
/// `step` does: `fixed_rolling_window(x, 7, mean, {.position = WindowPosition::trailing, .step = 7})`. For windows that are cut off
/// at the ends see `variable_rolling_window`.
///
/// A reduction has its policy of NaN with it: `fixed_rolling_window(x, 100, mean(skip_nan))`.
///
/// `sum`, `product`, `mean`, `min` and `max` of built-in types take O(size), whatever the width, with `skip_nan` too; each result is made of its own
/// window's elements alone (as a tree of two, or of the ends of two longer parts), so that nothing drifts, and a NaN or an
/// infinity is gone when its window is. Other reductions of Purview read each window on the engine, and functions of yours get
/// it as a tensor `[width]` and return a number: O(size · width).
///
/// Of tensors whose type is known at run time too. Eager. Throws `ShapeError` for a width or a step below 1, `IndexError`,
/// `DimError`, also for a step along a Dim, `DtypeError`, and what the reduction throws.
inline constexpr AcceptingArrays<FixedRollingWindowFunction> fixed_rolling_window;

} // namespace purview
