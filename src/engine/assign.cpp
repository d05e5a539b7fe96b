#include <purview/expression/evaluate.hpp>

#include "engine/copy.hpp"
#include "engine/load.hpp"
#include "engine/plan_cache.hpp"
#include "engine/runner.hpp"

#include <algorithm>
#include <limits>

namespace purview {
namespace {

using namespace engine;

constexpr index_t kNoLimit = std::numeric_limits<index_t>::max();
constexpr auto kNothingAfter = [](index_t, index_t) {};

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
    Runner(plan, values)
        .run(
            begin, count, kNoLimit, [&](index_t at, index_t) { return out + (at - begin) * size; },
            kNothingAfter);
}

void assign_to_memory(const Operand& source, const Leaf& leaf, const Dimensions& dims) {
    const Values values(source);
    const std::shared_ptr<const Plan> shared =
        plan_for(values, {Walk::any_order, &dims, TileOp::none, nullptr});
    const Plan& plan = *shared;
    Runner runner(plan, values);
    const MutableMemoryView memory = leaf.writable_memory();
    auto* const place = static_cast<std::byte*>(memory.data) + dims.base() * memory.stride_bytes;
    const index_t size = leaf.dtype().size_bytes();
    const Strided& strided = plan.space.operands[0];
    const index_t inner = strided.strides.empty() ? 1 : strided.strides.back();
    const bool unit = memory.stride_bytes * inner == size && is_aligned(leaf);
    if (unit && plan.by_rows) {
        runner.run(
            0, plan.size, kNoLimit,
            [&](index_t, index_t) { return place + runner.destination() * memory.stride_bytes; },
            kNothingAfter);
        return;
    }
    ElementBlock block(source.dtype(), std::min(kBlock, plan.size));
    runner.run(
        0, plan.size, kBlock, [&](index_t, index_t) { return block.at(0); },
        [&](index_t begin, index_t count) {
            if (plan.by_rows)
                plan.kernels.store_strided(static_cast<std::size_t>(size), block.at(0),
                                           place + runner.destination() * memory.stride_bytes,
                                           inner * memory.stride_bytes, count);
            else
                scatter_rows(plan.kernels, plan.space, 0, static_cast<std::size_t>(size),
                             memory.stride_bytes, place, begin, count, block.at(0));
        });
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

void assign(const Operand& source, const Operand& destination) {
    const Leaf& leaf = *leaf_of(destination);
    if (source.dims.size() == 0) return;
    if (depends_on(source, destination)) {
        const Evaluation evaluation(source);
        ElementBlock elements(source.dtype(), evaluation.size());
        evaluation.read(0, evaluation.size(), elements.data());
        const dimensions::AddressStream addresses(destination.dims);
        store_elements(leaf, addresses, 0, addresses.size(), elements.data());
    } else if (!is_strided_memory(leaf, destination.dims)) {
        assign_through_writer(source, leaf, destination.dims);
    } else if (!copy_strided(source, leaf, destination.dims)) {
        assign_to_memory(source, leaf, destination.dims);
    }
}

struct Evaluation::State {
    explicit State(const Operand& source)
        : root(source), values(root), plan(plan_for(values, {})) {}

    Operand root; ///< keeps what the values refer to
    Values values;
    std::shared_ptr<const Plan> plan;
};

Evaluation::Evaluation(const Operand& source) : state_(new State(source)) {}
Evaluation::~Evaluation() = default;
Evaluation::Evaluation(Evaluation&&) noexcept = default;
Evaluation& Evaluation::operator=(Evaluation&&) noexcept = default;

DType Evaluation::dtype() const noexcept { return state_->plan->dtype; }
index_t Evaluation::size() const noexcept { return state_->plan->size; }
bool Evaluation::is_thread_safe() const noexcept { return state_->plan->thread_safe; }

void Evaluation::read(index_t begin, index_t count, void* out) const {
    evaluate(*state_->plan, state_->values, begin, count, static_cast<std::byte*>(out));
}

} // namespace purview
