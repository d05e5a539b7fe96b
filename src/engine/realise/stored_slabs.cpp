#include "engine/realise/stored_slabs.hpp"

#include <purview/dimensions/transpose.hpp>
#include <purview/evaluation/threads.hpp>

#include "dtype/element_block.hpp"
#include "engine/boxes/cell_operand.hpp"
#include "engine/boxes/in_order.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/realise/assign_dense.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

namespace purview::inline v0_1::engine {
namespace {

Box common_box(const Box& a, const Box& b) {
    Box box = a;
    for (std::size_t i = 0; i < box.begin.size(); ++i) {
        box.begin[i] = std::max(a.begin[i], b.begin[i]);
        box.end[i] = std::min(a.end[i], b.end[i]);
    }
    return box;
}

/// The box in coordinates that begin where `origin` does.
Box within(const Box& box, ShapeSpan origin) {
    Box result = box;
    for (std::size_t a = 0; a < origin.size(); ++a) {
        result.begin[a] -= origin[a];
        result.end[a] -= origin[a];
    }
    return result;
}

std::span<std::byte> bytes_at(void* memory, index_t first, index_t count) {
    return {static_cast<std::byte*>(memory) + first, static_cast<std::size_t>(count)};
}

/// The axes, those first along which several cells have elements of a slab.
Shape order_in_memory(const ChunkWalk& walk, const SlabGrid& slabs) {
    const Box slab = slabs.box(0);
    const Shape cell = walk.largest_cell();
    Shape order;
    for (const bool several : {true, false})
        for (std::size_t a = 0; a < cell.size(); ++a)
            if (several == (cell[a] < slab.end[a])) order.push_back(static_cast<index_t>(a));
    return order;
}

} // namespace

StoredSlabs::StoredSlabs(const char* what, const Operand& operand, const ChunkWalk& walk,
                         const SlabGrid& slabs)
    : what_(what),
      dtype_(operand.dtype()),
      order_(order_in_memory(walk, slabs)),
      slabs_(slabs),
      file_(what, operand.dims.size() * dtype_.size_bytes()),
      parts_(static_cast<std::size_t>(slabs.count())) {
    index_t cell = dtype_.size_bytes();
    for (const index_t extent : walk.largest_cell()) cell *= extent;
    walk.run(what, {.bytes = cell}, [&](const WalkedCell& walked) { store(walked); });
}

Dimensions StoredSlabs::in_memory(ShapeSpan extents) const {
    Shape shape;
    Shape back(order_.size(), 0);
    for (std::size_t a = 0; a < order_.size(); ++a) {
        shape.push_back(extents[static_cast<std::size_t>(order_[a])]);
        back[static_cast<std::size_t>(order_[a])] = static_cast<index_t>(a);
    }
    return dimensions::transpose(Dimensions::row_major(shape), back);
}

void StoredSlabs::store(const WalkedCell& cell) {
    ElementBlock block(dtype_, cell.box.size());
    slabs_.for_each_in(cell.box, [&](index_t slab) {
        const Box box = common_box(cell.box, slabs_.box(slab));
        const index_t bytes = box.size() * dtype_.size_bytes();
        assign_dense({cell.operand.node, part_of(cell.operand.dims, within(box, cell.box.begin))},
                     {memory_leaf(dtype_, block.data(), box.size()), in_memory(box.extents())});
        const index_t at = file_.append(bytes_at(block.data(), 0, bytes));
        const std::scoped_lock lock(mutex_);
        parts_[static_cast<std::size_t>(slab)].push_back({box, at});
    });
}

LoadedSlab::LoadedSlab(const StoredSlabs& stored, index_t number)
    : box_(stored.slabs_.box(number)),
      counted_(box_.size() * stored.dtype_.size_bytes(), stored.what_),
      operand_{new_memory_leaf(stored.dtype_, box_.size(), memory_),
               stored.in_memory(box_.extents())} {
    const auto& parts = stored.parts_[static_cast<std::size_t>(number)];
    in_order(std::ssize(parts), threads(),
             [&](index_t i) { load(stored, parts[static_cast<std::size_t>(i)]); });
}

void LoadedSlab::load(const StoredSlabs& stored, const StoredSlabs::Part& part) {
    const index_t element = stored.dtype_.size_bytes();
    const index_t bytes = part.box.size() * element;
    const Dimensions place = part_of(operand_.dims, within(part.box, box_.begin));
    if (dimensions::transpose(place, stored.order_).is_contiguous())
        return stored.file_.read(part.at, bytes_at(memory_, place.base() * element, bytes));
    const CountedBytes counted(bytes, stored.what_);
    ElementBlock block(stored.dtype_, part.box.size());
    stored.file_.read(part.at, bytes_at(block.data(), 0, bytes));
    assign_dense({memory_leaf(stored.dtype_, block.data(), part.box.size()),
                  stored.in_memory(part.box.extents())},
                 {operand_.node, place});
}

} // namespace purview::engine
