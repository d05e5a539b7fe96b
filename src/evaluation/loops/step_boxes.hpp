#pragma once

#include "evaluation/loops/state_chains.hpp"
#include "evaluation/loops/state_margins.hpp"

#include <purview/expression/loop.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace purview::inline v0_1 {

/// A box of an output of a step, a state or a row, as an expression over the step's placeholders that reads all of them, and
/// tensors, at strides: no view in it wraps round, and nothing is put together of pieces.
struct StepBox {
    std::size_t output = 0; ///< its number among the outputs of the step
    Shape begin;
    Operand root; ///< of the extents of the box
};

/// How far a step reads along an axis: what is computed at r is made of states from r - below to r + above.
struct AxisReach {
    index_t below = 0;
    index_t above = 0;
    bool is_ring = false; ///< the first coordinate comes behind the last one
};

/// A step of which the states are computed from rows nearby.
struct StepBoxes {
    std::vector<StepBox> boxes; ///< fill all states that are computed, and rows of outputs
    AxisReach rows;             ///< along their first axes
    AxisReach columns;          ///< along their second axes
    bool columns_move = true;   ///< whether these are read nearby, too
    /// Of each state: whether it is read at other elements than those that are computed, or for another chain.
    std::vector<bool> moves;
    StateMargins margins; ///< in which states lie; empty: none, nor need they have one shape
    /// Of placeholders of states and rows of inputs, and of outputs: whether they lie in margins.
    std::vector<bool> are_inputs_padded;
    std::vector<bool> are_outputs_padded;
    index_t operations = 0; ///< of the largest box, for each element
    std::string because;    ///< why the step is none of this kind; empty where it is
};
/// With margins where states have one shape, and a step reads round such axes. Steps that have rows of inputs and outputs of
/// their own are taken with margins along all axes alone.
PURVIEW_EXPORT StepBoxes boxes_of(const LoopRule& rule, const StateChains& chains,
                                  MarginAxes axes = MarginAxes::none);

} // namespace purview
