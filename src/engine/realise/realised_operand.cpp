#include "engine/realise/realised_operand.hpp"

#include "engine/compile/without_gathers.hpp"
#include "engine/places/costs.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/realise/assign_way.hpp"
#include "engine/realise/leaf_gathers.hpp"
#include "engine/run/compute.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/sparsity.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/allocation.hpp>
#include <purview/reader/buffer.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace purview::inline v0_1::engine {
namespace {

/// A leaf whose elements at the addresses [slab.first, slab.first + slab.size) lie in `memory`.
/// Lower addresses have no memory, and must not be read.
NodePtr leaf_over(DType dtype, std::shared_ptr<void> memory, const Slab& slab) {
    return visit_dtype(dtype, "evaluation", [&]<typename T>(std::type_identity<T>) {
        constexpr index_t kSize = sizeof(T);
        const StorageId storage{memory.get(), slab.size * kSize};
        auto* const origin = reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(memory.get()) -
                                                  static_cast<std::uintptr_t>(slab.first * kSize));
        const auto buffer = std::make_shared<Buffer<T>>(origin, slab.first + slab.size, kSize,
                                                        std::move(memory), storage);
        return make_node<Leaf>(buffer, *buffer);
    });
}

/// The source with gathers of leaves where `work` asks for them, and each realised node replaced by
/// `make(node, slab)`, which gets the node with what it reads replaced already.
template <typename Make>
Operand lowered(const Operand& source, const RepeatedWork& work, Make&& make) {
    auto next = work.realised().begin();
    const auto replace = [&](const Node& node, NodePtr now) {
        if (work.gathers_leaves(node))
            now = with_leaves_gathered(static_cast<const Gather&>(node),
                                       static_cast<const Gather&>(*now).operands());
        if (next == work.realised().end() || next->node != &node) return now;
        return make(std::move(now), (next++)->slab);
    };
    return rewritten(std::span(&source, 1), replace).front();
}

} // namespace

void RealisedOperand::realise(const Operand& source, Sparse sparse) {
    if (sparse == Sparse::left_alone && storage_kind_of(*source.node) <= Kind::sparse) return;
    if (const std::optional<SeenNode> seen = without_gathers(*source.node, source.dims)) {
        lowered_ = Operand{NodePtr(seen->node), seen->view};
        operand_ = &*lowered_;
    }
    if (!may_repeat_work(*operand_)) return;
    const RepeatedWork work(*operand_);
    if (work.changes_nothing()) return;
    try {
        lowered_ = lowered(Operand(*operand_), work, [](NodePtr node, const Slab& slab) {
            const DType dtype = node->dtype();
            checked_bytes(slab.first + slab.size, dtype.size_bytes(), "evaluation");
            NodePtr leaf = leaf_over(dtype, allocate_bytes(slab.size * dtype.size_bytes()), slab);
            compute({std::move(node), slab.dims()}, static_cast<const Leaf&>(*leaf), slab.dims(),
                    allowed_ways());
            return leaf;
        });
        operand_ = &*lowered_;
    } catch (...) {
        const double lazy = RepeatedWork(*operand_, RepeatedWork::Realise::nothing).cost();
        if (lazy > std::max(costs::kAffordable, 4 * work.cost())) throw;
    }
}

void RealisedOperand::realise_chunks(const char* what, const Operand& source) {
    const DType dtype = source.dtype();
    const index_t size = source.dims.size();
    if (size == 0 || !dtype.descriptor().trivial || storage_kind_of(*source.node) <= Kind::sparse)
        return realise(source, Sparse::left_alone);
    counted_ = CountedBytes(checked_bytes(size, dtype.size_bytes(), what), what);
    void* memory = nullptr;
    lowered_ = Operand{new_memory_leaf(dtype, size, memory),
                       Dimensions::row_major(source.dims.max_shape())};
    AssignWay(source, *lowered_, allowed_ways()).run();
    operand_ = &*lowered_;
}

Operand with_leaf_gathers(const Operand& source, const RepeatedWork& work) {
    return lowered(source, work, [](NodePtr node, const Slab&) { return node; });
}

Operand over_imagined_memory(const Operand& source, const RepeatedWork& work) {
    return lowered(source, work, [](const NodePtr& node, const Slab& slab) {
        const index_t bytes = (slab.first + slab.size) * node->dtype().size_bytes();
        void* const place =
            reinterpret_cast<void*>(static_cast<std::uintptr_t>(bytes) / 64 * 64 + 64);
        return leaf_over(node->dtype(), std::shared_ptr<void>(std::shared_ptr<void>(), place),
                         slab);
    });
}

} // namespace purview::engine
