#pragma once

#include "evaluation/stage_work.hpp"

#include <purview/expression/graph.hpp>

#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// Work on operands over placeholders.
class BoundWork : public StageWork {
protected:
    explicit BoundWork(const Node& node) : operands_(kept(node)), bound_(operands_) {}
    std::vector<Operand> operands(Bindings bindings) const {
        return bound_.empty() ? operands_ : bound_(bindings);
    }

private:
    static std::vector<Operand> kept(const Node& node) {
        std::vector<Operand> operands;
        for (Operand operand : operands_of(node)) operands.push_back(std::move(operand));
        return operands;
    }

    std::vector<Operand> operands_;
    Substitution bound_; // refers to `operands_`
};

} // namespace purview
