#include "engine/realise/assign_way.hpp"

#include <purview/dimensions/address_stream.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/visit_node.hpp>

#include "dtype/element_block.hpp"
#include "engine/compile/plan_cache.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/places/load.hpp"
#include "engine/places/words.hpp"
#include "engine/realise/realised_operand.hpp"
#include "engine/run/compute.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/run/runner.hpp"
#include "reader/file_mappings.hpp"

#include <algorithm>

namespace purview::inline v0_1::engine {
namespace {

/// Whether a destination is strided memory of words: results are computed into it, or
/// copied to it row by row.
bool is_strided_memory(const Leaf& leaf, const Dimensions& dims) {
    return leaf.writable_memory() && is_of_words(leaf.dtype()) && dims.is_strided();
}

/// Whether elements of any type lie in memory one after the other, as functions write them.
bool is_in_order(const Leaf& leaf, const Dimensions& dims) {
    const MutableMemoryView memory = leaf.writable_memory();
    return is_line(memory, leaf.dtype(), dims) && is_aligned(memory.data, leaf.dtype());
}

/// The address of the first element of a destination whose elements lie one after the other.
std::byte* first_of(const Leaf& leaf, const Dimensions& dims) {
    return static_cast<std::byte*>(leaf.writable_memory().data) +
           dims.base() * leaf.dtype().size_bytes();
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

bool FlatStore::find(const Operand& source, std::byte* place) {
    if (has_files_mapped_twice()) [[unlikely]]
        return false; // different addresses may be one place then
    if (!graph_.find(source)) return false;
    const Plan* const plan = graph_.plan(source, TileOp::none, nullptr);
    if (plan == nullptr) return false;
    place_ = place;
    return run_.emplace(*plan, graph_.places(), graph_.size()).may_store(place);
}

void FlatStore::run() {
    count_way(Way::elementwise);
    run_->store(place_);
}

bool AssignWay::is_chunked() {
    return allowed_.has(Way::chunks) && kind_.emplace<ChunkedAssign>().find(source_, destination_);
}

bool AssignWay::is_copied() {
    if (!allowed_.has(Way::copied)) return false;
    switch (copy_form(source_, destination_)) {
    case CopyForm::none: return false;
    case CopyForm::move: return kind_.emplace<Moved>(), true;
    case CopyForm::same: return kind_.emplace<Same>(), true;
    case CopyForm::plan:
        kind_.emplace<CopyPlan>(*leaf_of(source_), source_.dims, leaf_, destination_.dims);
        return true;
    }
    __builtin_unreachable();
}

bool AssignWay::is_flat() {
    return allowed_.has(Way::elementwise) &&
           is_line(leaf_.writable_memory(), leaf_.dtype(), destination_.dims) &&
           kind_.emplace<FlatStore>().find(source_, first_of(leaf_, destination_.dims));
}

void AssignWay::choose(bool realised) {
    if (source_.node->reads(Below::blocks) || leaf_.reads(Below::blocks)) [[unlikely]]
        if (is_chunked()) return;
    if (!realised && may_be_replaced(source_)) [[unlikely]]
        return static_cast<void>(kind_.emplace<Realised>());
    if (leaf_of(source_) != nullptr ? is_copied() : is_flat()) return;
    if (source_.dims.size() == 0)
        kind_.emplace<Nothing>();
    else if (depends_on(source_, destination_))
        kind_.emplace<Temporary>();
    else if (is_strided_memory(leaf_, destination_.dims))
        kind_.emplace<Computed>();
    else if (is_in_order(leaf_, destination_.dims))
        kind_.emplace<InOrder>();
    else
        kind_.emplace<Written>();
}

void AssignWay::run() {
    const Dimensions& dims = destination_.dims;
    std::visit(Overloads{[](Nothing) {},
                         [&](const ChunkedAssign& chunked) {
                             chunked.run(allowed_.without(Way::chunks));
                             count_way(Way::chunks);
                         },
                         [&](Moved) {
                             count_way(Way::copied);
                             move_leaf(source_, destination_);
                         },
                         [](Same) { count_way(Way::copied); },
                         [](const CopyPlan& plan) {
                             count_way(Way::copied);
                             plan.run();
                         },
                         [](FlatStore& flat) { flat.run(); },
                         [&](Realised) {
                             const RealisedOperand realised(source_,
                                                            RealisedOperand::Sparse::as_dense);
                             AssignWay(*realised, destination_, allowed_, true).run();
                         },
                         [&](Computed) { compute(source_, leaf_, dims, allowed_); },
                         [&](InOrder) {
                             count_way(Way::in_order);
                             const Evaluation evaluation(source_);
                             evaluation.read(0, evaluation.size(), first_of(leaf_, dims));
                         },
                         [&](Temporary) {
                             count_way(Way::temporary);
                             assign_through_temporary(source_, leaf_, dims);
                         },
                         [&](Written) {
                             count_way(Way::written);
                             assign_through_writer(source_, leaf_, dims);
                         }},
               kind_);
}

} // namespace purview::engine
