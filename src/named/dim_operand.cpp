#include <purview/dimensions/squeeze.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/expression/progression.hpp>
#include <purview/named/deferred.hpp>
#include <purview/named/dim_operand.hpp>

#include "named/align.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// The values of an index expression: a progression of integers, with the coefficients as strides.
DimOperand values_of(const AffineIndex& index) {
    const AffineIndex::Bounds bounds = index.bounds();
    Shape shape;
    Shape strides;
    for (const AffineIndex::Term& term : index.terms()) {
        shape.push_back(term.dim.size());
        strides.push_back(term.dim.size() > 1 ? term.coefficient : 0);
    }
    if (bounds.lowest > bounds.highest)
        return {{progression_operand(0, -1).node, Dimensions::row_major(shape)}, index.dims()};
    Operand values = progression_operand(bounds.lowest, bounds.highest);
    values.dims =
        Dimensions::strided(shape, strides, values.dims.base() + index.constant() - bounds.lowest);
    return {std::move(values), index.dims()};
}

/// For strided operands: dims that an operand lacks repeat by a stride of 0.
Dimensions aligned_strided(const DimOperand& x, std::span<const Dim> dims, int rank) {
    const ShapeSpan shape = x.operand.dims.max_shape();
    const ShapeSpan strides = x.operand.dims.strides();
    Shape new_shape;
    Shape new_strides;
    new_shape.reserve(dims.size() + static_cast<std::size_t>(rank));
    new_strides.reserve(dims.size() + static_cast<std::size_t>(rank));
    for (const Dim& dim : dims) {
        const index_t at = position_of(dim, x.dims);
        new_shape.push_back(at < 0 ? dim.size() : shape[static_cast<std::size_t>(at)]);
        new_strides.push_back(at < 0 ? 0 : strides[static_cast<std::size_t>(at)]);
    }
    for (int missing = rank - rank_of(x); missing > 0; --missing) {
        new_shape.push_back(1);
        new_strides.push_back(0);
    }
    for (std::size_t axis = x.dims.size(); axis < shape.size(); ++axis) {
        new_shape.push_back(shape[axis]);
        new_strides.push_back(strides[axis]);
    }
    return Dimensions::strided(new_shape, new_strides, x.operand.dims.base());
}

} // namespace

DimOperand::DimOperand() = default;
DimOperand::DimOperand(const DimOperand&) = default;
DimOperand::DimOperand(DimOperand&&) noexcept = default;
DimOperand& DimOperand::operator=(const DimOperand&) = default;
DimOperand& DimOperand::operator=(DimOperand&&) noexcept = default;
DimOperand::~DimOperand() = default;

bool named::is_aligned(const DimOperand& x, std::span<const Dim> dims, int rank) noexcept {
    const auto are_same = [](const Dim& a, const Dim& b) { return same(a, b); };
    return x.operand.dims.rank() == 0 ||
           (rank_of(x) == rank &&
            std::equal(x.dims.begin(), x.dims.end(), dims.begin(), dims.end(), are_same));
}

Dimensions named::aligned_dims(const DimOperand& x, std::span<const Dim> dims, int rank) {
    if (x.operand.dims.is_strided()) return aligned_strided(x, dims, rank);
    // The operand's own dims in the order of `dims`, then an axis of size 1 for each of the others.
    Shape order;
    for (const Dim& dim : dims)
        if (const index_t at = position_of(dim, x.dims); at >= 0) order.push_back(at);
    for (index_t axis = x.dim_count(); axis < x.operand.dims.rank(); ++axis) order.push_back(axis);
    Dimensions result = dimensions::transpose(x.operand.dims, order);
    for (std::size_t at = 0; at < dims.size(); ++at)
        if (position_of(dims[at], x.dims) < 0)
            result = dimensions::new_axis(result, static_cast<index_t>(at));
    for (int missing = rank - rank_of(x); missing > 0; --missing)
        result = dimensions::new_axis(result, static_cast<index_t>(dims.size()));
    return result;
}

DimOperand dim_operand(const AffineIndex& index) {
    bool sized = true;
    for (const AffineIndex::Term& term : index.terms()) sized = sized && term.dim.has_size();
    if (sized) return values_of(index);
    DimVector needs;
    for (const AffineIndex::Term& term : index.terms())
        if (!term.dim.has_size()) needs.push_back(term.dim);
    return defer(int64, index.dims(), 0, {}, std::move(needs),
                 [index](std::span<DimOperand>) { return values_of(index); });
}

DimVector align_dims(std::span<const DimOperand* const> operands, std::span<Operand> aligned) {
    DimVector dims = joined_dims(operands);
    const int rank = largest_rank(operands);
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const DimOperand& x = *operands[i];
        aligned[i].node = x.operand.node;
        aligned[i].dims =
            named::is_aligned(x, dims, rank) ? x.operand.dims : named::aligned_dims(x, dims, rank);
    }
    return dims;
}

} // namespace purview
