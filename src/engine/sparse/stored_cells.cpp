#include "engine/sparse/stored_cells.hpp"

#include <purview/dimensions/reduce.hpp>
#include <purview/expression/leaf.hpp>

#include "engine/places/gathered_places.hpp"
#include "expression/graph.hpp"

#include <utility>

namespace purview::inline v0_1::engine {
std::optional<StoredCells> StoredCells::of(const Operand& source, index_t groups,
                                           const char* what) {
    if (!source.dtype().is_builtin() || source.dims.size() == 0 || source.dims.is_contiguous())
        return std::nullopt;
    StoredCells cells;
    const Dimensions reduced = dimensions::reduce(source.dims);
    if (!cells.digits_.prepare(reduced) || !cells.digits_.group(source.dims.size() / groups))
        return std::nullopt;
    if (const Leaf* const leaf = leaf_of(source)) {
        cells.pairs_ = listed_pairs(leaf->reader());
    } else {
        const NodeKind kind = source.node->kind();
        if (kind != NodeKind::elementwise && kind != NodeKind::gather &&
            kind != NodeKind::piecewise)
            return std::nullopt;
        const ShapeSpan shape = shape_of(*source.node);
        if (element_count(shape) != source.dims.size()) return std::nullopt;
        cells.computed_.emplace(Operand{source.node, Dimensions::row_major(shape)}, what);
        cells.own_ = pairs_of(*cells.computed_);
        cells.pairs_ = cells.own_.pairs();
    }
    if (groups > 4 * cells.pairs_.stored() + 65536) return std::nullopt;
    const AddressRange range = reduced.address_range();
    const index_t offset = cells.pairs_.offset;
    cells.pairs_ =
        pairs_between(std::move(cells.pairs_), range.lowest + offset, range.highest + 1 + offset);
    return cells;
}

} // namespace purview::engine
