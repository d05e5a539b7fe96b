#include <purview/base/errors.hpp>
#include <purview/base/not_finite.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/functional/reductions/norm.hpp>
#include <purview/tensor/as_span.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace purview {
namespace {

/// The value of each element that is added up, or compared.
template <typename R>
Operand terms(const Operand& x, double p) {
    const Operand size = unary_operand(Op::absolute, x, kDType<R>);
    if (p == 1 || std::abs(p) == kInfiniteNumber<double>) return size;
    if (p == 2) return unary_operand(Op::square, x, kDType<R>);
    if (p == 0)
        return cast_operand(
            binary_operand(Op::not_equal, x, constant_operand<R>(R{}), kDType<R>, boolean),
            kDType<R>, Op::cast);
    return binary_operand(Op::power, size, constant_operand<R>(static_cast<R>(p)), kDType<R>,
                          kDType<R>);
}

Reduction reduction_of(double p) {
    return p == kInfiniteNumber<double>    ? Reduction::maximum
           : p == -kInfiniteNumber<double> ? Reduction::minimum
                                           : Reduction::sum;
}

template <typename R>
Operand vector_norms(const ReducedView& view, double p) {
    if (std::abs(p) == kInfiniteNumber<double>) require_elements("norm", view);
    MutableTensor<R> result = empty<R>(view.shape);
    R* const out = as_span(result).data();
    reduce(reduction_of(p), terms<R>(view.operand, p), view.groups, out);
    for (index_t i = 0; i < view.groups; ++i) {
        if (p == 2)
            out[i] = std::sqrt(out[i]);
        else if (std::abs(p) != kInfiniteNumber<double> && p != 0 && p != 1)
            out[i] = std::pow(out[i], static_cast<R>(1) / static_cast<R>(p));
    }
    return result.operand();
}

/// The greatest or least among the sums of absolute values along the last axis, over the axis
/// before it.
template <typename R>
Operand extreme_sums(const ReducedView& view, bool greatest) {
    require_elements("norm", view);
    const ShapeSpan shape = view.operand.dims.max_shape();
    const index_t places = shape[shape.size() - 2];
    const index_t count = view.groups * places;
    MutableTensor<R> sums = empty<R>({count});
    const R* from = as_span(sums).data();
    reduce(Reduction::sum, terms<R>(view.operand, 1), count, as_span(sums).data());
    MutableTensor<R> result = empty<R>(view.shape);
    for (R& extreme : as_span(result)) {
        extreme = *from;
        for (const R* const end = from + places; from < end; ++from)
            if (*from != *from || (greatest ? *from > extreme : *from < extreme)) extreme = *from;
    }
    return result.operand();
}

} // namespace

Operand norm_operand(const ReducedView& view, ShapeSpan axes, NormOrder order, bool skips_nan) {
    const DType given = view.operand.dtype();
    if (!given.is_builtin()) throw_dtype_unsupported("norm", given);
    require_not_sparse("norm", view.operand);
    const double p = order.p();
    const bool of_matrices = !order.is_frobenius() && axes.size() == 2;
    if (!order.is_frobenius() && axes.size() != 1 && !of_matrices)
        throw Error(fmt::format(
            "norm: order {} is that of a vector or a matrix, over one axis or two, not {}", p,
            axes.size()));
    if (of_matrices && std::abs(p) != 1 && std::abs(p) != kInfiniteNumber<double>)
        throw Error(
            fmt::format("norm: order {} of a matrix is not there, but 1, -1, the infinities "
                        "and the Frobenius norm; over one axis it is that of vectors",
                        p));
    if (std::isnan(p)) throw Error("norm: the order is NaN");
    ReducedView floats = view;
    const bool narrow = given == float32;
    floats.operand = cast_operand(view.operand, narrow ? float32 : float64, Op::cast);
    if (!of_matrices && skips_nan && given.is_floating())
        return reduce_non_nan("norm", floats, [&](const ReducedView& numbers) {
            return norm_operand(numbers, axes, order, false);
        });
    if (!of_matrices)
        return narrow ? vector_norms<float>(floats, p) : vector_norms<double>(floats, p);
    if (skips_nan) floats.operand = without_nan(floats.operand, 0); // of sums
    // The operand has the reduced axes in ascending order, so rows come first if their axis number
    // is lower.
    const index_t rank = view.operand.dims.rank();
    const auto place = [&](index_t axis) { return axis < 0 ? axis + rank : axis; };
    const bool rows_first = place(axes[0]) < place(axes[1]);
    if (rows_first == (std::abs(p) == 1))
        floats.operand.dims = dimensions::swap_axes(floats.operand.dims, -1, -2);
    return narrow ? extreme_sums<float>(floats, p > 0) : extreme_sums<double>(floats, p > 0);
}

} // namespace purview
