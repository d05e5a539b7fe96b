#pragma once

#include "engine/loops/time_tiles.hpp"
#include "evaluation/loops/state_chains.hpp"
#include "evaluation/loops/state_margins.hpp"

#include <purview/expression/loop.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace purview::inline v0_1::engine {

/// Memory of states that have margins. Each chain has places in turn: one more than it has states, or as many, where the head may be
/// written over its last state.
class PaddedStates {
public:
    PaddedStates(const LoopRule& rule, const StateChains& chains, const StateMargins& margins,
                 const std::vector<bool>& may_overwrite);

    /// Where the memory of a state begins after `taken` steps of the loop.
    std::byte* after(std::size_t state, index_t taken) const;

    /// Copies rows, and columns of the second axis, of a state from where all lie in row-major order without gaps; and back.
    void copy_in(std::size_t state, index_t taken, const std::byte* from, Interval rows,
                 Interval columns) const;
    void copy_out(std::size_t state, index_t taken, std::byte* to, Interval rows,
                  Interval columns) const;

    /// Fills the margins of the last axis, in rows and columns that were computed.
    void fill_last(std::size_t state, index_t taken, Interval rows, Interval columns) const;
    /// Fills the margins of all axes.
    void fill(std::size_t state, index_t taken) const;

private:
    struct Memory {
        Operand all;
        std::byte* first;
    };
    template <typename F>
    void for_each_line(Interval rows, Interval columns, const F& f) const;

    const StateChains& chains_;
    StateMargins margins_;
    Shape strides_; ///< of memory
    std::vector<index_t> element_bytes_;
    std::vector<std::vector<Memory>> places_; ///< of the heads of chains
};

} // namespace purview::engine
