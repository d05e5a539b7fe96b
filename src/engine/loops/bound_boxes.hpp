#pragma once

#include "engine/loops/box_run.hpp"
#include "evaluation/loops/step_boxes.hpp"

#include <purview/expression/loop.hpp>

#include <memory>
#include <span>
#include <vector>

namespace purview::inline v0_1::engine {

/// What computes the boxes of a step, in their order, for one thread.
using BoxRuns = std::vector<std::unique_ptr<BoxRun>>;

/// The boxes of a step over operands that have elements, and states and rows of inputs that lie at any address: states, or all
/// that are padded, in margins, if there are any, and the others in row-major order without gaps.
class BoundBoxes {
public:
    /// `shapes` are those of the states, or of a window of them. `operands` are those of the step: what lies in memory has to
    /// lie there as long as runs read it, and is not kept.
    BoundBoxes(const LoopRule& rule, StepBoxes boxes, std::vector<Shape> shapes,
               std::span<const Operand> operands);

    const StepBoxes& boxes() const noexcept { return boxes_; }
    const std::vector<Shape>& shapes() const noexcept { return shapes_; }
    /// What runs read besides: operands of the step behind states and rows of inputs, leaves of which do not own their memory.
    const std::vector<Operand>& others() const noexcept { return others_; }

    /// For `together` rows at a time. Empty where a box cannot be computed where it lies.
    BoxRuns make_runs(index_t together) const;
    /// The run of a box that is all of a padded output, which goes through its memory from the first element to the last one,
    /// margins included, what is computed there having no meaning. Null where that is not possible, or not worth it.
    std::unique_ptr<BoxRun> make_flat_run(std::size_t box) const;

    /// The longest first axis of a box.
    index_t longest() const;
    /// Nanoseconds of a step, about.
    double nanoseconds() const;

private:
    /// Where an output lies, or a state.
    StateMargins margins_of(std::size_t output) const;
    Dimensions place_of(const StepBox& box) const;

    StepBoxes boxes_;
    std::vector<Shape> shapes_;      // of the states, then of rows of outputs
    std::vector<NodePtr> stand_ins_; // for the states and the rows of inputs
    std::vector<Operand> others_;
    std::vector<Operand> roots_; // of the boxes, over these
};

} // namespace purview::engine
