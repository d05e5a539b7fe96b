#pragma once

#include "expressions/plan.hpp"

#include <purview/base/function_ref.hpp>

#include <memory>
#include <optional>

namespace purview::inline v0_1::mpi {

/// An expression that all ranks evaluate, agreed on and planned.
class Planned {
public:
    /// Begins a function of all ranks: `describe` checks its arguments, and may still change the expression. Plans for this rank's part in `d`,
    /// or finds the plan of an expression of the same structure.
    Planned(Ranks& ranks, const char* what, const Operand& e, const Distribution& d,
            FunctionRef<void(CallText&)> describe);

    const Graph& graph() const noexcept { return *graph_; }
    const DistributedPlan& plan() const noexcept { return *plan_; }
    /// As `DistributedPlan::run`.
    void run(Ranks& ranks, const char* what,
             FunctionRef<void(const Operand&, const Box&)> work) const {
        plan_->run(ranks, what, *graph_, fetched_, work);
    }

private:
    std::optional<Graph> graph_;
    std::shared_ptr<const DistributedPlan> plan_;
    std::vector<Operand> fetched_; ///< memory for what is fetched
};

} // namespace purview
