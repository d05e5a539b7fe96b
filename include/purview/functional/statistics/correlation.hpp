#pragma once

#include <purview/functional/along/along.hpp>
#include <purview/functional/along/axis_parts.hpp>
#include <purview/functional/reductions/reduce_over.hpp>
#include <purview/functional/reductions/reduced_pair.hpp>
#include <purview/functional/statistics/number_array.hpp>
#include <purview/tensor/stage.hpp>

#include <concepts>
#include <cstdint>

namespace purview::inline v0_1 {

/// A statistic of the pairs of elements of two operands of one shape, of any built-in types, in
/// float64. Throws `ShapeError` naming both shapes, `DtypeError`.
enum class PairStatistic : std::uint8_t {
    of_covariance,
    of_sample_covariance,
    of_pearson,
    of_spearman,
    of_kendall
};
PURVIEW_EXPORT const char* name_of(PairStatistic statistic) noexcept;
PURVIEW_EXPORT double pair_statistic(PairStatistic statistic, const Operand& x, const Operand& y,
                                     NanRule nan = NanRule::keep);

/// The statistic of each pair of groups, in memory of float64.
PURVIEW_EXPORT Operand pair_statistics(PairStatistic statistic, const ReducedPair& pair);

/// The overloads of statistics of two tensors: `f(x, y)` over everything, `f(x, y, axes…)` over
/// axes, Dims and dims, and `x | f(y, axes…)`. `F` implements `of_all(x, y, nan)` of two operands
/// and `over(x, y, chosen)`.
template <typename F>
struct OverAxesOfTwo : StatisticalFunction {
    using StatisticalFunction::operator();

    template <number_array X, number_array Y, AxisOrOption... A>
    auto operator()(const X& x, const Y& y, const A&... axes) const {
        return reduced<kNamesAxes<A...>>(tensor_for_call(x), tensor_for_call(y),
                                         ChosenAxes::of(axes...));
    }
    template <number_array X, number_array Y, ReduceOption... O>
    auto operator()(const X& x, const Y& y, const Axes& axes, const O&... options) const {
        return reduced<true>(tensor_for_call(x), tensor_for_call(y),
                             ChosenAxes::of(axes, options...));
    }
    template <number_array Y, AxisOrOption... A>
    auto operator()(Y&& y, const A&... axes) const {
        return make_stage(*this, as_tensor(std::forward<Y>(y)), axes...);
    }

private:
    template <bool axes_given, TensorLike X, TensorLike Y>
    static auto reduced(const X& x, const Y& y, const ChosenAxes& axes) {
        if constexpr (axes_given || HasDims<X> || HasDims<Y>)
            return F::over(x, y, axes);
        else
            return F::of_all(x.operand(), y.operand(), axes.nan);
    }
};

template <PairStatistic statistic>
struct PairFunction : OverAxesOfTwo<PairFunction<statistic>> {
    static double of_all(const Operand& x, const Operand& y, NanRule nan) {
        return pair_statistic(statistic, x, y, nan);
    }
    template <TensorLike X, TensorLike Y>
    static auto over(const X& x, const Y& y, const ChosenAxes& chosen) {
        const auto work = [](const ReducedPair& pair) { return pair_statistics(statistic, pair); };
        return reduce_pairs(name_of(statistic), x, y, chosen, false, work);
    }
};

// Over everything: `covariance(x, y)`, of tensors of one shape, as float64. NaN in either gives
// NaN; `covariance(x, y, skip_nan)` uses only pairs in which neither is NaN. Over axes, Dims or
// dims, `covariance(x, y, axes…)`, optionally with `keep_dims`, a tensor of float64; operands
// broadcast, and bound dims are a batch. Or a stage, `x | covariance(y, axes…)`. Throws
// `ShapeError`, `DtypeError`, `IndexError`, `DimError`.

/// The mean of the products of the differences from the means. As accurate as if the means were
/// known beforehand. Memory is read once; an operand whose groups are not contiguous in memory is
/// copied first as a whole, and the copy is read. NaN for empty tensors.
inline constexpr PairFunction<PairStatistic::of_covariance> covariance;
/// The sum of the products of the differences from the means, divided by n - 1: `numpy.cov`. NaN
/// for one pair. Otherwise as `covariance`.
inline constexpr PairFunction<PairStatistic::of_sample_covariance> sample_covariance;
/// Pearson's r, in [-1, 1]; exactly 1 for equal tensors. NaN if either tensor is constant.
inline constexpr PairFunction<PairStatistic::of_pearson> pearson;
/// Spearman's rho: Pearson's r of the ranks, where equal elements share theirs. Exactly 1 or -1 for
/// tensors that are in the same or in opposite order. O(n).
inline constexpr PairFunction<PairStatistic::of_spearman> spearman;
/// Kendall's tau-b, which accounts for ties. Exactly 1 or -1 as `spearman`. NaN if either tensor is
/// constant. O(n log n), by Knight ("A computer method for calculating Kendall's tau with ungrouped
/// data", 1966). Throws `ShapeError` for 2^31 elements or more, and `MemoryLimitError`, before it reads anything, where
/// ranks of arrays in chunks, up to 56 bytes for each pair, have no room within the memory limit.
inline constexpr PairFunction<PairStatistic::of_kendall> kendall;

/// Statistics of k variables, which are the rows of `[k, n]` → float64 `[k, k]`.
enum class MatrixStatistic : std::uint8_t { of_covariance, of_sample_covariance, of_correlation };
/// Throws `ShapeError` unless `matrix` has rank 2, `DtypeError`.
PURVIEW_EXPORT Tensor<double> matrix_statistic(MatrixStatistic statistic, const Operand& matrix,
                                               NanRule nan = NanRule::keep);

template <MatrixStatistic statistic>
struct MatrixStatisticFunction : StatisticalFunction, PipelineStage {
    using StatisticalFunction::operator();

