#pragma once

#include <purview/dimensions/axes.hpp>
#include <purview/dtype/promote.hpp>
#include <purview/named/dim_tensor.hpp>
#include <purview/tensor/plain_tensor.hpp>
#include <purview/tensor/stage.hpp>

namespace purview::inline v0_1 {

/// The softmax in new memory, under the dims of `x`. `result` is a float type.
PURVIEW_EXPORT DimOperand softmax_operand(const DimOperand& x, const Axes& axes, DType result);

/// `softmax(x, axis)`, or `x | softmax(key)`: `exp(x - max) / sum(exp(x - max))` over an axis, a
/// Dim, or several axes and Dims, separately for all others. Float64 for integers and bool. NaN
/// where an element is NaN, or the greatest one is infinite. Eager, of symbols traced: new memory in which these axes
/// are last; elements are read once, O(size) exponentials. Throws `DimError`, `IndexError` for
/// axes, `DtypeError`.
struct SoftmaxFunction : RefusedArguments, PipelineStage {
    using RefusedArguments::operator();
    template <number_lanes_or_symbol X>
    auto operator()(const X& x, const Axes& axes) const {
        return over(tensor_for_call(x), axes);
    }
    template <number_lanes_or_symbol X, AxisLike... A>
        requires(sizeof...(A) > 0)
    auto operator()(const X& x, const A&... axes) const { return (*this)(x, Axes::of(axes...)); }
    auto operator()(const Axes& axes) const { return make_stage(*this, axes); }
    template <AxisLike... A>
        requires(sizeof...(A) > 0)
    auto operator()(const A&... axes) const { return (*this)(Axes::of(axes...)); }

    template <lanes X>
        requires(!number_lanes_or_symbol<X>)
    PURVIEW_REFUSED("softmax: the elements are numbers", operator()(const X&, AnyArgument) const);
    template <lanes X>
    PURVIEW_REFUSED(
        "softmax(x, axis): say over which axis, as -1 for the last one", operator()(const X&)
                                                                             const);

private:
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
            else if constexpr (kDefersReductions<X>)
                return ResultHandle<R, X>(std::move(result.operand));
            else
                return MutableTensor<R>(std::move(result.operand));
        }
    }
};
inline constexpr SoftmaxFunction softmax;

} // namespace purview
