// Defines purview/evaluation/evaluate.hpp.

#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/leaf.hpp>

#include "engine/compile/plan_cache.hpp"
#include "engine/realise/prepared_operand.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/run/runner.hpp"
#include "expression/graph.hpp"

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
/// again (see `PreparedOperand`), each read first realises what it needs several times; an
/// evaluation within one operation does that once, for all reads.
struct Evaluation::State {
    State(const Operand& source, Reads reads) : root(source) {
        if (!may_repeat_work(root)) {
            prepare(root);
            return;
        }
        thread_safe = reads_thread_safe(root);
        if (reads == Reads::within_one_operation) {
            prepared.emplace(root, PreparedOperand::Sparse::as_dense);
            prepare(**prepared);
            return;
        }
        const RepeatedWork work(root);
        each_read_is_prepared = !work.realised().empty();
        if (!each_read_is_prepared && !work.changes_nothing()) {
            root = with_leaf_gathers(root, work);
            prepare(root);
            return;
        }
        // Short reads take one plan for all of them, unless that costs kMostSlowdown times as much.
        if (!each_read_is_prepared || (root.dims.size() >= kBlock &&
                                       RepeatedWork(root, RepeatedWork::Realise::nothing).cost() <
                                           kMostSlowdown * work.cost()))
            prepare(root);
    }

    void prepare(const Operand& operand) {
        values.emplace(operand);
        plan = plan_for(*values, {});
        thread_safe = plan->thread_safe;
    }

    void read(index_t begin, index_t count, std::byte* out) const {
        if (!each_read_is_prepared || (plan != nullptr && count < root.dims.size() / 4))
            return evaluate(*plan, *values, begin, count, out);
        if (count == 0) return;
        const AssignedPart part = part_of(root, begin, count);
        const PreparedOperand now(part.operand, PreparedOperand::Sparse::as_dense);
        const Values these(*now);
        evaluate(*plan_for(these, {}), these, begin - part.first, count, out);
    }

    static constexpr double kMostSlowdown = 32;

    Operand root;                            ///< keeps what the values refer to
    std::optional<PreparedOperand> prepared; ///< likewise
    std::optional<Values> values;
    std::shared_ptr<const Plan> plan; ///< null if there is no plan for all reads
    bool each_read_is_prepared = false;
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
