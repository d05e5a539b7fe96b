#pragma once

#include "engine/loops/time_tiles.hpp"
#include "evaluation/loops/step_boxes.hpp"

#include <purview/expression/loop.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace purview::inline v0_1::engine {

/// Memory of states that have margins, and of rows of inputs and outputs that have. Each chain has places in turn: one more
/// than it has states, or as many, where the head may be written over its last state.
class PaddedStates {
public:
    PaddedStates(const LoopRule& rule, const StateChains& chains, const StepBoxes& boxes);

    /// Where the memory of a state begins after `taken` steps of the loop.
    std::byte* after(std::size_t state, index_t taken) const;
    /// Rows that are padded are numbered behind the states: of inputs, then of outputs.
    std::byte* row(std::size_t number) const { return places_[number][0].first; }

    /// Copies rows, and columns of the second axis, of a state from where all lie in row-major order without gaps; and back.
    void copy_in(std::size_t state, index_t taken, const std::byte* from, Interval rows,
                 Interval columns) const;
    void copy_out(std::size_t state, index_t taken, std::byte* to, Interval rows,
                  Interval columns) const;
    /// The same of all of a row.
    void copy_in(std::size_t row, const std::byte* from) const;
    void copy_out(std::size_t row, std::byte* to) const;

    /// Fills the margins of the last axis, in rows and columns that were computed.
    void fill_last(std::size_t state, index_t taken, Interval rows, Interval columns) const;
    /// Fills the margins of all axes of memory; of `number`, whose elements it is.
    void fill(std::size_t number, std::byte* memory) const;

private:
    struct Memory {
        Operand all;
        std::byte* first;
    };
    Memory new_memory(DType dtype) const;
    template <typename F>
    void for_each_line(Interval rows, Interval columns, const F& f) const;
    void copy_in(std::byte* memory, index_t bytes, const std::byte* from, Interval rows,
                 Interval columns) const;
    void copy_out(const std::byte* memory, index_t bytes, std::byte* to, Interval rows,
                  Interval columns) const;
    Interval all_rows() const { return {0, margins_.shape[0]}; }
    Interval all_columns() const {
        return {0, margins_.shape.size() > 1 ? margins_.shape[1] : index_t{1}};
    }

    const StateChains& chains_;
    StateMargins margins_;
    Shape strides_; ///< of memory
    std::vector<index_t> element_bytes_;
    std::vector<std::vector<Memory>> places_; ///< of the heads of chains, and of rows
};

} // namespace purview::engine
