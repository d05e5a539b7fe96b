#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/functional/along/differences.hpp>
#include <purview/functional/assembly/concat.hpp>
#include <purview/functional/elementwise/not_a_time.hpp>
#include <purview/tensor/tensor_index.hpp>

#include "evaluation/numbers_only.hpp"

#include <fmt/format.h>

#include <vector>

namespace purview::inline v0_1 {
namespace {

/// The elements [begin, end) of the last axis.
Operand part(const Operand& x, index_t begin, index_t end) {
    std::vector<TensorIndex> indexes(static_cast<std::size_t>(x.dims.rank()), TensorIndex(all));
    indexes.back() = TensorIndex(range(begin, end));
    return select_operand(x, indexes);
}

Operand divided(const Operand& x, double divisor, DType dtype) {
    return binary_operand(Op::divide, x, float_constant(dtype, divisor), dtype, dtype);
}

} // namespace

namespace {

void check_order(const AxisParts& parts, index_t order) {
    if (order < 0) throw ShapeError(fmt::format("diff1d: an order of {} is less than 0", order));
    if (parts.operand.dims.rank() == 0) throw IndexError("diff1d: a tensor of rank 0 has no axis");
}

} // namespace

Operand time_differences(const AxisParts& parts, index_t order, DType durations) {
    check_order(parts, order);
    Operand x = integer_counts(parts.operand);
    for (index_t n = parts.length; order > 0 && n > 0; --order, --n)
        x = combined_counts(Op::subtract, part(x, 1, n), part(x, 0, n - 1));
    return times_of(x, durations);
}

Operand differences(const AxisParts& parts, index_t order) {
    const DType dtype = parts.operand.dtype();
    if (!dtype.is_builtin() || dtype == boolean) throw_dtype_unsupported("diff1d", dtype);
    check_order(parts, order);
    Operand x = parts.operand;
    index_t n = parts.length;
    for (; order > 0 && n > 0; --order, --n)
        x = binary_operand(Op::subtract, part(x, 1, n), part(x, 0, n - 1), dtype, dtype);
    return x;
}

void throw_points_differ_once(index_t order) {
    throw ShapeError(fmt::format(
        "diff1d: an order of {} is less than 1, from which on differences of time points are durations",
        order));
}

Operand gradient_operand(const AxisParts& parts, double spacing) {
    if (!parts.operand.dtype().is_builtin())
        throw_dtype_unsupported("gradient1d", parts.operand.dtype());
    const DType dtype = parts.operand.dtype() == float32 ? float32 : float64;
    const index_t n = parts.length;
    const int rank = parts.operand.dims.rank();
    if (rank == 0 || n < 2)
        throw ShapeError(
            fmt::format("gradient1d: two elements at least have a slope, and there are {}", n));
    const Operand x = cast_operand(parts.operand, dtype, Op::cast);
    const auto slope = [&](index_t from, index_t to, index_t count) {
        const Operand rise = binary_operand(Op::subtract, part(x, to, to + count),
                                            part(x, from, from + count), dtype, dtype);
        return divided(rise, static_cast<double>(to - from) * spacing, dtype);
    };
    std::vector<Operand> pieces;
    pieces.push_back(slope(0, 1, 1));
    if (n > 2) pieces.push_back(slope(0, 2, n - 2));
    pieces.push_back(slope(n - 2, n - 1, 1));
    return concat_operand("gradient1d", std::move(pieces), rank - 1);
}

Operand downsampled(const AxisParts& parts, index_t count) {
    if (count < 0) throw ShapeError(fmt::format("downsample: there cannot be {} elements", count));
    if (parts.operand.dims.rank() == 0)
        throw IndexError("downsample: a tensor of rank 0 has no axis");
    if (count >= parts.length) return parts.operand;
    std::vector<index_t> list;
    for (index_t i = 0; i < count; ++i) {
        // (2i + 1) n / 2 count, without overflow
        const index_t whole = parts.length / count;
        const index_t rest = parts.length % count;
        list.push_back(i * whole + whole / 2 +
                       ((2 * i + 1) * rest + (whole % 2) * count) / (2 * count));
    }
    std::vector<TensorIndex> indexes(static_cast<std::size_t>(parts.operand.dims.rank()),
                                     TensorIndex(all));
    indexes.back() = TensorIndex(list);
    return select_operand(parts.operand, indexes);
}

} // namespace purview
