#include "evaluation/lane_slabs.hpp"

#include <purview/reader/allocation.hpp>

#include "base/explained_call.hpp"
#include "engine/boxes/cell_operand.hpp"
#include "engine/realise/realised_operand.hpp"
#include "engine/realise/slab_grid.hpp"
#include "engine/realise/stored_slabs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace purview::inline v0_1 {

using namespace engine;

namespace {

bool is_cut(const Operand& operand) {
    return operand.node->reads(Below::blocks) && operand.dims.size() > 0 &&
           operand.dtype().descriptor().trivial &&
           operand.node->known_storage_kind() > Kind::sparse;
}

/// An operand that is cut into slabs.
struct Cut {
    Cut(const char* what, const Operand& operand, ShapeSpan whole, index_t room)
        : walk(operand, nullptr, small_chunks_now()), slabs(what, operand, whole, walk, room) {}

    bool by_way_of_file() const noexcept { return walk && slabs.reads() > 2; }

    ChunkWalk walk;
    SlabGrid slabs;
};

/// Half of what is left, so that chunks can be read beside a slab, or what has room with so many bytes beside each
/// element.
index_t room_for_slab(const Operand& operand, index_t beside) {
    const index_t left = memory_left();
    const index_t element = operand.dtype().size_bytes();
    return std::min(left / 2, left / (element + beside) * element);
}

/// What `for_each_slab` does, in words: slabs, chunks read, bytes held and in a file.
std::string described(const char* what, const Operand& operand, ShapeSpan whole, index_t beside) {
    const index_t bytes = checked_bytes(operand.dims.size(), operand.dtype().size_bytes(), what);
    const index_t room = room_for_slab(operand, beside);
    const bool fits = bytes <= room;
    const Cut cut(what, operand, whole, fits ? bytes : room);
    if (!cut.walk)
        return fmt::format("{}: in {} slabs, read through the cache", what, cut.slabs.count());
    const index_t reads = cut.walk.reads({}).all;
    if (fits)
        return fmt::format("{}: computed into memory first; chunks read: {}, bytes held: {}", what,
                           reads, bytes);
    const std::string slabs =
        fmt::format("{}: in {} slabs of up to {}, computed into memory one after the other", what,
                    cut.slabs.count(), to_string(cut.slabs.box(0).extents()));
    return cut.by_way_of_file()
               ? fmt::format(
                     "{}, by way of a temporary file; chunks read: {}, bytes written to the "
                     "file and read: {}",
                     slabs, reads, bytes)
               : fmt::format("{}; chunks read: {}", slabs, reads * cut.slabs.reads());
}

} // namespace

bool slabs_have_room(const Operand& operand, ShapeSpan whole, index_t beside) {
    if (!is_cut(operand)) return true;
    index_t size = 1;
    for (const index_t axis : whole)
        size *= operand.dims.max_shape()[static_cast<std::size_t>(axis)];
    return size <= room_for_slab(operand, beside) / operand.dtype().size_bytes();
}

void for_each_slab(const char* what, const Operand& operand, ShapeSpan whole, SlabWork work,
                   index_t beside) {
    const Shape origin(operand.dims.max_shape().size(), 0);
    if (!is_cut(operand)) return work(operand, origin);
    explained_as([&] { return described(what, operand, whole, beside); });
    const index_t room = room_for_slab(operand, beside);
    if (checked_bytes(operand.dims.size(), operand.dtype().size_bytes(), what) <= room)
        return work(*RealisedOperand(what, operand), origin);
    const Cut cut(what, operand, whole, room);
    const SlabGrid& slabs = cut.slabs;
    std::optional<StoredSlabs> stored;
    if (cut.by_way_of_file()) stored.emplace(what, operand, cut.walk, slabs);
    for (index_t i = 0; i < slabs.count(); ++i) {
        const Box box = slabs.box(i);
        if (stored) {
            const LoadedSlab slab(*stored, i);
            work(slab.operand(), box.begin);
        } else {
            const Operand part{operand.node, part_of(operand.dims, box)};
            work(*RealisedOperand(what, part), box.begin);
        }
    }
}

std::string chunks_of(std::span<const Operand> operands) {
    index_t chunks = 0;
    bool counted = false;
    bool others = false;
    for (const Operand& operand : operands) {
        if (!operand.node->reads(Below::blocks)) continue;
        const ChunkWalk walk(operand);
        (walk ? counted : others) = true;
        if (walk) chunks += walk.reads({}).all;
    }
    if (!others) return fmt::format("{}", chunks);
    return counted ? fmt::format("{}, and others through the cache", chunks) : "through the cache";
}

} // namespace purview
