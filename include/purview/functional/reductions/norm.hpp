#pragma once

#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/reductions/distance.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/functional/reductions/reduce_over.hpp>
#include <purview/tensor/plain_tensor.hpp>
#include <purview/tensor/stage.hpp>

#include <concepts>
#include <type_traits>

namespace purview::inline v0_1 {

/// The order of a norm: a number p, which may be infinite, or the Frobenius norm.
class NormOrder {
public:
    template <typename N>
        requires(std::is_arithmetic_v<N> && !std::same_as<N, bool>)
    constexpr NormOrder(N p) : p_(static_cast<double>(p)) {}
    static constexpr NormOrder frobenius() {
        NormOrder order(2);
        order.is_frobenius_ = true;
        return order;
    }

    constexpr double p() const noexcept { return p_; }
    constexpr bool is_frobenius() const noexcept { return is_frobenius_; }

private:
    double p_;
    bool is_frobenius_ = false;
};

/// The norms of the groups of a view; `axes` are the reduced axes of the tensor, as they were
/// given. With `skips_nan`, of the elements that are not NaN. Memory of the shape of the view.
/// Throws as `norm` does.
PURVIEW_EXPORT Operand norm_operand(const ReducedView& view, ShapeSpan axes, NormOrder order,
                                    bool skips_nan);

/// `norm(x)`: the square root of the sum of squares of all elements. `norm(x, p, axes…)`, as in
/// NumPy: over one axis or Dim, the p-norm of vectors, for any number p: 1 is the sum of absolute
/// values, inf (-inf) the greatest (least) of them, 0 the number of elements that are not 0. Over
/// two axes `{rows, columns}`, of matrices: 1 (-1) is the greatest (least) sum of absolute values
/// of a column, inf (-inf) that of a row, 2 (-2) the greatest (least) singular value. `norm(x, NormOrder::frobenius(), axes…)`: the square root
/// of the sum of squares over any number of axes. Without axes, over all. The last argument may be
/// `skip_nan`, which leaves NaN out, or `throw_nan`: `norm(x, skip_nan)`, `norm(x, 1, 0, skip_nan)`.
///
/// A number over everything; over axes, with `keep_dims`, or over dims, a tensor in memory; without
/// `x` a stage. float32 for float32, else float64. Eager, of symbols traced (of vectors, and Frobenius); O(n), one pass; singular values of a
/// matrix of r rows and c columns O(r c min(r, c)), some ten times, by Jacobi's method, and NaN if
/// an element is not finite. Throws `ShapeError` for extremes of an empty tensor, `Error` for an
/// order that matrices do not have and for a number of axes other than one or two, `IndexError`,
/// `DimError`, `DtypeError`. Of sparse tensors O(stored), and sparse over axes; `KindError` for their
/// singular values and with `skip_nan`.
struct NormFunction : RefusedArguments, PipelineStage {
    using RefusedArguments::operator();
    template <number_lanes_or_symbol X, NanPolicy... P>
        requires(sizeof...(P) <= 1)
    auto operator()(const X& x, const P&... policy) const {
        return (*this)(x, NormOrder::frobenius(), policy...);
    }
    template <number_lanes_or_symbol X, typename... A>
        requires AxisArguments<A...>
    auto operator()(const X& x, NormOrder order, const A&... axes) const {
        const auto made = over(tensor_for_call(x), order, ChosenAxes::of(axes...));
        if constexpr ((NanPolicy<A> && ...))
            return number_of<TensorOf<X>>(made);
        else
            return made;
    }
    template <number_lanes_or_symbol X, ReduceOption... O>
    auto operator()(const X& x, NormOrder order, const Axes& axes, const O&... options) const {
        return over(tensor_for_call(x), order, ChosenAxes::of(axes, options...));
    }

    auto operator()() const { return *this; }
    template <typename... A>
        requires(AxisArguments<A...>)
    auto operator()(NormOrder order, const A&... axes) const {
        return make_stage(*this, order, axes...);
    }
    auto operator()(NormOrder order, const Axes& axes) const {
        return make_stage(*this, order, axes);
    }

private:
    template <TensorLike X>
    static auto over(const X& x, NormOrder order, const ChosenAxes& chosen) {
        if (chosen.nan == NanRule::refuse) require_no_nan("norm", x);
        const bool skips_nan = chosen.nan == NanRule::skip;
        using R = AveragedOf<X>;
        if constexpr (HasDims<X>) {
            auto reduction =
                dims_to_reduce("norm", dim_operand(x), chosen.axes_if_given(), chosen.keep);
            const ReducedView view =
                reduced_view("norm", reduction.operand, reduction.axes, chosen.keep);
            Operand made = norm_operand(view, reduction.axes, order, skips_nan);
            return ResultHandle<R, X>(std::move(reduction).result(std::move(made)));
        } else {
            const Shape axes = chosen.positional("norm", x.rank());
            const ReducedView view = reduced_view("norm", x.operand(), axes, chosen.keep);
            if constexpr (kDefersReductions<X>)
                return ResultHandle<R, X>(norm_operand(view, axes, order, skips_nan));
            else
                return as_tensor<std::conditional_t<TypedTensor<X>, R, void>>(
                    norm_operand(view, axes, order, skips_nan));
        }
    }
};
inline constexpr NormFunction norm;

/// 1 if the norm of an array without dims is a normal number or NaN; else the power of two that
/// brings its greatest magnitude near 1.
PURVIEW_EXPORT double scale_for_norm(const Operand& x, double norm);
PURVIEW_EXPORT double scale_for_norm(const Operand& x, const Operand& norm);

/// `normalize(x)`, `x | normalize`: x divided by its Euclidean norm, so that the squares add up to
/// 1, whatever the scale of its elements; in float64 for integers. NaN if all elements are zero. The
/// norm is computed now, in O(size); the quotient is lazy.
struct NormalizeFunction : ArrayFunction<NormalizeFunction> {
    using ArrayFunction::operator();
    template <array_like X>
    auto operator()(X&& x) const {
        const auto& tensor = lasting_tensor(std::forward<X>(x));
        const auto length = magnitude(tensor);
        using Length = std::remove_const_t<decltype(length)>;
        if constexpr (!HasDims<Length>) {
            double scale;
            if constexpr (std::is_arithmetic_v<Length>)
                scale = scale_for_norm(tensor.operand(), static_cast<double>(length));
            else
                scale = scale_for_norm(tensor.operand(), length.operand());
            if (scale != 1) {
                const auto scaled = tensor * scale;
                return scaled / magnitude(scaled);
            }
        }
        return tensor / length;
    }
};
inline constexpr NormalizeFunction normalize;

} // namespace purview
