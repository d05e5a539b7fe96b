#include "engine/boxes/chunked_parts.hpp"

#include "engine/ways/way.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

index_t size_of_shape(ShapeSpan extents) {
    index_t size = 1;
    for (const index_t extent : extents) size *= extent;
    return size;
}

Box leading_axes(const Box& box, std::size_t count) {
    return {to_shape(ShapeSpan(box.begin).first(count)), to_shape(ShapeSpan(box.end).first(count))};
}

/// What has been found: for each place of the kept axes, the results of cells along the others.
class CellResults {
public:
    CellResults(JoinResults join, index_t cells) : join_(join), cells_(cells) {}

    /// Those of all cells of one place, if this was the last of them.
    std::unique_ptr<PartialBlock> add(index_t cell, index_t groups,
                                      std::unique_ptr<PartialBlock> block) {
        const index_t place = cell / cells_;
        auto whole = results_of(place, groups).add(cell % cells_, std::move(block));
        if (whole != nullptr) {
            const std::lock_guard lock(mutex_);
            places_.erase(place);
        }
        return whole;
    }

private:
    PartialResults& results_of(index_t place, index_t groups) {
        const std::lock_guard lock(mutex_);
        return places_.try_emplace(place, join_, groups, cells_).first->second;
    }

    JoinResults join_;
    index_t cells_; ///< of each place
    std::mutex mutex_;
    std::map<index_t, PartialResults> places_; ///< whose cells are not all there
};

/// Whether pieces divide an axis that is not kept.
bool divides_reduced(const ChunkWalk& walk, std::size_t kept) {
    return std::ranges::any_of(walk.pieces(), [&](const ChunkWalk::Piece& piece) {
        return !std::ranges::equal(walk.shape().subspan(kept), piece.walk->shape().subspan(kept)) ||
               divides_reduced(*piece.walk, kept);
    });
}

} // namespace

bool ChunkedParts::is_worth_asking(const Operand& source) {
    return source.dims.size() > 0 && source.dtype().is_builtin() &&
           source.node->known_storage_kind() > Kind::sparse && allowed_ways().has(Way::chunks);
}

bool ChunkedParts::find(const Operand& source, index_t groups) {
    const ShapeSpan shape = source.dims.max_shape();
    for (index_t kept = 1; kept != groups; kept *= shape[kept_++])
        if (kept_ == shape.size() || kept > groups) return false; // parts of an axis
    walk_ = std::make_unique<const ChunkWalk>(source);
    return static_cast<bool>(*walk_);
}

ChunkWalk::Needs ChunkedParts::needs(const ChunkWalk& walk, index_t bytes) const {
    if (!walk.pieces().empty()) return needs(*walk.pieces().front().walk, bytes);
    const Shape extents = walk.grid().largest().extents();
    const index_t block = bytes * size_of_shape(ShapeSpan(extents).first(kept_));
    const index_t cells = size_of_shape(ShapeSpan(walk.grid().counts()).subspan(kept_));
    const auto levels = static_cast<index_t>(std::bit_width(static_cast<std::uint64_t>(cells)));
    // On each level of the tree, one waits for a neighbour that a thread has not done.
    return {.bytes = block,
            .waiting = block * levels,
            .held = divides_reduced(*walk_, kept_) ? bytes * size_of_shape(kept()) : 0};
}

void ChunkedParts::run_walk(const ChunkWalk& walk, const char* what, index_t bytes, OfCell of_cell,
                            JoinResults join, Found found) const {
    for (const ChunkWalk::Piece& piece : walk.pieces()) {
        const ShapeSpan begin = ShapeSpan(piece.part->box.begin).first(kept_);
        run_walk(
            *piece.walk, what, bytes,
            [&](const WalkedCell& cell, index_t groups, void* results) {
                of_cell(piece.placed(cell), groups, results);
            },
            join, [&](const Box& kept, const void* results) { found(kept.after(begin), results); });
    }
    if (!walk.pieces().empty()) return;
    CellResults joined(join, size_of_shape(ShapeSpan(walk.grid().counts()).subspan(kept_)));
    walk.run(what, needs(walk, bytes), [&](const WalkedCell& cell) {
        const Box kept = leading_axes(cell.box, kept_);
        const index_t groups = kept.size();
        auto block = std::make_unique<PartialBlock>(groups * bytes, what);
        of_cell(cell, groups, block->memory.data());
        if (const auto whole = joined.add(cell.number, groups, std::move(block)))
            found(kept, whole->memory.data());
    });
}

