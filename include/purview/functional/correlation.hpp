#pragma once

#include <purview/functional/arithmetic.hpp>
#include <purview/functional/axis_parts.hpp>
#include <purview/functional/maths.hpp>
#include <purview/functional/reduce.hpp>
#include <purview/tensor/stage.hpp>

#include <concepts>
#include <cstdint>

namespace purview {

/// What two operands of one shape, of any built-in types, have to do with each other, in float64. Throws `ShapeError` naming
/// both shapes, `DtypeError`.
enum class PairStatistic : std::uint8_t {
    of_covariance,
    of_sample_covariance,
    of_pearson,
    of_spearman,
    of_kendall
};
PURVIEW_EXPORT double pair_statistic(PairStatistic statistic, const Operand& x, const Operand& y);

/// Differences from the means along an axis, a Dim or dims.
template <TypedTensor X, AxisLike A>
auto centred(const X& x, const A& axis) {
    if constexpr (std::integral<A>)
        return x - mean(x, axis, keep_dims);
    else
        return x - mean(x, axis);
}

/// Two tensors of one shape, over everything.
template <PairStatistic statistic>
struct PairFunction {
    template <TensorLike X, TensorLike Y>
        requires(!HasDims<X> && !HasDims<Y>)
    double operator()(const X& x, const Y& y) const {
        static_assert(!kFoldsLater<X> && !kFoldsLater<Y>,
                      "statistics of two tensors are not defined for symbols");
        return pair_statistic(statistic, x.operand(), y.operand());
    }

    /// Over an axis, a Dim or a list of dims.
    template <TypedTensor X, TypedTensor Y, AxisLike A>
        requires(statistic == PairStatistic::of_covariance ||
                 statistic == PairStatistic::of_pearson)
    auto operator()(const X& x, const Y& y, const A& axis) const {
        const auto a = centred(x, axis);
        const auto b = centred(y, axis);
        if constexpr (statistic == PairStatistic::of_covariance)
            return mean(a * b, axis);
        else
            return clamp(sum(a * b, axis) / sqrt(sum(a * a, axis)) / sqrt(sum(b * b, axis)), -1, 1);
    }
};

// Over everything: `covariance(x, y)`, of tensors of one shape, as float64. NaN in either gives NaN. What says so takes an
// axis, a Dim or a list of dims too, `covariance(x, y, axis)`, and gives a tensor; operands broadcast, and batch over
// bound dims. Throws `ShapeError`, `DtypeError`.

/// The mean of the products of the differences from the means, also over axes. As exact as if the means were known;
/// memory is read once. Of nothing: NaN.
inline constexpr PairFunction<PairStatistic::of_covariance> covariance;
/// The same, divided by one less: `numpy.cov`. Of one pair: NaN.
inline constexpr PairFunction<PairStatistic::of_sample_covariance> sample_covariance;
/// Pearson's r, in [-1, 1], also over axes. NaN where either is constant.
inline constexpr PairFunction<PairStatistic::of_pearson> pearson;
/// Spearman's rho: Pearson's r of the ranks, equal elements sharing theirs. O(n).
inline constexpr PairFunction<PairStatistic::of_spearman> spearman;
/// Kendall's tau-b, which allows for equal elements. NaN where either is constant. O(n log n), by Knight ("A computer
/// method for calculating Kendall's tau with ungrouped data", 1966). Throws `ShapeError` for 2^32 elements.
inline constexpr PairFunction<PairStatistic::of_kendall> kendall;

/// `covariance_matrix(m)`: of k variables, the rows of `[k, n]` → float64 `[k, k]`.
enum class MatrixStatistic : std::uint8_t { of_covariance, of_sample_covariance, of_correlation };
/// Throws `ShapeError` unless there are two axes, `DtypeError`.
PURVIEW_EXPORT Tensor<double> matrix_statistic(MatrixStatistic statistic, const Operand& matrix);

template <MatrixStatistic statistic>
struct MatrixStatisticFunction : PipelineStage {
    template <TensorLike X>
        requires(!HasDims<X>)
    Tensor<double>
    operator()(const X& matrix) const {
        static_assert(!kFoldsLater<X>, "this matrix is not defined for symbols");
        return matrix_statistic(statistic, matrix.operand());
    }
};
/// The covariances of k variables, the rows of `[k, n]` → float64 `[k, k]`. A matrix product. Throws `ShapeError` unless
/// there are two axes.
inline constexpr MatrixStatisticFunction<MatrixStatistic::of_covariance> covariance_matrix;
/// The same, divided by n - 1: `numpy.cov(m)`.
inline constexpr MatrixStatisticFunction<MatrixStatistic::of_sample_covariance>
    sample_covariance_matrix;
/// Pearson's r of each two: `numpy.corrcoef(m)`.
inline constexpr MatrixStatisticFunction<MatrixStatistic::of_correlation> correlation_matrix;

/// Ranks along the axis of parts, in memory of float64 and of their shape.
PURVIEW_EXPORT Operand ranks_of(const AxisParts& parts);

/// `ranks(x)`, `ranks(x, axis)`: the place of each element in order along an axis or a Dim, the last axis if none is given,
/// counted from 1; equal elements have the mean of theirs. float64, of the shape of `x`. NaN throughout where there is
/// one, as SciPy's `rankdata`. Eager, O(n). Throws `IndexError`, `DimError`, `DtypeError`.
struct RanksFunction : PipelineStage {
    template <TensorLike X>
        requires(!AxisLike<X> && !kFoldsLater<X>)
    auto operator()(const X& x) const { return along(x, {}); }
    template <TensorLike X, AxisLike A>
        requires(!AxisLike<X> && !kFoldsLater<X>)
    auto operator()(const X& x, const A& axis) const { return along(x, AxisOrDim(axis)); }

private:
    template <TensorLike X>
    static auto along(const X& x, const ChosenAxis& axis) {
        return along_axis<double>("ranks", x, axis,
                                  [](const AxisParts& parts) { return ranks_of(parts); });
    }
};
inline constexpr RanksFunction ranks;

/// The line through points that leaves the least squares: y = slope x + intercept.
struct LinearRegression {
    double slope;
    double intercept;
    double correlation;     ///< Pearson's r
    double slope_error;     ///< standard error of the slope
    double intercept_error; ///< and of the intercept

    double operator()(double x) const { return slope * x + intercept; }
};
PURVIEW_EXPORT LinearRegression regression_of(const Operand& x, const Operand& y);

/// `linear_regression(x, y)`: SciPy's `linregress`, of tensors of one shape. NaN in either gives NaN. Throws `ShapeError`
/// for less than two points and different shapes, `Error` where all x are equal, `DtypeError`. Memory is read once.
struct LinearRegressionFunction {
    template <TensorLike X, TensorLike Y>
        requires(!HasDims<X> && !HasDims<Y>)
    LinearRegression operator()(const X& x, const Y& y) const {
        static_assert(!kFoldsLater<X> && !kFoldsLater<Y>,
                      "linear_regression is not defined for symbols");
        return regression_of(x.operand(), y.operand());
    }
};
inline constexpr LinearRegressionFunction linear_regression;

} // namespace purview
