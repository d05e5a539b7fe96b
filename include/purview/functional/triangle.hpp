#pragma once

#include <purview/functional/take.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/views.hpp>

namespace purview {

/// On and above (`upper`), or on and below the diagonal of the last two axes that begins at column `offset`; zeros
/// elsewhere.
PURVIEW_EXPORT Operand triangle_operand(const Operand& x, index_t offset, bool upper);
/// Of rank 1: a matrix with x as that diagonal. Of rank 2: that diagonal.
PURVIEW_EXPORT Operand diag_operand(const Operand& x, index_t offset);

/// `triu(x)`, `tril(x)`: the upper or the lower triangle of each matrix of the last two axes: other elements are 0.
/// `triu(x, offset)`: the diagonal begins at column `offset`, or, negative, at row `-offset`. `x | triu(1)`. Lazy, O(1).
/// Throws `ShapeError` below rank 2, `DtypeError` for elements of no built-in type.
template <bool upper>
struct TriangleFunction : PipelineStage {
    template <TensorLike X>
    ReadOnly<X> operator()(const X& x, index_t offset = 0) const {
        if constexpr (TypedTensor<X>)
            return result_of<ReadOnly<X>>(
                [offset](const Operand& operand) {
                    return triangle_operand(operand, offset, upper);
                },
                operand_as<typename X::value_type>(x));
        else
            return ReadOnly<X>(triangle_operand(x.operand(), offset, upper));
    }
    auto operator()(index_t offset) const { return later(*this, offset); }
};
inline constexpr AcceptingArrays<TriangleFunction<true>> triu;
inline constexpr AcceptingArrays<TriangleFunction<false>> tril;

/// `diag(v)`: a square matrix with the elements of v on its diagonal, 0 elsewhere; `diag(m)`: the diagonal of a matrix.
/// `diag(v, offset)`: the diagonal that begins at column `offset`, or, negative, at row `-offset`. Lazy, O(1). Throws
/// `ShapeError` for other ranks.
struct DiagFunction : PipelineStage {
    template <PlainTensor X>
    ReadOnly<X> operator()(const X& x, index_t offset = 0) const {
        return ReadOnly<X>(diag_operand(x.operand(), offset));
    }
    auto operator()(index_t offset) const { return later(*this, offset); }
};
inline constexpr AcceptingArrays<DiagFunction> diag;

} // namespace purview
