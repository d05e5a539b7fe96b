#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/diagonal.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/progression.hpp>
#include <purview/functional/assembly/pad.hpp>
#include <purview/functional/assembly/triangle.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1 {
namespace {

Operand zero_of(DType dtype, const char* what) {
    Operand zero;
    if (!dtype.is_builtin())
        throw DtypeError(fmt::format("{}: elements of type {} have no zero", what, dtype.name()));
    visit_dtype(dtype, what,
                [&]<typename T>(std::type_identity<T>) { zero = constant_operand<T>(T{}); });
    return zero;
}

/// The mask in which row + offset is compared with column by `op`.
Operand diagonal_mask(Op op, index_t rows, index_t columns, index_t offset) {
    const index_t size[] = {rows, 1};
    Operand row = progression_operand(offset, checked_add(offset, rows - 1, "diagonal"));
    row.dims = dimensions::reshape(row.dims, size);
    return binary_operand(op, std::move(row), progression_operand(0, columns - 1), int64, boolean);
}

/// A sparse vector as a diagonal, which begins at row-major index `begin` of a square: its elements
/// are side + 1 apart, which makes them a column of a matrix with one more column. Choosing it by a
/// mask would first repeat it along all columns.
Operand sparse_diagonal(Operand x, index_t side, index_t begin, const Operand& zero) {
    const index_t n = x.dims.size();
    const index_t columns = checked_add(side, 1, "diag");
    const index_t size = checked_multiply(side, side, "diag");
    const index_t column[] = {n, 1};
    x.dims = dimensions::reshape(x.dims, column);
    const index_t row = begin / columns, at = begin % columns;
    const PadWidth widths[] = {{row, side - row - n}, {at, side - at}};
    Operand matrix = pad_operand(x, widths, PadMode::constant, zero);
    const index_t longer[] = {checked_multiply(side, columns, "diag")};
    const index_t square[] = {side, side};
    matrix.dims = dimensions::reshape(matrix.dims, longer);
    matrix.dims = dimensions::reshape(dimensions::select(matrix.dims, 0, Range(0, size)), square);
    return matrix;
}

Operand triangle_operand(const Operand& x, index_t offset, bool upper) {
    const char* const what = upper ? "triu" : "tril";
    const ShapeSpan shape = x.dims.max_shape();
    if (shape.size() < 2)
        throw ShapeError(fmt::format("{}: shape {} has no matrix", what, to_string(shape)));
    const index_t rows = shape[shape.size() - 2], columns = shape.back();
    // All diagonals outside of the matrix give the same result.
    const index_t begin = std::clamp(offset, -rows, columns);
    return choose_operand(
        diagonal_mask(upper ? Op::less_equal : Op::greater_equal, rows, columns, begin), x,
        zero_of(x.dtype(), what), x.dtype());
}

} // namespace

Operand upper_triangle_operand(const Operand& x, index_t offset, int) {
    return triangle_operand(x, offset, true);
}
Operand lower_triangle_operand(const Operand& x, index_t offset, int) {
    return triangle_operand(x, offset, false);
}

Operand diag_operand(const Operand& x, index_t offset, int rank) {
    const index_t dims = x.dims.rank() - rank;
    if (rank == 2) return {x.node, dimensions::diagonal(x.dims, dims, dims + 1, offset)};
    if (rank != 1)
        throw ShapeError(
            fmt::format("diag: shape {} is neither a vector nor a matrix",
                        to_string(x.dims.max_shape().subspan(static_cast<std::size_t>(dims)))));
    const index_t n = x.dims.max_shape().back();
    const index_t more = offset < 0 ? -offset : offset;
    const index_t side = checked_add(n, more, "diag");
    const Operand zero = zero_of(x.dtype(), "diag");
    if (dims == 0 && is_sparse(x))
        return sparse_diagonal(x, side, offset < 0 ? more * side : more, zero);
    const PadWidth width{0, more};
    Operand values = pad_operand(x, std::span(&width, 1), PadMode::constant, zero);
    // Values are indexed by row, or, for a diagonal below the main one, by column.
    Shape column = to_shape(x.dims.max_shape());
    column.back() = offset >= 0 ? side : 1;
    column.push_back(offset >= 0 ? 1 : side);
    values.dims = dimensions::reshape(values.dims, column);
    return choose_operand(diagonal_mask(Op::equal, side, side, offset), std::move(values), zero,
                          x.dtype());
}

} // namespace purview
