#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/base/not_finite.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/moments.hpp>
#include <purview/evaluation/rank_correlation.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/symbol.hpp>
#include <purview/functional/assembly/concat.hpp>
#include <purview/functional/reductions/product.hpp>
#include <purview/functional/statistics/correlation.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/slices.hpp>

#include "evaluation/long_sorts.hpp"
#include "functional/reductions/group_scales.hpp"
#include "functional/statistics/sorted_in_files.hpp"
#include "reader/chunk_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace purview::inline v0_1 {
namespace {

void check_pair(const char* what, const Operand& x, const Operand& y) {
    if (!x.dtype().is_builtin()) throw_dtype_unsupported(what, x.dtype());
    if (!y.dtype().is_builtin()) throw_dtype_unsupported(what, y.dtype());
    if (to_shape(x.dims.max_shape()) != to_shape(y.dims.max_shape()))
        throw ShapeError(fmt::format("{}: shapes {} and {} differ", what,
                                     to_string(x.dims.max_shape()), to_string(y.dims.max_shape())));
    for (const Operand* const each : {&x, &y}) {
        if (each->node->reads(Below::symbol)) throw_no_elements(*each->node, what);
        require_not_sparse(what, *each);
    }
}

Operand floats_of(const Operand& x) { return cast_operand(x, float64, Op::cast); }

/// Limits r to [-1, 1], which rounding may leave; NaN stays.
double clipped(double r) { return r > 1 ? 1 : r < -1 ? -1 : r; }

/// products / sqrt(squares_x squares_y). The square root of a square is exact, so that equal sums
/// give exactly 1. Powers of two are factored out first, which is exact too, so that the product
/// neither overflows nor underflows.
double correlation_of(double products, double squares_x, double squares_y) {
    if (!(squares_x > 0) || !(squares_y > 0)) return kNotANumber<double>;
    if (!std::isfinite(squares_x) || !std::isfinite(squares_y)) return kNotANumber<double>;
    const int power_x = std::ilogb(squares_x);
    int power_y = std::ilogb(squares_y);
    if ((power_x + power_y) % 2 != 0) ++power_y;
    const double root =
        std::sqrt(std::scalbn(squares_x, -power_x) * std::scalbn(squares_y, -power_y));
    return clipped(std::scalbn(products, -(power_x + power_y) / 2) / root);
}
double correlation_of(const PairMoments& pair) {
    return correlation_of(pair.products, pair.squares_x, pair.squares_y);
}

/// Twice the ranks minus their mean: integers that add up to 0, so that sums of products with
/// reversed ranks are exactly the negatives. NaN stays.
Operand centred_ranks(const AxisParts& parts) {
    const auto number = [](double value) { return constant_operand<double>(value); };
    const Operand twice =
        binary_operand(Op::multiply, ranks_of(parts), number(2), float64, float64);
    return binary_operand(Op::subtract, twice, number(static_cast<double>(parts.length + 1)),
                          float64, float64);
}

/// All elements as one part.
AxisParts whole(const Operand& x) {
    AxisParts parts;
    parts.operand = x;
    parts.length = x.dims.size();
    return parts;
}

ReducedPair whole_pair(const Operand& x, const Operand& y) {
    return {{x, {}, 1}, {y, {}, 1}, x.dims.rank()};
}
void require_no_nan_in_both(const char* what, const Operand& x, const Operand& y) {
    require_no_nan(what, x, DimVector{});
    require_no_nan(what, y, DimVector{});
}

/// Moments of elements that were divided by powers of two.
struct ScaledMoments : PairMoments {
    int exponent_x = 0;
    int exponent_y = 0;
};

double statistic_value(PairStatistic statistic, const ScaledMoments& pair) {
    const auto in_units = [&](double x) {
        return std::ldexp(x, pair.exponent_x + pair.exponent_y);
    };
    switch (statistic) {
    case PairStatistic::of_covariance: return in_units(pair.products / pair.count); // 0 / 0 is NaN
    case PairStatistic::of_sample_covariance:
        return pair.count > 1 ? in_units(pair.products / (pair.count - 1)) : kNotANumber<double>;
    default: return correlation_of(pair);
    }
}

std::vector<ScaledMoments> moments_of(const Operand& given_x, const Operand& given_y,
                                      index_t groups = 1) {
    const Operand x = floats_of(given_x);
    const Operand y = floats_of(given_y);
    std::vector<PairMoments> parts(static_cast<std::size_t>(groups));
    pair_moments(x, y, groups, parts.data());
    const auto scales_of = [&](const Operand& source, double PairMoments::*squares) {
        std::vector<double> sums;
        for (const PairMoments& part : parts) sums.push_back(part.*squares);
        return GroupScales(source, std::span<const double>(sums));
    };
    const GroupScales scales_x = scales_of(x, &PairMoments::squares_x);
    const GroupScales scales_y = scales_of(y, &PairMoments::squares_y);
    if (scales_x || scales_y)
        pair_moments(scales_x ? scales_x.scaled(x) : x, scales_y ? scales_y.scaled(y) : y, groups,
                     parts.data());
    std::vector<ScaledMoments> scaled;
    for (std::size_t g = 0; g < parts.size(); ++g)
        scaled.push_back({parts[g], scales_x[g], scales_y[g]});
    return scaled;
}

/// Of elements as they were divided.
LinearRegression scaled_line_of(const ScaledMoments& pair) {
    if (pair.count < 2)
        throw ShapeError(
            fmt::format("linear_regression: no line goes through {} points only", pair.count));
    if (pair.squares_x == 0)
        throw Error(fmt::format("linear_regression: all x are {}",
                                std::ldexp(pair.mean_x, pair.exponent_x)));
    LinearRegression line{};
    line.slope = pair.products / pair.squares_x;
    line.intercept = pair.mean_y - line.slope * pair.mean_x;
    line.correlation = pair.squares_y == 0 ? 0 : correlation_of(pair);
    if (pair.count > 2) {
        const double rest = 1 - line.correlation * line.correlation;
        const double square = rest * pair.squares_y / pair.squares_x / (pair.count - 2);
        line.slope_error = std::isnormal(square)
                               ? std::sqrt(square)
                               : std::sqrt(rest / (pair.count - 2)) *
                                     (std::sqrt(pair.squares_y) / std::sqrt(pair.squares_x));
        const double mean_square = pair.squares_x / pair.count + pair.mean_x * pair.mean_x;
        line.intercept_error =
            line.slope_error *
            (std::isfinite(mean_square)
                 ? std::sqrt(mean_square)
                 : std::hypot(pair.mean_x, std::sqrt(pair.squares_x / pair.count)));
    }
    return line;
}
LinearRegression line_of(const ScaledMoments& pair) {
    LinearRegression line = scaled_line_of(pair);
    for (double* const slope : {&line.slope, &line.slope_error})
        *slope = std::ldexp(*slope, pair.exponent_y - pair.exponent_x);
    for (double* const height : {&line.intercept, &line.intercept_error})
        *height = std::ldexp(*height, pair.exponent_y);
    return line;
}

/// The sums of the products of the differences of two rows from their means.
MutableTensor<double> products_of_rows(const Tensor<double>& x) {
    if (x.operand().node->reads(Below::blocks)) {
        const MutableTensor<double> products = empty<double>({x.extent(0), x.extent(0)});
        purview::products_of_rows(x.operand(), as_span(products).data());
        return products;
    }
    const auto count = static_cast<double>(x.extent(1));
    const MutableTensor<double> off = clone(x - mean(x, 1, keep_dims));
    // The remaining means of the differences, due to the rounding of the means.
    const std::vector<double> rest = to_vector(sum(off, 1));
    MutableTensor<double> products = matmul(off, transpose(off));
    double* element = as_span(products).data();
    for (const double of_row : rest)
        for (const double of_column : rest) *element++ -= of_row * of_column / count;
    return products;
}

/// The statistic of each pair of rows, over the places where neither is NaN.
Tensor<double> matrix_of_pairs(MatrixStatistic statistic, const Operand& matrix) {
    const PairStatistic of_pair =
        statistic == MatrixStatistic::of_covariance          ? PairStatistic::of_covariance
        : statistic == MatrixStatistic::of_sample_covariance ? PairStatistic::of_sample_covariance
                                                             : PairStatistic::of_pearson;
    const index_t variables = matrix.dims.max_shape()[0];
    const MutableTensor<double> result = empty<double>({variables, variables});
    double* const out = as_span(result).data();
    for (index_t i = 0; i < variables; ++i)
        for (index_t j = 0; j <= i; ++j)
            out[i * variables + j] = out[j * variables + i] =
                pair_statistic(of_pair, slice_operand(matrix, 1, false, i),
                               slice_operand(matrix, 1, false, j), NanRule::skip);
    return result;
}

} // namespace

