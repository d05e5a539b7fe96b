#include <purview/dimensions/compose.hpp>
#include <purview/expression/evaluate.hpp>

#include "engine/assign.hpp"
#include "engine/cache_sizes.hpp"
#include "engine/copy.hpp"
#include "engine/flat_graph.hpp"
#include "engine/load.hpp"
#include "engine/parallel.hpp"
#include "engine/plan_cache.hpp"
#include "engine/ready.hpp"
#include "engine/runner.hpp"
#include "engine/sparse_assign.hpp"
#include "expression/graph.hpp"
#include "reader/file_mappings.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <span>

namespace purview {
namespace {

using namespace engine;

constexpr index_t kNoLimit = std::numeric_limits<index_t>::max();

/// Strided memory of a built-in type: results are computed into it, or copied row by row.
bool is_strided_memory(const Leaf& leaf, const Dimensions& dims) {
    return leaf.writable_memory() && leaf.dtype().is_builtin() && dims.is_strided();
}

bool is_aligned(const Leaf& leaf) {
    return reinterpret_cast<std::uintptr_t>(leaf.writable_memory().data) %
               leaf.dtype().descriptor().alignment ==
           0;
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

/// Of the destination.
index_t inner_stride(const Plan& plan) {
    const StridedOperand& strided = plan.space.operands[0];
    return strided.strides.empty() ? 1 : strided.strides.back();
}

/// Runs a plan that walks along a destination in memory.
class MemoryAssignment {
public:
    MemoryAssignment(const Operand& source, const Leaf& leaf, const Dimensions& dims)
        : values_(source),
          plan_(plan_for(values_, {Walk::any_order, &dims, TileOp::none, nullptr})),
          stride_bytes_(leaf.writable_memory().stride_bytes),
          place_(static_cast<std::byte*>(leaf.writable_memory().data) +
                 dims.base() * stride_bytes_),
          size_(leaf.dtype().size_bytes()) {
        inner_bytes_ = inner_stride(*plan_) * stride_bytes_;
        is_direct_ = computes_in_place(*plan_, leaf);
    }

    void run() const {
        if (plan_->turned && !is_direct_) return run_turned();
        const auto part = [&](index_t begin, index_t end) { run(begin, end - begin); };
        // Where several elements share an address, the last one is to win.
        if (std::ranges::count(plan_->space.operands[0].strides, 0) > 0)
            part(0, plan_->size);
        else
            for_each_part(*plan_, plan_->size, part);
    }

private:
    /// Short rows are computed side by side, and each panel of them is then transposed to where it goes.
    void run_turned() const {
        const index_t rows = plan_->panel_rows;
        const index_t across =
            plan_->space.operands[0].strides[plan_->space.rank() - 2] * stride_bytes_;
        const bool streams = plan_->size >= kStreamedBytes / size_;
        const auto bytes = static_cast<std::size_t>(size_);
        const KernelTable& kernels = plan_->kernels;
        const auto part = [&](index_t first, index_t last) {
            Runner runner(*plan_, values_);
            ElementBlock panel(plan_->dtype, rows * kPanelStride);
            std::byte* here = nullptr;
            runner.run_columns(
                first, last,
                [&](index_t row) {
                    if (row == 0) here = place_ + runner.destination() * stride_bytes_;
                    return panel.at(row * kPanelStride);
                },
                [&](index_t row, index_t count) {
                    if (row + 1 < rows) return;
                    if (across == size_)
                        return kernels.transpose_2d(bytes, panel.at(0), kPanelStride * size_, here,
                                                    inner_bytes_, rows, count, streams);
                    for (index_t r = 0; r < rows; ++r)
                        kernels.store_strided(bytes, panel.at(r * kPanelStride), here + r * across,
                                              inner_bytes_, count);
                });
            if (streams) kernels.finish_streams();
        };
        parallel_for(plan_->size / rows, 8 * kPanelColumns, threads_for(*plan_, plan_->size), part);
    }

    void run(index_t begin, index_t count) const {
        Runner runner(*plan_, values_);
        const auto here = [&] { return place_ + runner.destination() * stride_bytes_; };
        if (is_direct_) {
            runner.stream_results();
            std::byte* const first = place_ + plan_->space.operands[0].base * stride_bytes_;
            runner.run(
                begin, count, runner.block_near(),
                [&](index_t at, index_t) { return plan_->by_rows ? here() : first + at * size_; },
                kNothingAfter);
            plan_->kernels.finish_streams();
            return;
        }
        ElementBlock block(plan_->dtype, std::min(kBlock, count));
        const auto bytes = static_cast<std::size_t>(size_);
        runner.run(
            begin, count, kBlock, [&](index_t, index_t) { return block.at(0); },
            [&](index_t at, index_t length) {
                if (plan_->by_rows)
                    plan_->kernels.store_strided(bytes, block.at(0), here(), inner_bytes_, length);
                else
                    scatter_rows(plan_->kernels, plan_->space, 0, bytes, stride_bytes_, place_, at,
                                 length, block.at(0));
            });
    }

    Values values_;
    std::shared_ptr<const Plan> plan_;
    index_t stride_bytes_;
    std::byte* place_;
    index_t size_;
    index_t inner_bytes_ = 0;
    bool is_direct_ = false;
};

/// Copies a little, or computes a few operations, from memory that is read in order into memory that is
/// written in order.
/// False for anything else.
bool assign_flat(const Operand& source, const Leaf& leaf, const Dimensions& dims) {
    const MutableMemoryView memory = leaf.writable_memory();
    const index_t size = leaf.dtype().size_bytes();
    if (!memory || memory.stride_bytes != size || !dims.is_contiguous()) return false;
    if (has_files_mapped_twice()) [[unlikely]]
        return false; // addresses do not tell then
    std::byte* const place = static_cast<std::byte*>(memory.data) + dims.base() * size;
    if (const Leaf* const from = leaf_of(source); from != nullptr) {
        const index_t count = source.dims.size();
        if (count > FlatGraph::kLargest || !from->memory() || from->dtype() == boolean ||
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
    Runner(*plan, values)
        .run(
            0, plan->size, kBlock, [&](index_t, index_t) { return block.at(0); },
            [&](index_t begin, index_t count) {
                store_elements(leaf, addresses, begin, count, block.at(0));
            });
}

} // namespace

bool engine::computes_in_place(const Plan& plan, const Leaf& destination) {
    const index_t stride = destination.writable_memory().stride_bytes;
    const index_t size = destination.dtype().size_bytes();
    return is_aligned(destination) &&
           (plan.by_rows ? stride * inner_stride(plan) == size
                         : stride == size && plan.space.is_contiguous(0));
}

AssignPath engine::assign_path(const Operand& source, const Operand& destination) {
    if (source.dims.size() == 0) return AssignPath::nothing;
    if (depends_on(source, destination)) return AssignPath::temporary;
    const Leaf& leaf = *leaf_of(destination);
    if (can_copy_leaf(source, leaf, destination.dims)) return AssignPath::copy;
    return is_strided_memory(leaf, destination.dims) ? AssignPath::evaluation : AssignPath::writer;
}

void engine::compute(const Operand& source, const Leaf& leaf, const Dimensions& dims) {
    MemoryAssignment(source, leaf, dims).run();
}

void assign(const Operand& given, const Operand& destination) {
    const Leaf& leaf = *leaf_of(destination);
    if (given.node->reads_sparse() || leaf.reads_sparse()) [[unlikely]]
        if (assign_sparse(given, leaf, destination.dims)) return;
    const Ready ready(given, Ready::Sparse::as_dense);
    const Operand& source = *ready;
    if (assign_flat(source, leaf, destination.dims)) return;
    switch (assign_path(source, destination)) {
    case AssignPath::nothing: return;
    case AssignPath::temporary: return assign_through_temporary(source, leaf, destination.dims);
    case AssignPath::copy: return copy_leaf(source, leaf, destination.dims);
    case AssignPath::evaluation: return MemoryAssignment(source, leaf, destination.dims).run();
    case AssignPath::writer: return assign_through_writer(source, leaf, destination.dims);
    }
}

namespace {

/// Elements that are next to each other in the global order, and some around them, as an operand.
struct AssignedPart {
    Operand operand;
    index_t first; ///< in the global order of the whole
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

/// A plan where one is good for each read. Where elements would be computed again and again (`Ready`), each read begins by
/// computing what it needs several times; of an evaluation within one operation that is done once, for all of them.
struct Evaluation::State {
    State(const Operand& source, Reads reads) : root(source) {
        if (!may_repeat_work(root)) {
            prepare(root);
            return;
        }
        thread_safe = reads_thread_safe(root);
        if (reads == Reads::within_one_operation) {
            ready.emplace(root, Ready::Sparse::as_dense);
            prepare(**ready);
            return;
        }
        const RepeatedWork work(root);
        each_read_is_prepared = !work.realised().empty();
        if (!each_read_is_prepared && !work.changes_nothing()) {
            root = with_leaf_gathers(root, work);
            prepare(root);
            return;
        }
        // Reads of a few elements take a plan for all, if that is no dear one.
        if (!each_read_is_prepared ||
            (root.dims.size() >= kBlock &&
             RepeatedWork(root, RepeatedWork::Realise::nothing).cost() < kFewTimes * work.cost()))
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
        const Ready now(part.operand, Ready::Sparse::as_dense);
        const Values these(*now);
        evaluate(*plan_for(these, {}), these, begin - part.first, count, out);
    }

    static constexpr double kFewTimes = 32;

    Operand root;               ///< keeps what the values refer to
    std::optional<Ready> ready; ///< the same
    std::optional<Values> values;
    std::shared_ptr<const Plan> plan; ///< null if no plan is good for each read
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