void ChunkedParts::run(const char* what, index_t bytes, OfCell of_cell, JoinResults join,
                       Found found) const {
    if (!divides_reduced(*walk_, kept_)) return run_walk(*walk_, what, bytes, of_cell, join, found);
    // Pieces come one after the other: what is found of one is joined to what was found before.
    const Box all =
        leading_axes({Shape(walk_->shape().size(), 0), to_shape(walk_->shape())}, kept_);
    PartialBlock joined(all.size() * bytes, what);
    std::vector<std::uint8_t> known(static_cast<std::size_t>(all.size()), 0);
    run_walk(*walk_, what, bytes, of_cell, join, [&](const Box& part, const void* results) {
        for_rows(part, kept(), [&](index_t from, index_t to, index_t count) {
            for (const index_t end = from + count; from < end; ++from, ++to) {
                const void* const more = static_cast<const std::byte*>(results) + from * bytes;
                void* const place = joined.memory.at(to * bytes);
                if (std::exchange(known[static_cast<std::size_t>(to)], 1) != 0)
                    join(place, more, 1);
                else
                    std::memcpy(place, more, static_cast<std::size_t>(bytes));
            }
        });
    });
    found(all, joined.memory.data());
}

std::size_t ChunkedParts::axes_before_runs() const {
    const std::size_t rank = walk_->shape().size();
    if (!walk_->pieces().empty()) return std::max(kept_, rank - 1);
    for (std::size_t axis = rank; axis-- > kept_;)
        if (walk_->grid().counts()[axis] > 1) return axis;
    return kept_;
}

std::string ChunkedParts::describe(index_t bytes) const {
    return walk_->describe(needs(*walk_, bytes));
}

namespace {

/// The index among all coordinates of some axes, from `first` on, of one among those of the cell.
index_t index_in_whole(const WalkedCell& cell, std::size_t first, ShapeSpan shape, index_t index) {
    index_t at = 0;
    index_t stride = 1;
    for (std::size_t a = shape.size(); a-- > 0; stride *= shape[a]) {
        const index_t extent = cell.box.end[first + a] - cell.box.begin[first + a];
        at += (cell.box.begin[first + a] + index % extent) * stride;
        index /= extent;
    }
    return at;
}

} // namespace

index_t index_in_group(const WalkedCell& cell, ShapeSpan shape, index_t index) {
    return index_in_whole(cell, cell.box.begin.size() - shape.size(), shape, index);
}
index_t index_of_group(const WalkedCell& cell, ShapeSpan shape, index_t group) {
    return index_in_whole(cell, 0, shape, group);
}

void for_rows(const Box& box, ShapeSpan shape, FunctionRef<void(index_t, index_t, index_t)> f) {
    const std::size_t rank = shape.size();
    const Shape extents = box.extents();
    const index_t row = rank == 0 ? 1 : extents[rank - 1];
    const index_t count = box.size() / row;
    for (index_t i = 0; i < count; ++i) {
        index_t left = i;
        index_t at = rank == 0 ? 0 : box.begin[rank - 1];
        index_t stride = rank == 0 ? 1 : shape[rank - 1];
        for (std::size_t a = rank; a-- > 1; left /= extents[a - 1], stride *= shape[a - 1])
            at += (box.begin[a - 1] + left % extents[a - 1]) * stride;
        f(i * row, at, row);
    }
}

void place_results(const Box& box, ShapeSpan shape, index_t bytes, const void* results, void* out) {
    for_rows(box, shape, [&](index_t from, index_t to, index_t count) {
        std::memcpy(static_cast<std::byte*>(out) + to * bytes,
                    static_cast<const std::byte*>(results) + from * bytes,
                    static_cast<std::size_t>(count * bytes));
    });
}

} // namespace purview::engine
