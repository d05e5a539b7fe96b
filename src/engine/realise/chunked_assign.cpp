#include "engine/realise/chunked_assign.hpp"

#include <purview/dimensions/address_stream.hpp>
#include <purview/evaluation/evaluate.hpp>

#include "dtype/element_block.hpp"
#include "engine/boxes/cell_operand.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/realise/assign_way.hpp"
#include "reader/written_chunk.hpp"

#include <mutex>
#include <vector>

namespace purview::inline v0_1::engine {

bool ChunkedAssign::find(const Operand& source, const Operand& destination) {
    if (destination.dims.is_broadcast() || depends_on(source, destination)) return false;
    destination_ = &destination;
    const Leaf& leaf = *leaf_of(destination);
    if (const Chunks* const chunks = leaf.reader().chunks();
        chunks != nullptr && chunks->can_write())
        if (auto followed = followed_axes(destination.dims, chunks->grid().shape))
            // The writer of the leaf is the reader, so that it may be changed.
            chunks_.emplace(DestinationChunks{const_cast<Chunks&>(*chunks), *std::move(followed)});
    walk_ = std::make_unique<const ChunkWalk>(source, chunks_ ? &*chunks_ : nullptr,
                                              small_chunks_now());
    return static_cast<bool>(*walk_);
}

ChunkWalk::Needs ChunkedAssign::needs() const {
    if (!chunks_) // a writer is called by one thread
        return {.one_thread = !leaf_of(*destination_)->writable_memory()};
    const Chunks& chunks = chunks_->chunks.written_chunks();
    // Where a part is assigned, what is computed, and what was stored, are there beside the new chunk.
    return {.bytes = 3 * chunks.elements_per_chunk() * chunks.element_type().size_bytes(),
            .one_thread = !chunks.chunks_are_thread_safe()};
}

void ChunkedAssign::assign_to_chunks(const WalkedCell& cell, Ways allowed) const {
    Chunks& whole = chunks_->chunks;
    const Chunks& chunks = whole.written_chunks();
    const DType dtype = chunks.element_type();
    const index_t size = cell.box.size();
    const auto part = part_of_chunk(chunks, Region(chunks_->followed, cell.box));
    if (part && size == elements_to_replace(chunks, part->number)) {
        WrittenChunk written(whole, part->number);
        if (size < chunks.elements_per_chunk()) written.start_from_fill();
        AssignWay(cell.operand, {of_chunk(written), part->view}, allowed).run();
        const std::scoped_lock lock(written.lock());
        return written.store();
    }
    // Computed before anything is locked.
    const CountedBytes counted(size * dtype.size_bytes(), "copy");
    ElementBlock block(dtype, size);
    const Operand computed = memory_operand(dtype, block.data(), cell.box.extents());
    AssignWay(cell.operand, computed, allowed).run();
    if (part) {
        WrittenChunk written(whole, part->number);
        const std::scoped_lock lock(written.lock());
        written.start_from_stored();
        AssignWay(computed, {of_chunk(written), part->view}, allowed).run();
        return written.store();
    }
    std::vector<index_t> addresses(static_cast<std::size_t>(size));
    dimensions::AddressStream(part_of(destination_->dims, cell.box)).read(0, addresses);
    whole.scatter_elements(addresses, block.data());
}

NodePtr ChunkedAssign::of_chunk(WrittenChunk& chunk) const {
    const Chunks& chunks = chunks_->chunks.written_chunks();
    return memory_leaf(chunks.element_type(), chunk.data(), chunks.elements_per_chunk());
}

void ChunkedAssign::run(Ways allowed) const {
    walk_->run("copy", needs(), [&](const WalkedCell& cell) {
        if (chunks_) return assign_to_chunks(cell, allowed);
        const Operand part{destination_->node, part_of(destination_->dims, cell.box)};
        AssignWay(cell.operand, part, allowed).run();
    });
}

std::string ChunkedAssign::describe() const { return walk_->describe(needs()); }

} // namespace purview::engine
