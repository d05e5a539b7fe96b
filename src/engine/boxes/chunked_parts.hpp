#pragma once

#include "engine/boxes/chunk_walk.hpp"
#include "engine/boxes/partial_results.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace purview::inline v0_1::engine {

/// A reduction of an expression over arrays of chunks to `groups` results: each cell gives results of
/// its own, and what cells have given is joined in a fixed order.
class ChunkedParts {
public:
    /// False for most: it reads no arrays of chunks, it is sparse or empty, or the way is forbidden.
    static bool may_find(const Operand& source) {
        return source.node->reads(Below::blocks) && is_worth_asking(source);
    }
    /// Whether it can be done so. Asked once; the source has to outlive this.
    bool find(const Operand& source, index_t groups);

    /// Writes the results of a cell: one for each of `groups` equal parts of its operand.
    using OfCell = FunctionRef<void(const WalkedCell& cell, index_t groups, void* results)>;
    /// Gets the results at a box of the axes that are kept.
    using Found = FunctionRef<void(const Box& kept, const void* results)>;
    /// Of results of `bytes` each, which are trivial. Cells, and what is found, may come on several
    /// threads.
    void run(const char* what, index_t bytes, OfCell of_cell, JoinResults join, Found found) const;
    std::string describe(index_t bytes) const;

    /// The number of leading axes, at least those that are kept, such that in each box of them cells
    /// divide the next axis alone: in that, one lies after the other.
    std::size_t axes_before_runs() const;
    /// The shape of the axes that are kept.
    ShapeSpan kept() const noexcept { return walk_->shape().first(kept_); }

private:
    static bool is_worth_asking(const Operand& source);
    ChunkWalk::Needs needs(const ChunkWalk& walk, index_t bytes) const;
    void run_walk(const ChunkWalk& walk, const char* what, index_t bytes, OfCell of_cell,
                  JoinResults join, Found found) const;

    std::size_t kept_ = 0; ///< leading axes
    std::unique_ptr<const ChunkWalk> walk_;
};

/// The index in the whole of an element of a cell, among the elements of a group: `shape` are the
/// axes that are not kept.
index_t index_in_group(const WalkedCell& cell, ShapeSpan shape, index_t index);

/// The index in the whole of a group of a cell: `shape` are the axes that are kept.
index_t index_of_group(const WalkedCell& cell, ShapeSpan shape, index_t group);

/// Calls `f(from, to, count)` for the rows of a box: their place in it, and in its shape, row-major.
void for_rows(const Box& box, ShapeSpan shape,
              FunctionRef<void(index_t from, index_t to, index_t count)> f);
/// Writes trivial results, one after the other, to the places of a box among those of a shape, row-major.
void place_results(const Box& box, ShapeSpan shape, index_t bytes, const void* results, void* out);

} // namespace purview::engine