const char* name_of(PairStatistic statistic) noexcept {
    switch (statistic) {
    case PairStatistic::of_covariance: return "covariance";
    case PairStatistic::of_sample_covariance: return "sample_covariance";
    case PairStatistic::of_pearson: return "pearson";
    case PairStatistic::of_spearman: return "spearman";
    case PairStatistic::of_kendall: return "kendall";
    }
    return "";
}

namespace {

bool read_chunks(const Operand& x, const Operand& y) {
    return x.node->reads(Below::blocks) || y.node->reads(Below::blocks);
}

/// What Kendall's tau of arrays in chunks holds: a copy of either, ranks of both, and what sorts them. Throws
/// `MemoryLimitError` before any of it is read.
CountedBytes counted_for_kendall(const Operand& x, const Operand& y) {
    if (!read_chunks(x, y)) return {};
    const index_t element = std::max(x.dtype().size_bytes(), y.dtype().size_bytes());
    const index_t bytes = checked_bytes(x.dims.size(), 32 + 3 * element, "kendall");
    const index_t left = memory_left();
    if (bytes > left - left / 8) // of chunks that are read
        throw MemoryLimitError(fmt::format(
            "kendall: {} bytes for the ranks of {} pairs are more than what the memory limit, {} "
            "bytes, leaves; set_memory_limit gives more, and spearman goes beyond it",
            bytes, x.dims.size(), memory_limit()));
    return {bytes, "kendall"};
}

} // namespace

