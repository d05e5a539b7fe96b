#include "engine/entrance/sparse_by_slabs.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/squeeze.hpp>
#include <purview/evaluation/sparsity.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/leaf.hpp>

#include "dtype/element_block.hpp"
#include "engine/boxes/cell_operand.hpp"
#include "engine/boxes/chunked_parts.hpp"
#include "engine/contract/contraction.hpp"
#include "engine/entrance/fold_way.hpp"
#include "engine/reduce/reduced_source.hpp"
#include "evaluation/lane_slabs.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1::engine {
namespace {

/// The extents along the axes of an array of chunks that an axis of a view runs along one after the other, as reshapes
/// merge them; its own one where it does not.
Shape apart(index_t extent, index_t stride, const Chunks* chunks) {
    if (chunks == nullptr) return {extent};
    const Shape& shape = chunks->grid().shape;
    std::size_t axis = shape.size();
    for (index_t below = 1; axis > 0 && below != stride;) below *= shape[--axis];
    Shape extents;
    for (index_t left = extent; axis > 0 && left > 1;) {
        const index_t along = std::min(left, shape[--axis]);
        if (left % along != 0) return {extent};
        left /= along;
        if (along > 1) extents.insert(extents.begin(), along);
    }
    index_t size = 1;
    for (const index_t along : extents) size *= along;
    return size == extent ? extents : Shape{extent};
}

} // namespace

bool SparseBySlabs::find(const work::Fold& fold, const Operand& source) {
    const Elementwise* const product = product_at(source);
    if (fold.reduction != Reduction::sum || product == nullptr || source.dims.size() == 0)
        return false;
    const Operand factors[] = {seen(source.dims, product->operand(0)),
                               seen(source.dims, product->operand(1))};
    dense_ = storage_kind_of(*factors[0].node) == Kind::sparse ? 1 : 0;
    sparse_factor_ = factors[1 - dense_];
    const Operand& dense = factors[dense_];
    if (storage_kind_of(*sparse_factor_.node) != Kind::sparse ||
        sparse_factor_.node->reads(Below::blocks) || storage_kind_of(*dense.node) <= Kind::sparse ||
        !dense.node->reads(Below::blocks))
        return false;
    source_ = &source;
    const ShapeSpan shape = source.dims.max_shape();
    kept_ = kept_axes(shape, fold.groups);
    const AxisSet of_sparse = axes_of(sparse_factor_);
    axes_ = in_order({axes_of(dense)});
    const Operand own = over_axes(dense, axes_);
    const Leaf* const leaf = leaf_of(own);
    const Chunks* const chunks =
        leaf != nullptr && own.dims.is_strided() ? leaf->reader().chunks() : nullptr;
    Shape extents;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        const auto axis = static_cast<std::size_t>(axes_[i]);
        const bool is_cut = axis < kept_ && (of_sparse >> axis & 1) == 0;
        const Shape along =
            is_cut ? Shape{shape[axis]}
                   : apart(shape[axis], chunks != nullptr ? own.dims.strides()[i] : 0, chunks);
        for (const index_t extent : along) {
            if (!is_cut) whole_.push_back(std::ssize(extents));
            extents.push_back(extent);
        }
    }
    dense_factor_ = {own.node, dimensions::reshape(own.dims, extents)};
    return whole_.size() < extents.size();
}

/// A slab from the coordinates of a box of the root.
Operand SparseBySlabs::slab_in_root(const Operand& slab, ShapeSpan extents) const {
    Shape own;
    for (const index_t axis : axes_) own.push_back(extents[static_cast<std::size_t>(axis)]);
    Dimensions dims = dimensions::reshape(slab.dims, own);
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
        if (std::ranges::find(axes_, static_cast<index_t>(axis)) == axes_.end())
            dims = dimensions::new_axis(dims, static_cast<index_t>(axis));
    return {slab.node, dimensions::expand(dims, extents)};
}

void SparseBySlabs::run(std::byte* out) const {
    const ShapeSpan shape = source_->dims.max_shape();
    const DType dtype = source_->dtype();
    for_each_slab("matmul", dense_factor_, whole_, [&](const Operand& slab, ShapeSpan begin) {
        Box box{Shape(shape.size(), 0), to_shape(shape)};
        // An axis that is cut is one axis of the dense factor.
        const ShapeSpan extents = slab.dims.max_shape();
        std::size_t at = 0;
        for (const index_t axis : axes_) {
            const index_t extent = shape[static_cast<std::size_t>(axis)];
            const bool is_whole =
                std::ranges::find(whole_, static_cast<index_t>(at)) != whole_.end();
            if (!is_whole) {
                box.begin[static_cast<std::size_t>(axis)] = begin[at];
                box.end[static_cast<std::size_t>(axis)] = begin[at] + extents[at];
                ++at;
                continue;
            }
            for (index_t size = 1; size < extent;) size *= dense_factor_.dims.max_shape()[at++];
        }
        Operand factors[2];
        factors[dense_] = slab_in_root(slab, box.extents());
        factors[1 - dense_] = {sparse_factor_.node, part_of(sparse_factor_.dims, box)};
        const Operand product{with_operands(*source_->node, factors),
                              Dimensions::row_major(box.extents())};
        const Box kept{to_shape(ShapeSpan(box.begin).first(kept_)),
                       to_shape(ShapeSpan(box.end).first(kept_))};
        ElementBlock sums(dtype, kept.size());
        reduce_on_cpu({Reduction::sum, kept.size()}, product, sums.data());
        place_results(kept, shape.first(kept_), dtype.size_bytes(), sums.data(), out);
    });
    count_way(Way::chunks);
}

std::string SparseBySlabs::describe() const {
    return fmt::format(
        "product of a sparse factor and slabs of the dense one, whose elements are {}",
        dense_factor_.dims.size());
}

} // namespace purview::engine
