#include <purview/dimensions/compose.hpp>
#include <purview/evaluation/evaluate.hpp>

#include "engine/compile/plan_cache.hpp"
#include "engine/copy/copy.hpp"
#include "engine/evaluate/assign.hpp"
#include "engine/places/load.hpp"
#include "engine/places/words.hpp"
#include "engine/realise/prepared_operand.hpp"
#include "engine/run/compute.hpp"
#include "engine/run/flat_graph.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/run/runner.hpp"
#include "engine/sparse/assign.hpp"
#include "engine/threads/watch.hpp"
#include "expression/graph.hpp"
#include "reader/file_mappings.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Whether a destination is strided memory of words: results are computed into it, or
/// copied to it row by row.
bool is_strided_memory(const Leaf& leaf, const Dimensions& dims) {
    return leaf.writable_memory() && is_of_words(leaf.dtype()) && dims.is_strided();
}

/// Computes the elements [begin, begin + count) in order.
void evaluate(const Plan& plan, const Values& values, index_t begin, index_t count,
              std::byte* out) {
    const index_t size = plan.dtype.size_bytes();
    for_each_part(plan, count, [&](index_t from, index_t to) {
        Runner(plan, values)
            .run(
                begin + from, to - from, kNoLimit,
                [&](index_t at, index_t) { return out + (at - begin) * size; }, kNothingAfter);
    });
}

/// The most elements of a leaf that are copied at once, without a look at threads.
constexpr index_t kShortCopy = 16384;

/// Assigns a leaf of at most kShortCopy elements, or a `FlatGraph`, from memory that is
/// read in order to contiguous memory. Returns false, with nothing written, for anything else.
bool assign_flat(const Operand& source, const Leaf& leaf, const Dimensions& dims) {
    const MutableMemoryView memory = leaf.writable_memory();
    const index_t size = leaf.dtype().size_bytes();
    if (!memory || memory.stride_bytes != size || !dims.is_contiguous()) return false;
    if (has_files_mapped_twice()) [[unlikely]]
        return false; // different addresses may be one place then
    std::byte* const place = static_cast<std::byte*>(memory.data) + dims.base() * size;
    if (const Leaf* const from = leaf_of(source); from != nullptr) {
        const index_t count = source.dims.size();
        if (count > kShortCopy || !from->memory() || from->dtype() == boolean ||
            !leaf.dtype().is_builtin() || from->memory().stride_bytes != size ||
            !source.dims.is_contiguous())
            return false;
        if (count > 0)
            std::memmove(place, element_of(*from, source.dims.base()),
                         static_cast<std::size_t>(count * size));
        return true;
    }
    FlatGraph graph;
    if (!graph.find(source)) return false;
    if (!graph.may_write(place, size)) return false;
    const Plan* const plan = graph.plan(source, TileOp::none, nullptr);
    if (plan == nullptr) return false;
    DirectRun(*plan, graph.places(), graph.size()).store(place);
    return true;
}

void assign_through_temporary(const Operand& source, const Leaf& leaf, const Dimensions& dims) {
    const Evaluation evaluation(source);
    ElementBlock elements(source.dtype(), evaluation.size());
    evaluation.read(0, evaluation.size(), elements.data());
    const dimensions::AddressStream addresses(dims);
    store_elements(leaf, addresses, 0, addresses.size(), elements.data());
}

void assign_through_writer(const Operand& source, const Leaf& leaf, const Dimensions& dims) {
    const Values values(source);
    const std::shared_ptr<const Plan> plan = plan_for(values, {});
    const dimensions::AddressStream addresses(dims);
    ElementBlock block(source.dtype(), std::min(kBlock, plan->size));
    Runner runner(*plan, values);
    parallel_for(plan->size, kBlock, 1, [&](index_t from, index_t to) { // in order
        runner.run(
            from, to - from, kBlock, [&](index_t, index_t) { return block.at(0); },
            [&](index_t begin, index_t count) {
                store_elements(leaf, addresses, begin, count, block.at(0));
            });
    });
}

} // namespace

AssignPath engine::assign_path(const Operand& source, const Operand& destination) {
    if (source.dims.size() == 0) return AssignPath::nothing;
    if (depends_on(source, destination)) return AssignPath::temporary;
    const Leaf& leaf = *leaf_of(destination);
    if (can_copy_leaf(source, leaf, destination.dims)) return AssignPath::copy;
    return is_strided_memory(leaf, destination.dims) ? AssignPath::evaluation : AssignPath::writer;
}

void assign(const Operand& given, const Operand& destination) {
    const WatchedOperation watched("assignment");
    const Leaf& leaf = *leaf_of(destination);
    if (given.node->reads_sparse() || leaf.reads_sparse()) [[unlikely]]
        if (assign_sparse(given, leaf, destination.dims)) return;
    const PreparedOperand prepared(given, PreparedOperand::Sparse::as_dense);
    const Operand& source = *prepared;
    if (assign_flat(source, leaf, destination.dims)) return;
    switch (assign_path(source, destination)) {
    case AssignPath::nothing: return;
    case AssignPath::temporary: return assign_through_temporary(source, leaf, destination.dims);
    case AssignPath::copy: return copy_leaf(source, leaf, destination.dims);
    case AssignPath::evaluation: return compute(source, leaf, destination.dims);
    case AssignPath::writer: return assign_through_writer(source, leaf, destination.dims);
    }
}

namespace {

/// A slab of an operand, which contains elements that follow each other in row-major order.
struct AssignedPart {
    Operand operand;
    index_t first; ///< row-major index of its first element in the whole
};
AssignedPart part_of(const Operand& whole, index_t begin, index_t count) {
    if (count == whole.dims.size()) return {whole, 0};
    const Slab slab = slab_of(whole.dims.max_shape(), begin, begin + count - 1);
    return {{whole.node, dimensions::compose(slab.dims(), whole.dims)}, slab.first};
}

bool reads_thread_safe(const Operand& source) {
    return std::ranges::all_of(nodes_below(std::span(&source, 1)), [](const Node* node) {
        return node->kind() != NodeKind::leaf || static_cast<const Leaf*>(node)->is_thread_safe();
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
