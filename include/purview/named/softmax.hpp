#pragma once

#include <purview/dimensions/axes.hpp>
#include <purview/dtype/promote.hpp>
#include <purview/named/dim_tensor.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/stage.hpp>

namespace purview {

/// The softmax in new memory, under the dims of `x`. `result` is a float type.
PURVIEW_EXPORT DimOperand softmax_operand(const DimOperand& x, const Axes& axes, DType result);

/// `softmax(x, axis)`, or `x | softmax(key)`: `exp(x - max) / sum(exp(x - max))` over an axis, a
/// Dim, or several axes and Dims, separately for all others. Float64 for integers and bool. NaN
/// where an element is NaN, or the greatest one is infinite. Eager: new memory in which these axes
/// are last; elements are read once, O(size) exponentials. Throws `DimError`, `IndexError` for
/// axes, `DtypeError`.
struct SoftmaxFunction : PipelineStage {
    using Braces = AxisValues;

    template <TensorLike X>
        requires(!AxisLike<X> && !kDefersReductions<X> && OfNumbers<X>)
    auto operator()(const X& x, const Axes& axes) const { return over(x, axes); }
    template <TensorLike X, AxisLike... A>
        requires(!AxisLike<X> && sizeof...(A) > 0 && !OfNumbers<X>)
    PURVIEW_REFUSED("softmax: the elements are numbers", operator()(const X&, const A&...) const);
    template <TensorLike X, AxisLike First, AxisLike... Rest>
        requires(!AxisLike<X> && !kDefersReductions<X> && OfNumbers<X>)
    auto operator()(const X& x, const First& first, const Rest&... rest) const {
        return over(x, axes_of(first, rest...));
    }
    /// Without axes: rejected at compile time, with a message.
    template <TensorLike X>
        requires(!AxisLike<X>)
    X operator()(const X& x) const {
        static_assert(kRefused<X>, "softmax(x, axis): say over which axis, as -1 for the last one");
        return x;
    }
    auto operator()(const Axes& axes) const { return make_stage(*this, axes); }
    template <AxisLike First, AxisLike... Rest>
    auto operator()(const First& first, const Rest&... rest) const {
        return (*this)(axes_of(first, rest...));
    }

private:
    template <AxisLike... A>
    static Axes axes_of(const A&... given) {
        Axes axes;
        (axes.add(given), ...);
        return axes;
    }

    template <TensorLike X>
    static auto over(const X& x, const Axes& axes) {
        if constexpr (!TypedTensor<X>) {
            const DType result = x.dtype() == float32 ? float32 : float64;
            return AnyTensor::writable(softmax_operand(bound_operand(x), axes, result).operand);
        } else {
            using R = Averaged<typename X::value_type>;
            DimOperand result = softmax_operand(bound_operand(x), axes, kDType<R>);
            if constexpr (HasDims<X>)
                return DimTensor<R>(std::move(result));
            else
                return MutableTensor<R>(std::move(result.operand));
        }
    }
};
inline constexpr AcceptingArrays<SoftmaxFunction> softmax;

} // namespace purview
