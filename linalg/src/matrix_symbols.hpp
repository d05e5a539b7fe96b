#pragma once

#include "matrix_stage.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/expression/derivatives.hpp>
#include <purview/functional/assembly/concat.hpp>
#include <purview/functional/assembly/triangle.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/functional/reductions/product.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/slices.hpp>
#include <purview/tensor/symbol.hpp>
#include <purview/tensor/views.hpp>

#include <utility>
#include <vector>

/// Functions of matrices in a traced computation, for rules of derivatives.
namespace purview::inline v0_1::linalg::matrix_symbols {

/// An operand, or a result, of a call that is seen through further axes of a batch.
inline Operand led(const Operand& x, ShapeSpan leading) {
    Shape shape = to_shape(leading);
    const ShapeSpan own = x.dims.max_shape();
    shape.insert(shape.end(), own.begin(), own.end());
    return {x.node, dimensions::expand(x.dims, shape)};
}
template <typename T>
Symbol<T> transposed(const Symbol<T>& x) {
    return Symbol<T>(swap_axes(x, -1, -2).operand());
}
template <typename T>
Symbol<T> product(const Symbol<T>& x, const Symbol<T>& y) {
    return Symbol<T>(purview::matmul(x, y).operand());
}
template <typename T>
Symbol<T> called(MatrixFunction function, const MatrixOptions& options,
                 std::vector<Operand> operands, std::size_t number = 0) {
    return Symbol<T>(staged(function, options, std::move(operands))[number]);
}
template <typename T>
Symbol<T> solved(const Symbol<T>& a, const Symbol<T>& b) {
    return called<T>(MatrixFunction::solve, {}, {a.operand(), b.operand()});
}
template <typename T>
Symbol<T> solved_triangle(const Symbol<T>& a, const Symbol<T>& b, bool upper) {
    return called<T>(MatrixFunction::solve_triangular, {.upper = upper},
                     {a.operand(), b.operand()});
}
template <typename T>
Symbol<T> as_matrices_of_one(const Symbol<T>& x) {
    return Symbol<T>(x(ellipsis, new_axis, new_axis).operand());
}
template <typename T>
Symbol<T> as_row(const Symbol<T>& x) {
    return Symbol<T>(x(ellipsis, new_axis, all).operand());
}
template <typename T>
Symbol<T> as_column(const Symbol<T>& x) {
    return Symbol<T>(x(ellipsis, all, new_axis).operand());
}
template <typename T>
Symbol<T> eye_of(index_t n) {
    return Symbol<T>(constant(eye<T>(n)).operand());
}
template <typename T>
Symbol<T> lower(const Symbol<T>& x, index_t k = 0) {
    return Symbol<T>(tril(x, k).operand());
}
template <typename T>
Symbol<T> upper(const Symbol<T>& x) {
    return Symbol<T>(triu(x).operand());
}
/// The lower triangle, and half of the diagonal.
template <typename T>
Symbol<T> halved_lower(const Symbol<T>& x) {
    return Symbol<T>(
        (lower(x) - static_cast<T>(0.5) * (x * eye_of<T>(x.shape().back()))).operand());
}
template <typename T>
Symbol<T> symmetric(const Symbol<T>& x) {
    return Symbol<T>((static_cast<T>(0.5) * (x + transposed(x))).operand());
}
template <typename T>
Symbol<T> diagonal_of(const Symbol<T>& x) {
    return Symbol<T>(sum(x * eye_of<T>(x.shape().back()), -1).operand());
}
template <typename T>
Symbol<T> traced(const Symbol<T>& x) {
    return Symbol<T>(sum(sum(x, -1), -1).operand());
}
/// 1 / (y_j - y_i), and 0 on the diagonal.
template <typename T>
Symbol<T> gaps(const Symbol<T>& y) {
    const Symbol<T> identity = eye_of<T>(y.shape().back());
    return Symbol<T>(
        (static_cast<T>(1) / (as_row(y) - as_column(y) + identity) - identity).operand());
}
/// x_j / (x_i + x_j) in row i, column j, of numbers that are not negative; on the diagonal anything.
template <typename T>
Symbol<T> shares(const Symbol<T>& x) {
    return Symbol<T>(
        (as_row(x) / (as_row(x) + as_column(x) + eye_of<T>(x.shape().back()))).operand());
}
// With columns, and rows, of zeros behind its own.
template <typename T>
Symbol<T> with_columns(const Symbol<T>& x, index_t n) {
    const index_t k = x.shape().back();
    return k == n ? x : product(x, Symbol<T>(eye_of<T>(n)(range(0, k), all).operand()));
}
template <typename T>
Symbol<T> with_rows(const Symbol<T>& x, index_t m) {
    const index_t k = x.shape()[x.shape().size() - 2];
    return k == m ? x : product(Symbol<T>(eye_of<T>(m)(all, range(0, k)).operand()), x);
}
/// The largest sums of absolute values of a column, without a derivative, 1 where they are 0: [..., 1, 1].
template <typename T>
Symbol<T> sizes_of(const Symbol<T>& x) {
    const auto sizes = max(sum(abs(x), -2), -1);
    const Symbol<T> constants(without_derivative(sizes.operand()));
    return as_matrices_of_one(
        Symbol<T>(where(constants == static_cast<T>(0), static_cast<T>(1), constants).operand()));
}
/// The upper right block of the exponential of [[x, e], [0, x]]: the derivative of that of x along e, in which it is linear: the
/// squarings that a large e would ask for would take the digits of x.
template <typename T>
Symbol<T> exponential_along(const Symbol<T>& x, const Symbol<T>& direction) {
    if (x.shape().back() == 0) return direction;
    const Symbol<T> size = sizes_of(direction);
    const Symbol<T> e((direction / size).operand());
    const Symbol<T> zero((x * static_cast<T>(0)).operand());
    const Symbol<T> above(concat(x, e, -1).operand()), below(concat(zero, x, -1).operand());
    const Symbol<T> blocks(concat(above, below, -2).operand());
    const index_t n = x.shape().back();
    const Symbol<T> made = called<T>(MatrixFunction::expm, {}, {blocks.operand()});
    return Symbol<T>((size * made(ellipsis, range(0, n), range(n, 2 * n))).operand());
}

} // namespace purview::linalg::matrix_symbols
