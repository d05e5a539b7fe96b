#pragma once

#include <purview/functional/along/along.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/reductions/time_counts.hpp>

#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// The differences x(i + 1) - x(i) along the last axis of the parts, applied `order` times, of
/// numbers.
PURVIEW_EXPORT Operand differences(const AxisParts& parts, index_t order);
/// The differences x(i + 1) - x(i) of times along the last axis of the parts, applied `order`
/// times, as durations of type `durations`; NaT of what has one.
PURVIEW_EXPORT Operand time_differences(const AxisParts& parts, index_t order, DType durations);
/// Throws `ShapeError`: differences of time points are durations only from order 1 on.
[[noreturn]] PURVIEW_EXPORT void throw_points_differ_once(index_t order);
/// NumPy's `gradient` along the axis of the parts.
PURVIEW_EXPORT Operand gradient_operand(const AxisParts& parts, double spacing);
/// The view that `downsample` gives.
PURVIEW_EXPORT Operand downsampled(const AxisParts& parts, index_t count);

/// `diff1d(x)`, `diff1d(x, axis)`, `diff1d(x, axis, order)`, or a stage `x | diff1d(axis)`: the
/// differences of neighbours along an axis (by default the last). The axis loses `order` elements,
/// or becomes empty if it has fewer; so it cannot be a Dim, whose size cannot change. Of the type
/// of x, integers wrap; differences of time points counted in integers are durations, NaT of a NaT. Lazy. Throws
/// `IndexError`, `DimError`, `ShapeError` for an order below 0 (for time points below 1), and
/// `DtypeError`.
struct Diff1dFunction : RefusedOperand<Diff1dFunction>, PipelineStage {
    using RefusedOperand::operator();
    static constexpr bool kOfSymbols = true;
    template <typename T>
    static constexpr bool
        kIsDefinedFor = (kIsNumberOrVoid<T> && !std::is_same_v<T, bool>) || CountedTime<T>;

    template <lanes_of<Diff1dFunction> X>
    auto operator()(X&& x, const ChosenAxis& axis = {}, index_t order = 1) const {
        using T = ElementOrVoid<std::remove_cvref_t<X>>;
        if constexpr (ForeignArray<X>) {
            return (*this)(as_tensor(std::forward<X>(x)), axis, order);
        } else if constexpr (CountedTime<T>) {
            if (PointElement<T> && order < 1) throw_points_differ_once(order);
            using R = typename TimeDifference<T>::type;
            require_positional("diff1d", axis);
            return lazily_along<R>("diff1d", x, axis, [&](const AxisParts& parts) {
                return time_differences(parts, order, kDType<R>);
            });
        } else {
            require_positional("diff1d", axis);
            return lazily_along<T>("diff1d", x, axis, [&](const AxisParts& parts) {
                return differences(parts, order);
            });
        }
    }
    Diff1dFunction operator()() const { return {}; }
    auto operator()(const AxisOrDim& axis, index_t order = 1) const {
        return make_stage(*this, axis, order);
    }
};
inline constexpr Diff1dFunction diff1d;

/// `gradient1d(x)`, `gradient1d(x, spacing)`, `gradient1d(x, spacing, axis)`, or a stage: the slope
/// along an axis or a Dim (by default the last axis), as NumPy's `gradient`: (x(i + 1) - x(i - 1))
/// / 2 inside, and the difference of the two outermost elements at the ends, all divided by the
/// spacing. Of the shape of x; float32 stays, everything else is float64. Lazy. Throws `ShapeError`
/// for fewer than two elements, `IndexError`, `DimError`, `DtypeError`.
struct Gradient1dFunction : RefusedOperand<Gradient1dFunction>, PipelineStage {
    using RefusedOperand::operator();
    static constexpr bool kOfSymbols = true;
    template <typename T>
    static constexpr bool kIsDefinedFor = kIsNumberOrVoid<T>;

    template <lanes_of<Gradient1dFunction> X>
    auto operator()(X&& x, double spacing = 1, const ChosenAxis& axis = {}) const {
        return lazily_along<AveragedOf<std::remove_cvref_t<X>>>(
            "gradient1d", std::forward<X>(x), axis,
            [&](const AxisParts& parts) { return gradient_operand(parts, spacing); });
    }
    Gradient1dFunction operator()() const { return {}; }
    template <StageNumber<double> S>
    auto operator()(const S& spacing, const ChosenAxis& axis = {}) const {
        return make_stage(*this, static_cast<double>(spacing), axis);
    }
};
inline constexpr Gradient1dFunction gradient1d;

struct DownsampleAlong {
    static constexpr bool kOfSymbols = true;
    template <typename T>
    static constexpr bool kIsDefinedFor = true;

    template <typename X>
    static auto over(X&& x, index_t count, const ChosenAxis& axis) {
        require_positional("downsample", axis);
        return lazily_along<ElementOrVoid<std::remove_cvref_t<X>>>(
            "downsample", std::forward<X>(x), axis,
            [&](const AxisParts& parts) { return downsampled(parts, count); });
    }
};
/// `downsample(x, 100)`, `downsample(x, 100, axis)`, or a stage: `count` evenly spaced elements of
/// an axis (by default the last): those in the middle of `count` equal parts. A view; x itself if
/// the axis has no more elements. O(count). Throws `ShapeError` for a count below 0, `IndexError`,
/// and `DimError` for a Dim, whose size cannot change.
inline constexpr CountAlongFunction<DownsampleAlong> downsample;

} // namespace purview
