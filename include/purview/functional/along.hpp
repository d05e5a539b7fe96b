#pragma once

#include <purview/functional/axis_parts.hpp>
#include <purview/functional/operands.hpp>
#include <purview/functional/reduce_over.hpp>
#include <purview/tensor/stage.hpp>

#include <concepts>

namespace purview {

/// How functions along one axis are called: `f(x)`, `f(x, axis)`, `x | f`, `x | f(axis)`. `Along` does the work.
template <typename Along>
struct AlongFunction : PipelineStage {
    template <TensorLike X>
        requires(!AxisLike<X> && !kFoldsLater<X>)
    auto operator()(const X& x) const { return Along{}(x, ChosenAxis{}); }
    template <TensorLike X, AxisLike A>
        requires(!AxisLike<X> && !kFoldsLater<X>)
    auto operator()(const X& x, const A& axis) const { return Along{}(x, AxisOrDim(axis)); }
    template <AxisLike A>
    auto operator()(const A& axis) const {
        return Stage(
            [axis = AxisOrDim(axis)]<TensorLike X>(const X& x) { return Along{}(x, axis); });
    }
};

/// How those are called that also need a number: `f(x, n)`, `f(x, n, axis)`, `x | f(n)`, `x | f(n, axis)`.
template <typename Along>
struct CountAlongFunction {
    template <TensorLike X>
        requires std::invocable<Along, const X&, index_t, ChosenAxis>
    auto operator()(const X& x, index_t n) const { return Along{}(x, n, ChosenAxis{}); }
    template <TensorLike X, AxisLike A>
        requires std::invocable<Along, const X&, index_t, ChosenAxis>
    auto operator()(const X& x, index_t n, const A& axis) const {
        return Along{}(x, n, AxisOrDim(axis));
    }
    template <StageNumber<index_t> N>
    auto operator()(const N& n) const {
        return later(*this, static_cast<index_t>(n));
    }
    template <StageNumber<index_t> N, AxisLike A>
    auto operator()(const N& n, const A& axis) const {
        return later(*this, static_cast<index_t>(n), axis);
    }
};

} // namespace purview
