#pragma once

#include <purview/functional/operands.hpp>
#include <purview/functional/scans.hpp>

namespace purview {

/// x(i + 1) - x(i) along the last axis of the parts, again and again.
PURVIEW_EXPORT Operand differences(const AxisParts& parts, index_t order, DType dtype);
/// NumPy's `gradient`, of float32 or float64.
PURVIEW_EXPORT Operand gradient_operand(const AxisParts& parts, double spacing, DType dtype);
/// A view of `count` elements of the axis.
PURVIEW_EXPORT Operand downsampled(const AxisParts& parts, index_t count);

/// The result, lazy, of work along a positional axis.
template <typename R, TypedTensor X, typename Work>
auto lazily_along(const char* what, const X& x, const ChosenAxis& axis, Work work) {
    static_assert(
        !HasDims<X>,
        "an axis that is bound to a Dim keeps its size; write x(i + 1) - x(i), or order(…) first");
    const AxisParts parts = axis_parts(what, x.operand(), axis);
    return ResultHandle<R, X>(parts.restored(work(parts)));
}

/// The differences of neighbours along an axis, the last one if none is given: `diff1d(x)`, `diff1d(x, axis)`,
/// `diff1d(x, axis, order)`, or a stage `x | diff1d(axis)`. The axis loses `order` elements, and is empty where it had none to
/// lose. Of the type of x, integers wrap. Lazy. Throws `IndexError`, and `ShapeError` for an order below 0.
struct Diff1dFunction : PipelineStage {
    template <TypedTensor X>
    auto operator()(const X& x) const {
        return along(x, {}, 1);
    }
    template <TypedTensor X>
    auto operator()(const X& x, index_t axis, index_t order = 1) const {
        return along(x, AxisOrDim(axis), order);
    }
    auto operator()(index_t axis, index_t order = 1) const {
        return Stage([=]<TypedTensor X>(const X& x) { return along(x, AxisOrDim(axis), order); });
    }

private:
    template <TypedTensor X>
    static auto along(const X& x, const ChosenAxis& axis, index_t order) {
        using T = typename X::value_type;
        static_assert(BuiltinType<T> && !std::same_as<T, bool>,
                      "diff1d is defined for tensors of numbers");
        return lazily_along<T>("diff1d", x, axis, [&](const AxisParts& parts) {
            return differences(parts, order, kDType<T>);
        });
    }
};
inline constexpr Diff1dFunction diff1d;

/// The slope along an axis, the last one if none is given, NumPy's `gradient`: (x(i + 1) - x(i - 1)) / 2 inside, and the
/// difference of the two last elements at the ends, all divided by the spacing: `gradient1d(x)`, `gradient1d(x, spacing)`,
/// `gradient1d(x, spacing, axis)`. Of the shape of x; float32 stays, everything else is float64. Lazy. Throws
/// `ShapeError` for fewer than two elements, `IndexError`.
struct Gradient1dFunction : PipelineStage {
    template <TypedTensor X>
    auto operator()(const X& x, double spacing = 1, index_t axis = -1) const {
        using R = Averaged<typename X::value_type>;
        static_assert(BuiltinType<R>, "gradient1d is defined for tensors of numbers");
        return lazily_along<R>("gradient1d", x, AxisOrDim(axis), [&](const AxisParts& parts) {
            return gradient_operand(parts, spacing, kDType<R>);
        });
    }
    auto operator()(double spacing, index_t axis = -1) const {
        return Stage(
            [=]<TypedTensor X>(const X& x) { return Gradient1dFunction{}(x, spacing, axis); });
    }
};
inline constexpr Gradient1dFunction gradient1d;

/// `count` elements of an axis, the last one if none is given, evenly spaced: those in the middle of `count` equal parts. A
/// view; x itself where it has no more. `downsample(x, 100)`, `downsample(x, 100, axis)`, or a stage. O(count). Throws
/// `ShapeError` for a count below 0, `IndexError`.
struct DownsampleFunction {
    template <TypedTensor X>
    auto operator()(const X& x, index_t count, index_t axis = -1) const {
        return lazily_along<typename X::value_type>(
            "downsample", x, AxisOrDim(axis),
            [&](const AxisParts& parts) { return downsampled(parts, count); });
    }
    auto operator()(index_t count, index_t axis = -1) const {
        return Stage(
            [=]<TypedTensor X>(const X& x) { return DownsampleFunction{}(x, count, axis); });
    }
};
inline constexpr DownsampleFunction downsample;

} // namespace purview
