#pragma once

#include <purview/functional/along/axis_parts.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/functional/reductions/reduce_over.hpp>
#include <purview/tensor/stage.hpp>

#include <concepts>
#include <type_traits>

namespace purview {

/// The variant of `Along` that skips NaN; specialised by the functions that have one.
template <typename Along>
struct SkippingAlong {
    static_assert(sizeof(Along) == 0, "skip_nan: this function does not know it");
};
/// The variant of `Along` that throws if there is a NaN.
template <typename Along>
struct RefusingAlong {
    template <TensorLike X>
    auto operator()(const X& x, const ChosenAxis& axis) const {
        require_no_nan(Along::kName, x);
        return Along{}(x, axis);
    }
};

/// Whether an axis argument means one axis; `(i, j)` means several.
template <typename A>
inline constexpr bool kIsOneAxis = !std::same_as<A, Joint>;

/// The overloads of functions along one axis: `f(x)`, `f(x, axis)`, `x | f`, `x | f(axis)`, each
/// optionally followed by a NaN policy. `Along` implements the function.
template <typename Along>
struct AlongFunction : PipelineStage {
    template <TensorLike X, NanPolicy P>
        requires(!AxisLike<X> && !kDefersReductions<X>)
    auto operator()(const X& x, P) const { return With<P>{}(x); }
    template <TensorLike X, AxisLike A, NanPolicy P>
        requires(!AxisLike<X> && !kDefersReductions<X>)
    auto operator()(const X& x, const A& axis, P) const { return With<P>{}(x, axis); }
    template <NanPolicy P>
    auto operator()(P) const {
        return With<P>{};
    }
    template <AxisLike A, NanPolicy P>
    auto operator()(const A& axis, P) const {
        return With<P>{}(axis);
    }
    template <TensorLike X>
        requires(!AxisLike<X> && !kDefersReductions<X>)
    auto operator()(const X& x) const { return Along{}(x, ChosenAxis{}); }
    template <TensorLike X, OneAxisLike A = AxisOrDim>
        requires(!AxisLike<X> && !kDefersReductions<X> && kIsOneAxis<A>)
    auto operator()(const X& x, const A& axis) const { return Along{}(x, AxisOrDim(axis)); }
    template <TensorLike X, OneAxisLike A>
        requires(!AxisLike<X> && !kIsOneAxis<A>)
    PURVIEW_REFUSED("along (i, j): this function goes along one axis, and these are two; make one "
                    "of them first, as in f(x | order((i, j)), 0)",
                    operator()(const X&, const A&) const);
    template <OneAxisLike A = AxisOrDim>
        requires(kIsOneAxis<A>)
    auto operator()(const A& axis) const {
        return Stage(
            [axis = AxisOrDim(axis)]<TensorLike X>(const X& x) { return Along{}(x, axis); });
    }

private:
    template <NanPolicy P>
    using With = AlongFunction<std::conditional_t<
        std::same_as<P, SkipNan>, SkippingAlong<Along>,
        std::conditional_t<std::same_as<P, ThrowNan>, RefusingAlong<Along>, Along>>>;
};

/// The overloads of functions along one axis that also take a number: `f(x, n)`, `f(x, n, axis)`,
/// `x | f(n)`, `x | f(n, axis)`.
template <typename Along>
struct CountAlongFunction {
    template <TensorLike X>
        requires std::invocable<Along, const X&, index_t, ChosenAxis>
    auto operator()(const X& x, index_t n) const { return Along{}(x, n, ChosenAxis{}); }
    template <TensorLike X, OneAxisLike A = AxisOrDim>
        requires std::invocable<Along, const X&, index_t, ChosenAxis>
    auto operator()(const X& x, index_t n, const A& axis) const {
        return Along{}(x, n, AxisOrDim(axis));
    }
    template <StageNumber<index_t> N>
    auto operator()(const N& n) const {
        return make_stage(*this, static_cast<index_t>(n));
    }
    template <StageNumber<index_t> N, OneAxisLike A = AxisOrDim>
    auto operator()(const N& n, const A& axis) const {
        return make_stage(*this, static_cast<index_t>(n), axis);
    }
};

} // namespace purview
