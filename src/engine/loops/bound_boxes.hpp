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

/// The boxes of a step over operands that have elements, and states that lie at any address.
class BoundBoxes {
public:
    /// `shapes` are those of the states, or of a window of them. `operands` are those of the step.
    BoundBoxes(const LoopRule& rule, StepBoxes boxes, std::vector<Shape> shapes,
               std::span<const Operand> operands);

    const StepBoxes& boxes() const noexcept { return boxes_; }
    const std::vector<Shape>& shapes() const noexcept { return shapes_; }

    /// For `together` rows at a time. Empty where a box cannot be computed where it lies.
    BoxRuns make_runs(index_t together) const;
    /// One run for each state that is computed, which goes through its memory from the first element to the last one, margins
    /// included, what is computed there having no meaning. Empty where that is not possible, or not worth it.
    BoxRuns make_flat_runs() const;

    /// Nanoseconds of a step, about.
    double nanoseconds() const;

private:
    Dimensions memory_of(std::size_t state) const;
    Dimensions place_of(const StepBox& box) const;

    StepBoxes boxes_;
    std::vector<Shape> shapes_;
    std::vector<NodePtr> stand_ins_; // for the states
    std::vector<Operand> roots_;     // of the boxes, over these
};

} // namespace purview::engine
