#include "engine/sparse/region.hpp"

#include <purview/dimensions/reshape.hpp>
#include <purview/evaluation/sparsity.hpp>

#include "engine/places/compact_leaf.hpp"

#include <memory>
#include <utility>

namespace purview::inline v0_1::engine {

std::vector<bool> sparse_region(const Values& values) {
    std::vector<bool> is_sparse(values.size(), false);
    is_sparse[0] = true;
    std::vector<ValueId> next{0};
    while (!next.empty()) {
        const ValueId id = next.back();
        next.pop_back();
        for (const ValueId operand : values.operands(id)) {
            if (is_sparse[operand] || storage_kind_of(*values[operand].node) > Kind::sparse)
                continue;
            is_sparse[operand] = true;
            next.push_back(operand);
        }
    }
    return is_sparse;
}

Operand gathered_at(const Operand& source, const IndexSpan& list) {
    const index_t size = source.dims.size();
    const index_t count = list.count();
    Operand flat{source.node, dimensions::reshape(source.dims, ShapeSpan(&size, 1))};
    Operand indexes = compact_leaf(std::make_shared<CompactReader>(
        int64, count, MemoryView{list.indexes.data(), sizeof(index_t)}));
    const ShapeSpan shape(&count, 1);
    Dimensions dims = Dimensions::row_major(shape);
    return {make_node<Gather>("sparse evaluation",
                              Gather::Operands{std::move(flat), std::move(indexes)},
                              GatherAxes{GatherAxis::at(0)}, shape),
            std::move(dims)};
}

} // namespace purview::engine