double pair_statistic(PairStatistic statistic, const Operand& x, const Operand& y, NanRule nan) {
    check_pair(name_of(statistic), x, y);
    if (statistic == PairStatistic::of_spearman || statistic == PairStatistic::of_kendall) {
        require_host_reads(name_of(statistic), x);
        require_host_reads(name_of(statistic), y);
    }
    CountedBytes counted;
    if (statistic == PairStatistic::of_kendall) counted = counted_for_kendall(x, y);
    if (nan == NanRule::refuse) require_no_nan_in_both(name_of(statistic), x, y);
    if (nan == NanRule::skip) {
        const Operand made =
            reduce_non_nan(name_of(statistic), whole_pair(x, y), [&](const ReducedPair& pair) {
                if (read_chunks(pair.x.operand, pair.y.operand)) counted = {}; // counts itself
                return pair_statistics(statistic, pair);
            });
        return Tensor<double>(made).read(0);
    }
    if (statistic == PairStatistic::of_kendall) return kendall_tau(x, y);
    if (statistic == PairStatistic::of_spearman)
        return correlation_of(moments_of(centred_ranks(whole(x)), centred_ranks(whole(y)))[0]);
    return statistic_value(statistic, moments_of(x, y)[0]);
}

Operand pair_statistics(PairStatistic statistic, const ReducedPair& pair) {
    const Operand& x = pair.x.operand;
    const Operand& y = pair.y.operand;
    check_pair(name_of(statistic), x, y);
    const MutableTensor<double> result = empty<double>(pair.x.shape);
    double* const out = as_span(result).data();
    if (statistic == PairStatistic::of_spearman || statistic == PairStatistic::of_kendall) {
        const auto kept = x.dims.rank() - pair.axes;
        const auto part = [](const Operand& of, index_t axes, index_t at) {
            return slice_operand(of, axes, false, at);
        };
        if (x.node->reads(Below::blocks) && y.node->reads(Below::blocks) &&
            x.dtype() == y.dtype()) {
            // Beside each other, so that lanes of both come into memory together.
            const Operand both =
                joined_operand(Joining::stack, {x, y}, kept, x.dims.rank(), x.dtype());
            for_each_group(
                name_of(statistic), {both, pair.x.shape, pair.x.groups, static_cast<int>(kept)},
                [&](const Operand& parts, index_t at, index_t group) {
                    const Operand lanes = part(parts, kept, at);
                    out[group] = pair_statistic(statistic, part(lanes, 1, 0), part(lanes, 1, 1));
                });
            return result.operand();
        }
        for (index_t g = 0; g < pair.x.groups; ++g)
            out[g] = pair_statistic(statistic, part(x, kept, g), part(y, kept, g));
    } else {
        std::ranges::transform(
            moments_of(x, y, pair.x.groups), out,
            [&](const ScaledMoments& part) { return statistic_value(statistic, part); });
    }
    return result.operand();
}

