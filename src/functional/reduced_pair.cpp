#include <purview/base/errors.hpp>
#include <purview/functional/arithmetic.hpp>
#include <purview/functional/cast.hpp>
#include <purview/functional/comparison.hpp>
#include <purview/functional/correlation.hpp>
#include <purview/functional/maths.hpp>
#include <purview/functional/statistics.hpp>
#include <purview/functional/where.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/slices.hpp>
#include <purview/tensor/views.hpp>

namespace purview {
namespace {

/// `work(x, y, g)` for the parts of each group.
template <typename Work>
void each_pair(const ReducedPair& pair, Work work) {
    const auto kept = pair.x.operand.dims.rank() - pair.axes;
    for (index_t g = 0; g < pair.x.groups; ++g)
        work(slice_operand(pair.x.operand, kept, false, g),
             slice_operand(pair.y.operand, kept, false, g), g);
}

/// Of covariance and what is made of it, for all groups at once: the differences from the means first.
Operand covariances(PairStatistic statistic, const ReducedPair& pair) {
    const Tensor<double> x = AnyTensor(pair.x.operand) | cast<double>;
    const Tensor<double> y = AnyTensor(pair.y.operand) | cast<double>;
    Shape axes;
    for (index_t axis = pair.axes; axis > 0; --axis) axes.push_back(-axis);
    const Tensor<double> dx = x - mean(x, axes, keep_dims);
    const Tensor<double> dy = y - mean(y, axes, keep_dims);
    // The means are rounded: what they were off by is taken away again.
    const Tensor<double> off = mean(dx, axes) * mean(dy, axes);
    Tensor<double> result = mean(dx * dy, axes) - off;
    if (statistic == PairStatistic::of_sample_covariance) {
        const auto count = static_cast<double>(pair.x.groups == 0 ? 0 : x.size() / pair.x.groups);
        result =
            result * (count > 1 ? count / (count - 1) : std::numeric_limits<double>::quiet_NaN());
    } else if (statistic == PairStatistic::of_pearson) {
        const Tensor<double> vx = variance(x, axes);
        const Tensor<double> vy = variance(y, axes);
        result = where(vx > 0 && vy > 0, clamp(result / sqrt(vx) / sqrt(vy), -1, 1),
                       std::numeric_limits<double>::quiet_NaN());
    }
    return reshape(clone(result), pair.x.shape).operand();
}

} // namespace

ReducedPair reduced_pair(const char* what, const Operand& x, const Operand& y, ShapeSpan axes,
                         bool keep) {
    return {reduced_view(what, x, axes, keep), reduced_view(what, y, axes, keep),
            static_cast<index_t>(axes.size())};
}

Operand pair_statistics(PairStatistic statistic, const ReducedPair& pair) {
    for (const Operand* x : {&pair.x.operand, &pair.y.operand})
        if (!x->dtype().is_builtin()) throw_dtype_unsupported(name_of(statistic), x->dtype());
    if (statistic != PairStatistic::of_spearman && statistic != PairStatistic::of_kendall)
        return covariances(statistic, pair);
    const MutableTensor<double> result = empty<double>(pair.x.shape);
    double* const out = as_span(result).data();
    each_pair(pair, [&](const Operand& x, const Operand& y, index_t g) {
        out[g] = pair_statistic(statistic, x, y);
    });
    return result.operand();
}

Operand regressions_of(const ReducedPair& pair) {
    Shape shape = pair.x.shape;
    shape.push_back(5);
    const MutableTensor<double> result = empty<double>(shape);
    double* const out = as_span(result).data();
    each_pair(pair, [&](const Operand& x, const Operand& y, index_t g) {
        const LinearRegression line = regression_of(x, y);
        const double figures[] = {line.slope, line.intercept, line.correlation, line.slope_error,
                                  line.intercept_error};
        for (index_t k = 0; k < 5; ++k) out[g * 5 + k] = figures[k];
    });
    return result.operand();
}

} // namespace purview
