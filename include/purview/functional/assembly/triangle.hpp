#pragma once

#include <purview/functional/assembly/take.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/views.hpp>

namespace purview {

/// The elements on and above (`upper`), or on and below, the diagonal of the last two axes that
/// begins at column `offset`; zeros elsewhere.
PURVIEW_EXPORT Operand triangle_operand(const Operand& x, index_t offset, bool upper);
/// `diag` of an operand with `rank` positional axes after those of dims: for rank 1 a matrix with x
/// as that diagonal; for rank 2 that diagonal of x.
PURVIEW_EXPORT Operand diag_operand(const Operand& x, index_t offset, int rank);

/// `triu(x)`, `tril(x)`: the upper or the lower triangle of each matrix of the last two axes; other
/// elements are 0. `triu(x, offset)`: the diagonal begins at column `offset`, or, if negative, at
/// row `-offset`. As a stage: `x | triu(1)`. Lazy, O(1). Throws `ShapeError` below rank 2,
/// `DtypeError` for types that are not built-in.
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
    template <StageNumber<index_t> N>
    auto operator()(const N& offset) const {
        return make_stage(*this, static_cast<index_t>(offset));
    }
};
inline constexpr AcceptingArrays<TriangleFunction<true>> triu;
inline constexpr AcceptingArrays<TriangleFunction<false>> tril;

/// `diag(v)`: a square matrix with the elements of v on its diagonal, 0 elsewhere; `diag(m)`: the
/// diagonal of a matrix. `diag(v, offset)`: the diagonal that begins at column `offset`, or, if
/// negative, at row `-offset`. With dims, of the positional axes. Lazy, O(1). Throws `ShapeError`
/// for other ranks.
struct DiagFunction : PipelineStage {
    template <TensorLike X>
    ReadOnly<X> operator()(const X& x, index_t offset = 0) const {
        const int rank = x.rank();
        if constexpr (TypedTensor<X>)
            return result_of<ReadOnly<X>>(
                [=](const Operand& operand) { return diag_operand(operand, offset, rank); },
                operand_as<typename X::value_type>(x));
        else
            return ReadOnly<X>(diag_operand(x.operand(), offset, rank));
    }
    template <StageNumber<index_t> N>
    auto operator()(const N& offset) const {
        return make_stage(*this, static_cast<index_t>(offset));
    }
};
inline constexpr AcceptingArrays<DiagFunction> diag;

} // namespace purview
