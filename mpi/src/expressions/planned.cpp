#include "expressions/planned.hpp"

#include "expressions/gathers.hpp"

namespace purview::inline v0_1::mpi {

Planned::Planned(Ranks& ranks, const char* what, const Operand& e, const Distribution& d,
                 FunctionRef<void(CallText&)> describe) {
    if (ranks.plans() == nullptr) ranks.plans() = std::make_shared<DistributedPlans>();
    Graph::Key key;
    bool gathers = false;
    // What a remembered plan needs is ready before the first message.
    const bool known = agree_on(ranks, what, [&](CallText& call) {
        call.add("", e.dtype().name());
        describe(call);
        graph_.emplace(what, e, ranks, Graph::Evaluated());
        call.add_hash(graph_->hash());
        gathers = graph_->has_gathers();
        if (gathers) return false;
        key = graph_->key();
        plan_ = ranks.plans()->find(key, d);
        if (plan_ != nullptr) fetched_ = plan_->memory(what, *graph_);
        return plan_ != nullptr;
    });
    if (known) return;
    if (gathers) graph_.emplace(what, e, ranks, evaluate_gathers(ranks, what, *graph_, d));
    const auto made =
        std::make_shared<const DistributedPlan>(ranks, what, *graph_, part_view(d, ranks.rank()));
    collective(ranks, what, [&] { fetched_ = made->memory(what, *graph_); });
    plan_ = made;
    if (!gathers) ranks.plans()->add(std::move(key), d, made);
}

} // namespace purview
