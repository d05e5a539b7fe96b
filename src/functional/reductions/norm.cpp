#include <purview/base/errors.hpp>
#include <purview/base/not_finite.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/reductions/norm.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/views.hpp>

#include "evaluation/numbers_only.hpp"
#include "functional/reductions/float_results.hpp"
#include "functional/reductions/group_scales.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace purview::inline v0_1 {
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
    return binary_operand(Op::pow, size, constant_operand<R>(static_cast<R>(p)), kDType<R>,
                          kDType<R>);
}

Reduction reduction_of(double p) {
    return p == kInfiniteNumber<double>    ? Reduction::maximum
           : p == -kInfiniteNumber<double> ? Reduction::minimum
                                           : Reduction::sum;
}

/// The norm whose terms add up to `sum`.
template <typename R>
R norm_of_sum(R sum, double p) {
    return std::pow(sum, static_cast<R>(1) / static_cast<R>(p));
}

/// Whether powers of elements may have left the range of R.
template <typename R>
bool lost_powers(R sum) {
    constexpr double kLeastSum = sizeof(R) == sizeof(float) ? 0x1p-110 : 0x1p-960;
    return !std::isfinite(sum) || static_cast<double>(sum) < kLeastSum;
}

/// The element of each group that counts most in its p-norm, the greatest, or for p < 0 the least
/// one, where powers left the range and that element is neither 0 nor infinite; else 0. Empty if
/// there is no such group.
template <typename R>
std::vector<double> leading_elements(const ReducedView& view, double p, std::span<const R> sums) {
    if (view.operand.dims.size() == 0 || std::ranges::none_of(sums, &lost_powers<R>)) return {};
    std::vector<double> leading = extreme_magnitudes(
        view.operand, view.groups, p > 0 ? Reduction::maximum : Reduction::minimum);
    bool any = false;
    for (std::size_t g = 0; g < sums.size(); ++g) {
        if (!lost_powers(sums[g]) || !(leading[g] > 0) || !std::isfinite(leading[g]))
            leading[g] = 0;
        any = any || leading[g] != 0;
    }
    if (!any) leading.clear();
    return leading;
}

/// The sums of terms to norms. Those that left the range are computed once more, from elements
/// divided by the leading ones.
template <typename R>
void finish_norms(const ReducedView& view, double p, std::span<R> norms) {
    const std::vector<double> leading = leading_elements<R>(view, p, norms);
    std::vector<R> again(leading.size());
    if (!leading.empty()) {
        std::vector<double> divisors = leading;
        std::ranges::replace(divisors, 0., 1.);
        reduce_groups(Reduction::sum,
                      terms<R>(with_numbers_of_groups(Op::divide, view.operand, divisors), p),
                      view.groups, again.data());
    }
    for (std::size_t g = 0; g < norms.size(); ++g)
        norms[g] = leading.empty() || leading[g] == 0
                       ? norm_of_sum(norms[g], p)
                       : static_cast<R>(leading[g]) * norm_of_sum(again[g], p);
}

template <typename R>
Operand vector_norms(const ReducedView& view, double p) {
    if (std::abs(p) == kInfiniteNumber<double>) require_elements("norm", view);
    if (p == 2) return reduce_view(magnitude_reduction(true), view, NanRule::keep);
    MutableTensor<R> result = empty<R>(view.shape);
    const std::span<R> norms = as_span(result);
    reduce_groups(reduction_of(p), terms<R>(view.operand, p), view.groups, norms.data());
    if (p != 0 && p != 1 && std::abs(p) != kInfiniteNumber<double>) finish_norms<R>(view, p, norms);
    return result.operand();
}

/// The same of a sparse view, in time proportional to what is stored.
template <typename R>
Operand sparse_norms(ReducedView view, double p) {
    if (p == 2) return reduce_view(magnitude_reduction(true), view, NanRule::keep);
    const bool of_powers = p != 0 && p != 1 && std::abs(p) != kInfiniteNumber<double>;
    std::optional<Tensor<R>> sizes;
    if (of_powers && view.operand.dims.size() > 0 && has_extraordinary(view.operand, p))
        sizes.emplace(reshape_operand(
            divide_by_sizes_of_sparse(view, p > 0 ? Reduction::maximum : Reduction::minimum),
            view.shape));
    view.operand = terms<R>(view.operand, p);
    const Tensor<R> folded(reduce_view(fold_reduction(reduction_of(p)), view, NanRule::keep));
    if (!of_powers) return folded.operand();
    const auto norms = pow(folded, static_cast<R>(1) / static_cast<R>(p));
    return sizes ? clone(norms * *sizes).operand() : clone(norms).operand();
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
    reduce_groups(Reduction::sum, terms<R>(view.operand, 1), count, as_span(sums).data());
    MutableTensor<R> result = empty<R>(view.shape);
    for (R& extreme : as_span(result)) {
        extreme = *from;
        for (const R* const end = from + places; from < end; ++from)
            if (*from != *from || (greatest ? *from > extreme : *from < extreme)) extreme = *from;
    }
    return result.operand();
}