    template <number_array X, NanPolicy P = KeepNan>
    auto operator()(const X& x, P = {}) const {
        if constexpr (HasDims<X>) {
            const index_t k = x.rank() > 0 ? x.extent(0) : 0;
            return batched<double>(x, {k, k}, [](const Operand& part, double* out) {
                for (const double each : matrix_statistic(statistic, part, kNanRule<P>))
                    *out++ = each;
            });
        } else {
            return matrix_statistic(statistic, operand_for_call(x), kNanRule<P>);
        }
    }
    template <NanPolicy... P>
    auto operator()(P... policy) const {
        return make_stage(*this, policy...);
    }
};
/// The covariances of k variables, which are the rows of `[k, n]` → float64 `[k, k]`. Computed as a
/// matrix product. With `skip_nan`, the covariance of two rows is over the places where neither is
/// NaN, as in pandas' `cov`: O(k² n). Throws `ShapeError` unless the tensor has rank 2.
inline constexpr MatrixStatisticFunction<MatrixStatistic::of_covariance> covariance_matrix;
/// The covariances of k variables, which are the rows of `[k, n]` → float64 `[k, k]`, divided by n
/// - 1: `numpy.cov(m)`. Otherwise as `covariance_matrix`.
inline constexpr MatrixStatisticFunction<MatrixStatistic::of_sample_covariance>
    sample_covariance_matrix;
/// Pearson's r of each pair of rows: `numpy.corrcoef(m)`.
inline constexpr MatrixStatisticFunction<MatrixStatistic::of_correlation> correlation_matrix;

/// The ranks along the axis of parts, in float64 memory of their shape; with `skip`, among the
/// elements that are not NaN, and NaN stays.
PURVIEW_EXPORT Operand ranks_of(const AxisParts& parts, NanRule nan = NanRule::keep);

struct RanksAlong {
    static constexpr const char* kName = "ranks";
    template <typename T>
    static constexpr bool kIsDefinedFor = kIsNumberOrVoid<T>;

    template <TensorLike X>
    static auto over(const X& x, const ChosenAxis& axis) {
        return along_axis<double>(
            kName, x, axis, [&](const AxisParts& parts) { return ranks_of(parts, axis.nan); },
            GivenParts::long_parts);
    }
};
/// `ranks(x)`, `ranks(x, axis)`: the rank of each element along an axis or a Dim (by default the
/// last axis), counted from 1; equal elements share the mean of their ranks. float64, of the shape
/// of `x`. If a lane contains NaN, all its ranks are NaN, as in SciPy's `rankdata`; with
/// `skip_nan`, only those of the NaNs. Eager, O(n). Throws `IndexError`, `DimError`, `DtypeError`.
inline constexpr AlongFunction<RanksAlong> ranks;

/// The least-squares line through points: y = slope x + intercept.
struct LinearRegression {
    double slope;
    double intercept;
    double correlation;     ///< Pearson's r
    double slope_error;     ///< standard error of the slope
    double intercept_error; ///< standard error of the intercept

    double operator()(double x) const { return slope * x + intercept; }
};
PURVIEW_EXPORT LinearRegression regression_of(const Operand& x, const Operand& y,
                                              NanRule nan = NanRule::keep);
/// The five members of `LinearRegression` for each pair of groups, in memory of float64, along a
/// new last axis.
PURVIEW_EXPORT Operand regressions_of(const ReducedPair& pair);

/// Several regressions: each member is a tensor, or a tensor with dims.
template <typename Member>
struct LinearRegressions {
    Member slope;
    Member intercept;
    Member correlation;
    Member slope_error;
    Member intercept_error;
};

/// `linear_regression(x, y)`, or a stage, `x | linear_regression(y)`: SciPy's `linregress`, of
/// tensors of one shape. Over axes, Dims or dims, and for tensors with dims, it gives
/// `LinearRegressions`, whose members are tensors; operands then broadcast. NaN in either gives
/// NaN. Throws `ShapeError` for less than two points and for different shapes, `Error` if all x are
/// equal, `DtypeError`, `IndexError`, `DimError`. Memory is read once.
struct LinearRegressionFunction : OverAxesOfTwo<LinearRegressionFunction> {
    static LinearRegression of_all(const Operand& x, const Operand& y, NanRule nan) {
        return regression_of(x, y, nan);
    }
    template <TensorLike X, TensorLike Y>
    static auto over(const X& x, const Y& y, const ChosenAxes& chosen) {
        const auto members = reduce_pairs("linear_regression", x, y, chosen, true, &regressions_of);
        const auto member = [&](index_t k) -> std::remove_const_t<decltype(members)> {
            return members(k, ellipsis);
        };
        return LinearRegressions{member(0), member(1), member(2), member(3), member(4)};
    }
};
inline constexpr LinearRegressionFunction linear_regression;

} // namespace purview
