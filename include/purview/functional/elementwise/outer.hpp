#pragma once

#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/views.hpp>

namespace purview::inline v0_1 {

/// `outer(x, y)`, or a stage, `x | outer(y)`: the products of every element of `x` and every
/// element of `y`, both in row-major order: `[n] × [m] → [n, m]`, under the dims of both. Types are
/// promoted. Lazy, O(1). Throws `DtypeError`.
struct OuterFunction : SecondOperandAsStage<OuterFunction> {
    using SecondOperandAsStage<OuterFunction>::operator();

    template <array_like X, array_like Y>
        requires requires(TensorOf<X> x, TensorOf<Y> y) { x* y; }
    auto operator()(X&& x, Y&& y) const {
        return insert_axis(reshape(lasting_tensor(std::forward<X>(x)), {-1}), 1) *
               reshape(lasting_tensor(std::forward<Y>(y)), {-1});
    }
};
inline constexpr OuterFunction outer;

/// For `kron`: the shapes to which the operands are reshaped before they are multiplied, and the
/// result's.
struct KroneckerShapes {
    Shape x;      ///< `[a, 1, b, 1, …]`
    Shape y;      ///< `[1, c, 1, d, …]`
    Shape result; ///< `[a * c, b * d, …]`
};
/// Throws `ShapeError` for a number of elements that does not fit `index_t`.
PURVIEW_EXPORT KroneckerShapes kronecker_shapes(ShapeSpan x, ShapeSpan y);

/// `kron(x, y)`, or a stage: the Kronecker product, blocks of `y` times each element of `x`:
/// `[a, b] × [c, d] → [a c, b d]`, of any rank; missing axes are added on the left. Types are
/// promoted. In new memory, under the dims of both: eager, O(size of the result), because a lazy
/// result, which strides cannot describe, would be read ten times as slowly. Throws `ShapeError`,
/// `DtypeError`.
struct KronFunction : SecondOperandAsStage<KronFunction> {
    using SecondOperandAsStage<KronFunction>::operator();

    template <array_like X, array_like Y>
        requires requires(TensorOf<X> x, TensorOf<Y> y) { x* y; }
    auto operator()(const X& x, const Y& y) const {
        return product(tensor_for_call(x), tensor_for_call(y));
    }

private:
    template <typename X, typename Y>
    static auto product(const X& x, const Y& y) {
        const KroneckerShapes shapes = kronecker_shapes(x.shape(), y.shape());
        return reshape(clone(reshape(x, shapes.x) * reshape(y, shapes.y)), shapes.result);
    }
};
inline constexpr KronFunction kron;

} // namespace purview