/// The same of a sparse view, in time proportional to what is stored.
template <typename R>
Operand sparse_extreme_sums(const ReducedView& view, bool greatest) {
    require_elements("norm", view);
    const ShapeSpan shape = view.operand.dims.max_shape();
    ReducedView terms_of_sums = view;
    terms_of_sums.operand = terms<R>(view.operand, 1);
    terms_of_sums.groups = view.groups * shape[shape.size() - 2];
    ReducedView sums = view;
    sums.operand = reshape_operand(
        elements_of_pairs(fold_reduction(Reduction::sum).run_sparse(std::move(terms_of_sums))),
        shape.first(shape.size() - 1));
    return reduce_view(fold_reduction(greatest ? Reduction::maximum : Reduction::minimum), sums,
                       NanRule::keep);
}

/// Turns columns of `rows` elements, one behind the other, until each is orthogonal to all others
/// (the Jacobi method of one side): their lengths are then the singular values. About ten times
/// rows * columns² steps.
void make_orthogonal(double* elements, index_t rows, index_t columns) {
    constexpr int kMostSweeps = 60;
    const double rounding = 4e-15 * std::sqrt(static_cast<double>(rows));
    const auto product = [rows](const double* x, const double* y) {
        return std::inner_product(x, x + rows, y, 0.);
    };
    bool turned = true;
    for (int sweep = 0; turned && sweep < kMostSweeps; ++sweep) {
        turned = false;
        for (double* x = elements; x < elements + rows * columns; x += rows)
            for (double* y = x + rows; y < elements + rows * columns; y += rows) {
                const double xx = product(x, x);
                const double yy = product(y, y);
                const double xy = product(x, y);
                if (!(std::abs(xy) > rounding * std::sqrt(xx * yy))) continue;
                turned = true;
                const double zeta = (yy - xx) / (2 * xy);
                const double tangent =
                    std::copysign(1., zeta) / (std::abs(zeta) + std::hypot(1., zeta));
                const double cosine = 1 / std::hypot(1., tangent);
                const double sine = cosine * tangent;
                for (index_t i = 0; i < rows; ++i) {
                    const double old = x[i];
                    x[i] = cosine * old - sine * y[i];
                    y[i] = sine * old + cosine * y[i];
                }
            }
    }
}

/// The greatest or least singular value of a matrix; NaN if an element is not finite.
double extreme_singular_value(double* elements, index_t rows, index_t columns, bool greatest) {
    double scale = 0; // so that no square overflows or vanishes
    for (const double* x = elements; x < elements + rows * columns; ++x) {
        if (!std::isfinite(*x)) return std::numeric_limits<double>::quiet_NaN();
        scale = std::max(scale, std::abs(*x));
    }
    if (scale == 0) return 0;
    for (double* x = elements; x < elements + rows * columns; ++x) *x /= scale;
    make_orthogonal(elements, rows, columns);
    double extreme = greatest ? 0 : std::numeric_limits<double>::infinity();
    for (const double* x = elements; x < elements + rows * columns; x += rows) {
        const double length = std::sqrt(std::inner_product(x, x + rows, x, 0.));
        extreme = greatest ? std::max(extreme, length) : std::min(extreme, length);
    }
    return extreme * scale;
}

/// Of the matrices in the last two axes.
template <typename R>
Operand extreme_singular_values(const ReducedView& view, bool greatest) {
    require_elements("norm", view);
    Operand source = view.operand;
    const auto extents = source.dims.max_shape().last<2>();
    if (extents[0] > extents[1]) source.dims = dimensions::swap_axes(source.dims, -1, -2);
    const MutableTensor<double> copy = empty<double>(source.dims.max_shape());
    assign(cast_operand(source, float64, Op::cast), copy.operand());
    double* elements = as_span(copy).data();
    const auto [columns, rows] = std::minmax(extents[0], extents[1]);
    MutableTensor<R> result = empty<R>(view.shape);
    for (R& value : as_span(result)) {
        value = static_cast<R>(extreme_singular_value(elements, rows, columns, greatest));
        elements += rows * columns;
    }
    return result.operand();
}

} // namespace

