#pragma once

#include <purview/dimensions/affine_index.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/maths.hpp>

#include <type_traits>

namespace purview::inline v0_1 {

// Sums and multiples of Dims, `2 * i + k - 1`, are index expressions, so that indexing with them
// gives a view. All other operations on a Dim give a tensor, with the Dim as the tensor of its
// indexes. They throw `ShapeError` on overflow.

template <typename X>
concept IndexPart = IndexExpression<X> || IndexInteger<X>;

template <typename X, typename Y>
concept IndexParts = IndexPart<X> && IndexPart<Y>;

template <IndexPart X>
AffineIndex index_expression(const X& x) {
    if constexpr (IndexInteger<X>)
        return AffineIndex(to_index(x));
    else
        return AffineIndex(x);
}

template <typename X, typename Y>
    requires(TensorOperands<X, Y>&& OperandsOf<X, Y, Op::add>&& IndexParts<X, Y>)
AffineIndex operator+(const X& x, const Y& y) {
    return AffineIndex::sum(index_expression(x), index_expression(y), 1);
}
template <typename X, typename Y>
    requires(TensorOperands<X, Y>&& OperandsOf<X, Y, Op::subtract>&& IndexParts<X, Y>)
AffineIndex operator-(const X& x, const Y& y) {
    return AffineIndex::sum(index_expression(x), index_expression(y), -1);
}
template <typename X, typename Y>
    requires(TensorOperands<X, Y>&& OperandsOf<X, Y, Op::multiply>&& IndexParts<X, Y> &&
             (IndexInteger<X> || IndexInteger<Y>))
AffineIndex operator*(const X& x, const Y& y) {
    if constexpr (IndexInteger<X>)
        return AffineIndex::scaled(index_expression(y), to_index(x));
    else
        return AffineIndex::scaled(index_expression(x), to_index(y));
}
template <IndexExpression X>
    requires(TensorLike<X>&& OperandOf<X, Op::negative>)
AffineIndex operator-(const X& x) { return AffineIndex::scaled(x, -1); }

} // namespace purview
