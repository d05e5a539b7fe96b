// Defines purview/evaluation/evaluate.hpp.

#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/leaf.hpp>

#include "engine/compile/plan_cache.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/realise/chunked_assign.hpp"
#include "engine/realise/realised_operand.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/run/runner.hpp"

#include <algorithm>
#include <optional>
#include <span>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Computes the elements [begin, begin + count) in order.
void evaluate(const Plan& plan, const Values& values, index_t begin, index_t count,
              std::byte* out) {
    const index_t size = plan.dtype.size_bytes();
    for_each_part(plan, count, [&](index_t from, index_t to) {
        Runner(plan, values).run_into(begin + from, to - from, out + from * size);
    });
}

/// A slab of an operand, which contains elements that follow each other in row-major order.
struct AssignedPart {
    Operand operand;
    index_t first; ///< row-major index of its first element in the whole
};
AssignedPart part_of(const Operand& whole, index_t begin, index_t count) {
    if (count == whole.dims.size()) return {whole, 0};
    const Slab slab = slab_of(whole.dims.max_shape(), begin, begin + count - 1);
    return {seen_through(slab.dims(), whole), slab.first};
}

bool reads_thread_safe(const Operand& source) {
    return std::ranges::all_of(nodes_below(std::span(&source, 1)), [](const Node* node) {
        const auto* const leaf = node_as<Leaf>(*node);
        return leaf == nullptr || leaf->is_thread_safe();
    });
}

} // namespace

/// One plan for all reads, where that is efficient. Where elements would be computed again and
/// again (see `RealisedOperand`), each read first realises what it needs several times; an
/// evaluation within one operation does that once, for all reads.
struct Evaluation::State {
    State(const Operand& source, Reads reads) : root(source) {
        if (!may_repeat_work(root)) {
            plan_reads(root);
            return;
        }
        thread_safe = reads_thread_safe(root);
        if (reads == Reads::within_one_operation) {
            realised.emplace(root, RealisedOperand::Sparse::as_dense);
            plan_reads(**realised);
            return;
        }
        const RepeatedWork work(root);
        each_read_realises = !work.realised().empty();
        if (!each_read_realises && !work.changes_nothing()) {
            root = with_leaf_gathers(root, work);
            plan_reads(root);
            return;
        }
        // Short reads take one plan for all of them, unless that costs kMostSlowdown times as much.
        if (!each_read_realises || (root.dims.size() >= kBlock &&
                                    RepeatedWork(root, RepeatedWork::Realise::nothing).cost() <
                                        kMostSlowdown * work.cost()))
            plan_reads(root);
    }

    void plan_reads(const Operand& operand) {
        values.emplace(operand);
        plan = plan_for(*values, {});
        thread_safe = plan->thread_safe;
    }

    void read(index_t begin, index_t count, std::byte* out) const {
        if (root.node->reads(Below::blocks) && count >= kBlock) [[unlikely]]
            if (read_chunks(begin, count, out)) return;
        if (!each_read_realises || (plan != nullptr && count < root.dims.size() / 4))
            return evaluate(*plan, *values, begin, count, out);
        if (count == 0) return;
        const AssignedPart part = part_of(root, begin, count);
        const RealisedOperand now(part.operand, RealisedOperand::Sparse::as_dense);
        const Values these(*now);
        evaluate(*plan_for(these, {}), these, begin - part.first, count, out);
    }

    /// Reads a slab of an expression over arrays of chunks cell by cell; returns false for others.
    bool read_chunks(index_t begin, index_t count, std::byte* out) const {
        const AssignedPart part = part_of(root, begin, count);
        const Operand& source = part.operand;
        if (!root.dtype().is_builtin() || source.dims.size() != count) return false;
        const Operand place = memory_operand(root.dtype(), out, source.dims.max_shape());
        ChunkedAssign assignment;
        const Ways allowed = allowed_ways();
        if (!allowed.has(Way::chunks) || !assignment.find(source, place)) return false;
        assignment.run(allowed.without(Way::chunks));
        return true;
    }

    static constexpr double kMostSlowdown = 32;

    Operand root;                            ///< keeps what the values refer to
    std::optional<RealisedOperand> realised; ///< likewise
    std::optional<Values> values;
    std::shared_ptr<const Plan> plan; ///< null if there is no plan for all reads
    bool each_read_realises = false;
    bool thread_safe = true;
};

Evaluation::Evaluation(const Operand& source, Reads reads) : state_(new State(source, reads)) {}
Evaluation::~Evaluation() = default;
Evaluation::Evaluation(Evaluation&&) noexcept = default;
Evaluation& Evaluation::operator=(Evaluation&&) noexcept = default;

DType Evaluation::dtype() const noexcept { return state_->root.dtype(); }
index_t Evaluation::size() const noexcept { return state_->root.dims.size(); }
bool Evaluation::is_thread_safe() const noexcept { return state_->thread_safe; }

void Evaluation::read(index_t begin, index_t count, void* out) const {
    state_->read(begin, count, static_cast<std::byte*>(out));
}

} // namespace purview
