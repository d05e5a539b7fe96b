#pragma once

#include "layer.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>

namespace purview::inline v0_1::dimensions {

/// A run of addresses with a constant step: `address + i·step` for 0 <= i < `length`.
struct Run {
    index_t address;
    index_t step;
    index_t length;
};

/// Walks the elements `start`, `start + step`, `start + 2·step`, … of one layer like an odometer:
/// the step is written in the mixed radix of the extents once, and added digit by digit, with
/// carries, so that no division per element is needed. To walk all elements, use a step of 1.
class LayerWalker {
public:
    explicit LayerWalker(const LayerView& layer);

    /// Moves to element `index`, to walk by `step` from there. A division per axis.
    void start(index_t index, index_t step);

    /// The next run, of at most `most` >= 1 addresses with a constant step. Moves past them.
    Run next(index_t most);

    /// Whether the innermost moving axis takes consecutive entries of a list in memory, and no
    /// other axis moves with it.
    bool follows_list() const noexcept;
    /// Writes at most `most` >= 1 of the next addresses, up to the end of that axis, moves past
    /// them, and returns their number. Precondition: `follows_list()`.
    index_t read_list(index_t most, index_t* out);

private:
    struct Axis {
        index_t extent;
        index_t stride;
        const AxisMap* map;     // null: plain
        const index_t* entries; // of the list, if they are in memory
        index_t g = 0;          // coordinate
        index_t u = 0;          // the coordinate after the periodic stage
        index_t digit = 0;      // of the step, for this axis
        index_t u_digit = 0;    // what the digit adds to u, with |u_digit| <= period / 2
        index_t u_wrap = 0;     // what a carry out of this axis adds to u, with |u_wrap| <= period
                                // / 2
        index_t address = 0;    // this axis's share of the address

        void place(index_t coordinate);
        void add(index_t amount, index_t u_amount);
        index_t share(index_t at_u) const {
            if (map == nullptr || map->table == nullptr) return stride * at_u;
            const index_t position = map->scale * at_u + map->offset;
            return stride * (entries != nullptr ? entries[position] : map->table->at(position));
        }
        index_t wrapped(index_t v) const {
            return v < 0 ? v + map->period : v >= map->period ? v - map->period : v;
        }
    };

    void set_step(index_t step);
    index_t steps_before_carry(const Axis& axis) const;
    void carry_out_of(Axis& axis);
    void carry_into(int axis, index_t carry);

    boost::container::small_vector<Axis, kInlineRank> axes_;
    index_t base_;
    index_t address_ = 0;
    index_t step_ = 0;
    int moving_ = -1;               // the last axis with a nonzero digit; -1: the step is 0
    bool single_axis_moves_ = true; // no axis before it has a digit
};

} // namespace purview::dimensions
