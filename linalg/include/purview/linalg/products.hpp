#pragma once

#include <purview/functional/assembly/tile.hpp>
#include <purview/functional/elementwise/complex.hpp>
#include <purview/functional/elementwise/outer.hpp>
#include <purview/functional/reductions/norm.hpp>
#include <purview/functional/reductions/product.hpp>
#include <purview/linalg/solve.hpp>
#include <purview/named/lifted_view.hpp>
#include <purview/named/reduce_dims.hpp>
#include <purview/tensor/views.hpp>

#include <cstddef>
#include <utility>

namespace purview::inline v0_1::linalg {

/// How axes are permuted, and matrices made of tensors, that one product of matrices is a `tensordot`.
struct TensordotShapes {
    Shape order_of_x, order_of_y; ///< of axes
    Shape x, y, result;
};
/// Throws `ShapeError`, `IndexError`.
PURVIEW_LINALG_EXPORT TensordotShapes tensordot_shapes(ShapeSpan x, ShapeSpan y,
                                                       ShapeSpan axes_of_x, ShapeSpan axes_of_y);
/// Throws `ShapeError` for another length than 3 along an axis, `IndexError`.
PURVIEW_LINALG_EXPORT void require_three(const char* what, ShapeSpan shape, index_t axis);
/// Throws `ShapeError` for another number than so many axes that both have.
PURVIEW_LINALG_EXPORT void require_axes(index_t count, ShapeSpan x, ShapeSpan y);
/// Throws `ShapeError` for matrices [..., m, n] and right sides [..., m, k], or [m], of other numbers of rows, and for what is no
/// matrix.
PURVIEW_LINALG_EXPORT void require_rows(const char* what, const Operand& a, const Operand& b);
/// Throws `ShapeError` for what is no matrix, or has no rows or columns.
PURVIEW_LINALG_EXPORT void require_elements(const char* what, const Operand& x);
/// Throws `ShapeError` for what is no matrix, or not square.
PURVIEW_LINALG_EXPORT void require_square(const char* what, const Operand& x);
/// Matrices as they are multiplied: of the type that is computed in, in memory, or lazy of symbols.
PURVIEW_LINALG_EXPORT Operand matrices_operand(const char* what, const Operand& x, DType dtype);
/// Identities of the shape of `x`.
PURVIEW_LINALG_EXPORT Operand identities_operand(const Operand& x, DType dtype);

using purview::dot;
using purview::kron;
using purview::matmul;
using purview::norm;
using purview::outer;

/// `matrix_transpose(a)`: [..., m, n] as [..., n, m], a view.
template <MatrixOperand A>
auto matrix_transpose(const A& a) {
    return swap_axes(a, -2, -1);
}
/// `adjoint(a)`: the conjugates of the transposes: a view of real matrices, else lazy.
template <MatrixOperand A>
auto adjoint(const A& a) {
    if constexpr (ComplexElement<Element<A>>)
        return conj(swap_axes(a, -2, -1));
    else
        return swap_axes(a, -2, -1);
}
/// The conjugates: of real numbers these themselves.
template <MatrixOperand A>
auto conjugate(const A& a) {
    if constexpr (ComplexElement<Element<A>>)
        return conj(a);
    else
        return a;
}

/// `vecdot(x, y)`, `vecdot(x, y, axis)`: the sums of `conj(x) y` along an axis, the last one if none is given, of operands
/// that are broadcast together. O(size).
template <MatrixOperand X, MatrixOperand Y>
auto vecdot(const X& x, const Y& y, index_t axis = -1) {
    if constexpr (ComplexElement<Element<X>>)
        return sum(conj(x) * y, axis);
    else
        return sum(x * y, axis);
}

/// `trace(a)`, `trace(a, offset)`: the sums of the diagonals of [..., m, n], of shape [...]; `offset` as of `diag`. O(min(m, n)) for
/// each.
template <MatrixOperand A>
    requires(!HasDims<A>)
auto trace(const A& a, index_t offset = 0) { return sum(diagonal(a, offset, -2, -1), -1); }
template <MatrixOperand A>
    requires(HasDims<A>)
auto trace(const A& a, const Dim& rows, const Dim& columns, index_t offset = 0) {
    return sum(diagonal(a, offset, rows, columns), -1);
}

/// `cross(x, y)`, `cross(x, y, axis)`: the cross products of vectors of length 3 along an axis, the last one if none is given;
/// other axes are broadcast together. Lazy. Throws `ShapeError` for other lengths.
template <MatrixOperand X, MatrixOperand Y>
    requires(!HasDims<X> && !HasDims<Y>)
auto cross(const X& x, const Y& y, index_t axis = -1) {
    require_three("cross", x.shape(), axis);
    require_three("cross", y.shape(), axis);
    return roll(x, -1, axis) * roll(y, 1, axis) - roll(x, 1, axis) * roll(y, -1, axis);
}
/// `cross(x(i, d), y(j, d), d)`: over i, j and d.
template <MatrixOperand X, MatrixOperand Y>
    requires(HasDims<X>&& HasDims<Y>)
auto cross(const X& x, const Y& y, const Dim& dim) {
    require_three("cross", Shape{dim.size()}, 0);
    return roll(x, -1, dim) * roll(y, 1, dim) - roll(x, 1, dim) * roll(y, -1, dim);
}

/// `tensordot(x, y, 2)`: the sums of products over the last axes of x and the first ones of y, in their order: [a, b, c] · [b, c, d] →
/// [a, d]. `tensordot(x, y, {1}, {0})`: over these axes of x and of y. As products of matrices, O(size of the result times size of
/// what is summed over). Throws `ShapeError` for axes of different lengths, `IndexError`.
template <MatrixOperand X, MatrixOperand Y>
    requires(!HasDims<X> && !HasDims<Y>)
auto tensordot(const X& x, const Y& y, const AxisValues& axes_of_x, const AxisValues& axes_of_y) {
    const TensordotShapes shapes =
        tensordot_shapes(x.shape(), y.shape(), to_shape(axes_of_x), to_shape(axes_of_y));
    const auto left = reshape(transpose(x, AxisValues(shapes.order_of_x)), AxisValues(shapes.x));
    const auto right = reshape(transpose(y, AxisValues(shapes.order_of_y)), AxisValues(shapes.y));
    return reshape(matmul(left, right), AxisValues(shapes.result));
}
template <MatrixOperand X, MatrixOperand Y>
    requires(!HasDims<X> && !HasDims<Y>)
auto tensordot(const X& x, const Y& y, index_t count = 2) {
    require_axes(count, x.shape(), y.shape());
    Shape last, first;
    for (index_t i = 0; i < count; ++i) {
        last.push_back(x.rank() - count + i);
        first.push_back(i);
    }
    return tensordot(x, y, AxisValues(last), AxisValues(first));
}

/// `matrix_power(a, n)`: the product of n times `a`, [..., m, m], by repeated squaring; the identity for 0, powers of the inverse for
/// negative n. O(m³ log n). Throws `ShapeError`, and `LinearAlgebraError` for negative n.
template <MatrixOperand A>
    requires(!HasDims<A>)
auto matrix_power(const A& a, index_t n) {
    using Result = MatrixResult<Element<A>, A>;
    require_square("matrix_power", a.operand());
    if (n == 0) return Result(identities_operand(a.operand(), kDType<Element<A>>));
    auto left = static_cast<std::size_t>(n);
    if (n < 0) left = 0 - left;
    Result power(n < 0 ? inv(a).operand()
                       : matrices_operand("matrix_power", a.operand(), kDType<Element<A>>));
    for (; left % 2 == 0; left /= 2) power = Result(matmul(power, power).operand());
    Result result = power;
    while ((left /= 2) != 0) {
        power = Result(matmul(power, power).operand());
        if (left % 2 == 1) result = Result(matmul(result, power).operand());
    }
    return result;
}
/// `matrix_power(a(i, k), n, i, k)`: over i and k.
template <MatrixOperand A>
    requires(HasDims<A>)
auto matrix_power(const A& a, index_t n, const Dim& rows, const Dim& columns) {
    const auto power = [&]<typename M>(std::type_identity<M>, const Operand& x) {
        return std::vector<Operand>{matrix_power(M(x), n).operand()};
    };
    using T = typename A::value_type;
    return DimTensor<Element<A>>(
        std::move(results_over_dims("matrix_power", bound_operand(a), rows, columns,
                                    {{IndexOf::rows, IndexOf::columns}}, [&](const Operand& x) {
                                        return x.node->reads(Below::symbol)
                                                   ? power(std::type_identity<Symbol<T>>{}, x)
                                                   : power(std::type_identity<Tensor<T>>{}, x);
                                    })[0]));
}

} // namespace purview::linalg