double scale_for_norm(const Operand& x, double norm) {
    const bool narrow = x.dtype() == float32;
    const double least = narrow ? static_cast<double>(std::numeric_limits<float>::min())
                                : std::numeric_limits<double>::min();
    if (!x.dtype().is_floating() || is_sparse(x) || x.dims.size() == 0 || std::isnan(norm) ||
        (norm >= least && std::isfinite(norm)))
        return 1;
    return std::ldexp(1., -GroupScales(x, std::vector<bool>{true})[0]);
}

double scale_for_norm(const Operand& x, const Operand& norm) {
    double number = 0;
    copy_number(cast_operand(norm, float64, Op::cast), &number);
    return scale_for_norm(x, number);
}

namespace {

/// Norms of symbols, as nodes.
Operand traced_norms(const ReducedView& view, double p) {
    const DType dtype = view.operand.dtype();
    const auto terms_of = [&](double power) {
        return dtype == float32 ? terms<float>(view.operand, power)
                                : terms<double>(view.operand, power);
    };
    const Operand sums = reduce_operand(reduction_of(p), terms_of(p), view.groups, view.shape);
    if (p == 2) return unary_operand(Op::square_root, sums, dtype);
    if (p == 0 || p == 1 || std::abs(p) == kInfiniteNumber<double>) return sums;
    return binary_operand(Op::pow, sums, float_constant(dtype, 1 / p), dtype, dtype);
}

/// Where they have been computed.
Operand norms_of(const ReducedView& view, ShapeSpan axes, NormOrder order, bool skips_nan) {
    const DType given = view.operand.dtype();
    if (!given.is_builtin()) throw_dtype_unsupported("norm", given);
    const double p = order.p();
    const bool of_matrices = !order.is_frobenius() && axes.size() == 2;
    if ((of_matrices && std::abs(p) == 2) || skips_nan) require_not_sparse("norm", view.operand);
    if (!order.is_frobenius() && axes.size() != 1 && !of_matrices)
        throw Error(fmt::format(
            "norm: order {} is that of a vector or a matrix, over one axis or two, not {}", p,
            axes.size()));
    if (of_matrices && std::abs(p) != 1 && std::abs(p) != 2 &&
        std::abs(p) != kInfiniteNumber<double>)
        throw Error(
            fmt::format("norm: order {} of a matrix is not there, but 1, -1, 2, -2, the infinities "
                        "and the Frobenius norm; over one axis it is that of vectors",
                        p));
    if (std::isnan(p)) throw Error("norm: the order is NaN");
    ReducedView floats = view;
    const bool narrow = given == float32;
    floats.operand = cast_operand(view.operand, narrow ? float32 : float64, Op::cast);
    if (floats.operand.node->reads(Below::symbol)) {
        if (of_matrices || skips_nan)
            throw SymbolError("norm: symbols have norms of vectors, over one axis, and the "
                              "Frobenius norm, without a policy for NaN");
        if (std::abs(p) == kInfiniteNumber<double>) require_elements("norm", floats);
        return traced_norms(floats, p);
    }
    if (is_sparse(view.operand) && !of_matrices)
        return narrow ? sparse_norms<float>(floats, p) : sparse_norms<double>(floats, p);
    if (!of_matrices && skips_nan && given.is_floating())
        return reduce_non_nan("norm", floats, [&](const ReducedView& numbers) {
            return norms_of(numbers, axes, order, false);
        });
    if (!of_matrices)
        return narrow ? vector_norms<float>(floats, p) : vector_norms<double>(floats, p);
    if (skips_nan) floats.operand = numbers_only(floats.operand, 0.); // of sums
    if (std::abs(p) == 2) {
        require_host_reads("norm", view.operand);
        return narrow ? extreme_singular_values<float>(floats, p > 0)
                      : extreme_singular_values<double>(floats, p > 0);
    }
    // The operand has the reduced axes in ascending order, so rows come first if their axis number
    // is lower.
    const index_t rank = view.operand.dims.rank();
    const auto place = [&](index_t axis) { return axis < 0 ? axis + rank : axis; };
    const bool rows_first = place(axes[0]) < place(axes[1]);
    if (rows_first == (std::abs(p) == 1))
        floats.operand.dims = dimensions::swap_axes(floats.operand.dims, -1, -2);
    if (is_sparse(view.operand))
        return narrow ? sparse_extreme_sums<float>(floats, p > 0)
                      : sparse_extreme_sums<double>(floats, p > 0);
    return narrow ? extreme_sums<float>(floats, p > 0) : extreme_sums<double>(floats, p > 0);
}

} // namespace

Operand norm_operand(const ReducedView& view, ShapeSpan axes, NormOrder order, bool skips_nan) {
    return brought_to(view.operand, norms_of(view, axes, order, skips_nan));
}

} // namespace purview