Operand ranks_of(const AxisParts& parts, NanRule nan) {
    const DType dtype = parts.operand.dtype();
    if (!dtype.is_builtin()) throw_dtype_unsupported("ranks", dtype);
    require_host_reads("ranks", parts.operand);
    const bool skips = nan == NanRule::skip && dtype.is_floating();
    if (parts.groups == 1 && is_sorted_in_runs(parts.operand))
        return ranks_in_files(parts.operand, skips);
    MutableTensor<double> result = empty<double>(parts.operand.dims.max_shape());
    if (!result.empty())
        average_ranks(parts.operand, parts.groups, as_span(result).data(),
                      skips ? UnorderedElements::skip : UnorderedElements::spread);
    return result.operand();
}

Tensor<double> matrix_statistic(MatrixStatistic statistic, const Operand& matrix, NanRule nan) {
    const char* const what =
        statistic == MatrixStatistic::of_correlation ? "correlation_matrix" : "covariance_matrix";
    if (!matrix.dtype().is_builtin()) throw_dtype_unsupported(what, matrix.dtype());
    require_not_sparse(what, matrix);
    require_host_reads(what, matrix);
    if (matrix.node->reads(Below::device)) {
        const Tensor<double> made = matrix_statistic(statistic, copied_to_memory(matrix), nan);
        return Tensor<double>(brought_to(matrix, made.operand()));
    }
    if (matrix.dims.rank() != 2)
        throw ShapeError(fmt::format("{}: rows and columns are needed, not shape {}", what,
                                     to_string(matrix.dims.max_shape())));
    if (nan == NanRule::refuse) require_no_nan(what, matrix, DimVector{});
    if (nan == NanRule::skip) return matrix_of_pairs(statistic, matrix);
    const Operand x = floats_of(matrix);
    const index_t variables = matrix.dims.max_shape()[0];
    const auto count = static_cast<double>(matrix.dims.max_shape()[1]);
    const double divisor = statistic == MatrixStatistic::of_covariance ? count
                           : count > 1                                 ? count - 1
                                                                       : kNotANumber<double>;
    MutableTensor<double> result = products_of_rows(Tensor<double>(x));
    const auto squares_of_rows = [&] {
        std::vector<double> squares;
        for (index_t i = 0; i < variables; ++i) squares.push_back(result(i, i));
        return squares;
    };
    const GroupScales scales(x, std::span<const double>(squares_of_rows()));
    if (scales) result = products_of_rows(Tensor<double>(scales.scaled(x)));
    for (double& product : as_span(result)) product /= divisor;
    const std::vector<double> squares = squares_of_rows();
    double* element = as_span(result).data();
    for (std::size_t i = 0; i < squares.size(); ++i)
        for (std::size_t j = 0; j < squares.size(); ++j, ++element)
            *element = statistic == MatrixStatistic::of_correlation
                           ? correlation_of(*element, squares[i], squares[j])
                           : std::ldexp(*element, scales[i] + scales[j]);
    return result;
}

LinearRegression regression_of(const Operand& x, const Operand& y, NanRule nan) {
    check_pair("linear_regression", x, y);
    if (nan == NanRule::refuse) require_no_nan_in_both("linear_regression", x, y);
    if (nan == NanRule::skip) {
        const auto members = to_vector(
            Tensor<double>(reduce_non_nan("linear_regression", whole_pair(x, y), &regressions_of)));
        return {members[0], members[1], members[2], members[3], members[4]};
    }
    return line_of(moments_of(x, y)[0]);
}

Operand regressions_of(const ReducedPair& pair) {
    check_pair("linear_regression", pair.x.operand, pair.y.operand);
    Shape shape = pair.x.shape;
    shape.push_back(5);
    const MutableTensor<double> result = empty<double>(shape);
    double* out = as_span(result).data();
    for (const ScaledMoments& part : moments_of(pair.x.operand, pair.y.operand, pair.x.groups)) {
        const LinearRegression line = line_of(part);
        for (const double member :
             {line.slope, line.intercept, line.correlation, line.slope_error, line.intercept_error})
            *out++ = member;
    }
    return result.operand();
}

} // namespace purview
