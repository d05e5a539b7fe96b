#pragma once

#include <purview/functional/elementwise/operands.hpp>
#include <purview/tensor/views.hpp>

namespace purview::inline v0_1 {

/// An operand from one with `rank` positional axes after those of dims, and the number of a
/// diagonal: the upper and the lower triangle of its matrices; a matrix with a vector as its
/// diagonal, or the diagonal of a matrix.
PURVIEW_EXPORT Operand upper_triangle_operand(const Operand& x, index_t offset, int rank);
PURVIEW_EXPORT Operand lower_triangle_operand(const Operand& x, index_t offset, int rank);
PURVIEW_EXPORT Operand diag_operand(const Operand& x, index_t offset, int rank);

/// Functions of a tensor and the number of a diagonal.
template <Operand (*of)(const Operand& x, index_t offset, int rank)>
struct OffDiagonalFunction : ArrayFunction<OffDiagonalFunction<of>> {
    using ArrayFunction<OffDiagonalFunction>::operator();
    template <viewable X>
    auto operator()(X&& x, index_t offset = 0) const {
        const auto& tensor = lasting_tensor(std::forward<X>(x));
        return result_of<ReadOnly<TensorOf<X>>>(
            [offset, rank = tensor.rank()](const Operand& operand) {
                return of(operand, offset, rank);
            },
            operand_as<void>(tensor));
    }
    template <StageNumber<index_t> N>
    auto operator()(const N& offset) const {
        return make_stage(*this, static_cast<index_t>(offset));
    }
};

/// `triu(x)`, `tril(x)`: the upper or the lower triangle of each matrix of the last two axes; other
/// elements are 0. `triu(x, offset)`: the diagonal begins at column `offset`, or, if negative, at
/// row `-offset`. As a stage: `x | triu(1)`. Lazy, O(1). Throws `ShapeError` below rank 2,
/// `DtypeError` for types that are not built-in.
inline constexpr OffDiagonalFunction<upper_triangle_operand> triu;
inline constexpr OffDiagonalFunction<lower_triangle_operand> tril;

/// `diag(v)`: a square matrix with the elements of v on its diagonal, 0 elsewhere; `diag(m)`: the
/// diagonal of a matrix. `diag(v, offset)`: the diagonal that begins at column `offset`, or, if
/// negative, at row `-offset`. With dims, of the positional axes. Lazy, O(1). Throws `ShapeError`
/// for other ranks.
inline constexpr OffDiagonalFunction<diag_operand> diag;

} // namespace purview
