#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dtype/half.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/named/scatter_dims.hpp>
#include <purview/tensor/tensor_handle.hpp>

#include "named/align.hpp"

#include <fmt/format.h>

#include <array>

namespace purview::inline v0_1 {
namespace {

/// Of operands none of which is deferred.
void scatter_settled(const char* what, ScatterKind how, const DimOperand& from,
                     const DimOperand& to) {
    const DimVector dims = joined_dims(std::array{&to, &from});
    Shape shape;
    for (const Dim& dim : dims) shape.push_back(dim.size());
    const ShapeSpan positional = to.operand.dims.max_shape().subspan(to.dims.size());
    shape.insert(shape.end(), positional.begin(), positional.end());
    const int rank = rank_of(to);
    if (rank_of(from) > rank)
        throw ShapeError(
            fmt::format("{}: shape {} does not broadcast to shape {}", what,
                        to_string(from.operand.dims.max_shape().subspan(from.dims.size())),
                        to_string(positional)));
    const auto aligned = [&](const DimOperand& x) {
        return named::is_aligned(x, dims, rank) ? x.operand.dims
                                                : named::aligned_dims(x, dims, rank);
    };
    const Operand source{from.operand.node, aligned(from)};
    const Operand target{to.operand.node, dimensions::expand(aligned(to), shape)};
    scatter(what, how, scattered_operand(what, source, target), target);
}

} // namespace

void scatter_over_dims(const char* what, ScatterKind how, const DimOperand& values,
                       const DimOperand& destination) {
    if (!values.is_deferred() && !destination.is_deferred())
        return scatter_settled(what, how, values, destination);
    scatter_settled(what, how, settled(values), settled(destination));
}

void update_over_dims(const char* what, Op op, const DimOperand& values,
                      const DimOperand& destination) {
    const DimOperand to = settled(destination);
    const DType dtype = to.operand.dtype();
    DimOperand from = settled(values);
    const DType compute = is_float16(dtype) ? float32 : dtype;
    from.operand = convert_operand(from.operand, compute, Op::cast);
    const std::array<const DimOperand*, 2> both{&to, &from};
    const DimVector dims = joined_dims(both);
    const bool alone = dims.size() == to.dims.size() && is_writable(to.operand);
    if (!alone && !dtype.is_builtin()) throw_read_only(what, to.operand);
    if (op == Op::add && dtype.is_builtin())
        return scatter_over_dims(what, ScatterKind::add, from, to);
    if (op == Op::subtract && !alone) {
        from.operand = unary_operand(Op::negative, from.operand, dtype);
        return scatter_over_dims(what, ScatterKind::add, from, to);
    }
    if (dims.size() != to.dims.size())
        throw DimError(
            fmt::format("{}: the values have the Dim '{}', which the destination does not "
                        "have",
                        what, dims[to.dims.size()].name()));
    if (!alone) throw_read_only(what, to.operand);
    std::array<Operand, 2> aligned;
    DimVector order = align_dims(both, aligned);
    Operand result =
        is_complex(dtype)
            ? complex_binary(op, aligned[0], aligned[1], dtype)
            : cast_operand(binary_operand(op, aligned[0], aligned[1], compute, compute), dtype,
                           Op::cast);
    scatter_over_dims(what, ScatterKind::assign, {std::move(result), std::move(order)}, to);
}

} // namespace purview
