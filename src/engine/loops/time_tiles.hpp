#pragma once

#include <purview/base/index.hpp>

#include <algorithm>

namespace purview::inline v0_1::engine {

/// The coordinates from `begin` to before `end`.
struct Interval {
    index_t begin;
    index_t end;
};

/// An axis along which several steps are taken in parts. With each step a block loses, at either end where another
/// block is, what the step reads beyond it; wedges, which grow as much, are what the blocks leave. All blocks go
/// through all steps before a wedge does; neither reads what another one of its kind writes.
///
/// Two buffers are enough: a block after step t overwrites what step t - 1 has read, and leaves at its ends what the
/// wedge still reads.
struct TiledAxis {
    index_t extent = 1;
    index_t reach = 0;    ///< how far a step reads, in either direction
    index_t blocks = 1;   ///< of at least 2 * reach elements for each step
    bool is_ring = false; ///< the first element comes behind the last one
    bool is_open_before =
        false; ///< there are more elements before the first, and behind the last, which are missing:
    bool is_open_behind = false; ///< what reads them is not computed

    index_t wedges() const noexcept { return is_ring ? blocks : blocks - 1; }
    /// What a block computes in a step, counted from 0; may be empty.
    Interval block(index_t i, index_t step) const noexcept {
        const index_t left = is_ring || i > 0 ? step * reach
                             : is_open_before ? (step + 1) * reach
                                              : 0;
        const index_t right = is_ring || i + 1 < blocks ? step * reach
                              : is_open_behind          ? (step + 1) * reach
                                                        : 0;
        return {begin(i) + left, std::max(begin(i) + left, begin(i + 1) - right)};
    }
    /// The same of the wedge behind a block. On a ring, what lies beyond an end goes on at the other one.
    Interval wedge(index_t i, index_t step) const noexcept {
        return {begin(i + 1) - step * reach, begin(i + 1) + step * reach};
    }
    index_t begin(index_t i) const noexcept { return i * extent / blocks; }
};

/// A block or a wedge of an axis.
struct TilePart {
    index_t number;
    bool is_wedge;

    Interval of(const TiledAxis& axis, index_t step) const noexcept {
        return is_wedge ? axis.wedge(number, step) : axis.block(number, step);
    }
};

/// Goes through `steps` steps of a part of both axes: calls `f(step, rows, columns)` for what is to be computed, in an
/// order in which all that a step reads has been computed, and `passed(row)` where no row before that is touched again.
/// Blocks of rows go in a wavefront: `together` rows take a step, and then those before them the next one.
template <typename F, typename Passed>
void for_each_tile(const TiledAxis& rows, TilePart row_part, const TiledAxis& columns,
                   TilePart column_part, index_t together, index_t steps, const F& f,
                   const Passed& passed) {
    const auto take = [&](index_t step, Interval range) {
        const Interval across = column_part.of(columns, step);
        if (range.begin < range.end && across.begin < across.end) f(step, range, across);
    };
    if (row_part.is_wedge) {
        for (index_t step = 0; step < steps; ++step) take(step, row_part.of(rows, step));
        return;
    }
    const Interval all{rows.begin(row_part.number), rows.begin(row_part.number + 1)};
    const index_t lag = (steps - 1) * rows.reach; // of the last step behind the first
    for (index_t front = all.begin; front < all.end + lag; front += together) {
        for (index_t step = 0; step < steps; ++step) {
            const index_t from = front - step * rows.reach;
            const Interval range = row_part.of(rows, step);
            take(step, {std::max(range.begin, from), std::min(range.end, from + together)});
        }
        passed(std::min(front + together - lag - rows.reach, all.end));
    }
}

} // namespace purview::engine
