#include <purview/linalg/products.hpp>

#include "elements_of.hpp"
#include "matrix_stage.hpp"

#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1::linalg {
namespace {

index_t product(ShapeSpan shape, ShapeSpan axes) {
    index_t all = 1;
    for (const index_t axis : axes) all *= shape[static_cast<std::size_t>(axis)];
    return all;
}

/// The axes as places, each once.
Shape places_of(ShapeSpan axes, std::size_t rank) {
    Shape places;
    for (const index_t axis : axes) {
        const index_t place = checked_axis(axis, static_cast<int>(rank), "tensordot");
        if (std::ranges::count(places, place) > 0)
            throw IndexError(fmt::format("tensordot: axis {} is given twice", place));
        places.push_back(place);
    }
    return places;
}
Shape others(const Shape& axes, std::size_t rank) {
    Shape left;
    for (index_t axis = 0; axis < static_cast<index_t>(rank); ++axis)
        if (std::ranges::count(axes, axis) == 0) left.push_back(axis);
    return left;
}

} // namespace

TensordotShapes tensordot_shapes(ShapeSpan x, ShapeSpan y, ShapeSpan axes_of_x,
                                 ShapeSpan axes_of_y) {
    const Shape of_x = places_of(axes_of_x, x.size()), of_y = places_of(axes_of_y, y.size());
    if (of_x.size() != of_y.size())
        throw ShapeError(fmt::format("tensordot: {} axes, and {}", of_x.size(), of_y.size()));
    for (std::size_t i = 0; i < of_x.size(); ++i)
        if (x[static_cast<std::size_t>(of_x[i])] != y[static_cast<std::size_t>(of_y[i])])
            throw ShapeError(
                fmt::format("tensordot: axis {} of {} and axis {} of {} have different lengths",
                            of_x[i], to_string(x), of_y[i], to_string(y)));
    const Shape rows = others(of_x, x.size()), columns = others(of_y, y.size());
    TensordotShapes made;
    made.order_of_x = rows;
    made.order_of_x.insert(made.order_of_x.end(), of_x.begin(), of_x.end());
    made.order_of_y = of_y;
    made.order_of_y.insert(made.order_of_y.end(), columns.begin(), columns.end());
    made.x = {product(x, rows), product(x, of_x)};
    made.y = {product(y, of_y), product(y, columns)};
    for (const index_t axis : rows) made.result.push_back(x[static_cast<std::size_t>(axis)]);
    for (const index_t axis : columns) made.result.push_back(y[static_cast<std::size_t>(axis)]);
    return made;
}

void require_three(const char* what, ShapeSpan shape, index_t axis) {
    const index_t place = checked_axis(axis, static_cast<int>(shape.size()), what);
    if (shape[static_cast<std::size_t>(place)] != 3)
        throw ShapeError(
            fmt::format("{}: axis {} of {} has not the length 3", what, place, to_string(shape)));
}

void require_axes(index_t count, ShapeSpan x, ShapeSpan y) {
    if (count < 0 || static_cast<std::size_t>(count) > std::min(x.size(), y.size()))
        throw ShapeError(
            fmt::format("tensordot: over {} axes of {} and {}", count, to_string(x), to_string(y)));
}

namespace {

ShapeSpan matrix_shape(const char* what, const Operand& x) {
    const ShapeSpan shape = x.dims.max_shape();
    if (shape.size() < 2)
        throw ShapeError(fmt::format("{}: {} is no matrix", what, to_string(shape)));
    return shape;
}

} // namespace

void require_rows(const char* what, const Operand& a, const Operand& b) {
    const ShapeSpan shape = matrix_shape(what, a), right = b.dims.max_shape();
    if (right.empty() ||
        right[right.size() - (right.size() > 1 ? 2 : 1)] != shape[shape.size() - 2])
        throw ShapeError(
            fmt::format("{}: a right side of shape {} has not the {} rows of matrices of {}", what,
                        to_string(right), shape[shape.size() - 2], to_string(shape)));
}

void require_elements(const char* what, const Operand& x) {
    const ShapeSpan shape = matrix_shape(what, x);
    if (shape.back() == 0 || shape[shape.size() - 2] == 0)
        throw ShapeError(
            fmt::format("{}: matrices of {} have no elements", what, to_string(shape)));
}

void require_square(const char* what, const Operand& x) {
    const ShapeSpan shape = matrix_shape(what, x);
    if (shape[shape.size() - 2] != shape.back())
        throw ShapeError(fmt::format("{}: matrices of {} are not square", what, to_string(shape)));
}

Operand matrices_operand(const char* what, const Operand& x, DType dtype) {
    const MatrixOperands given = as_matrix_operands(what, {&x, 1});
    if (x.node->reads(Below::symbol))
        return x.dtype() == dtype ? x : cast_operand(x, dtype, Op::cast);
    const Operand& only = given.operands[0]; // dense
    const CountedBytes counted = counted_elements(what, only, dtype);
    return visit_matrix_dtype(dtype, [&]<typename T>(std::type_identity<T>) {
        return clone(elements_of<T>(what, only)).operand();
    });
}

Operand operand_read_once(const char* what, const Operand& x) {
    if (x.node->reads(Below::symbol)) return x;
    require_host_reads(what, x);
    if (!is_sparse(x) && !x.node->reads(Below::blocks)) return x;
    const CountedBytes counted = counted_elements(what, x, x.dtype());
    return is_sparse(x) ? without_sparse(x) : contiguous(AnyTensor(x)).operand();
}

Operand identities_operand(const Operand& x, DType dtype) {
    return visit_matrix_dtype(dtype, [&]<typename T>(std::type_identity<T>) {
        const Operand one = eye<T>(x.dims.max_shape().back()).operand();
        const Operand all{one.node, dimensions::expand(one.dims, x.dims.max_shape())};
        return clone(Tensor<T>(all)).operand();
    });
}

} // namespace purview::linalg
