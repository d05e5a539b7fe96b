#include "engine/realise/assign_dense.hpp"

#include <purview/evaluation/evaluate.hpp>

#include "engine/compile/plan_cache.hpp"
#include "engine/copy/copy.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/places/load.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/places/words.hpp"
#include "engine/realise/prepared_operand.hpp"
#include "engine/run/compute.hpp"
#include "engine/run/few_elements.hpp"
#include "engine/run/flat_graph.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/run/runner.hpp"
#include "reader/file_mappings.hpp"

#include <algorithm>
#include <cstring>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Whether a destination is strided memory of words: results are computed into it, or
/// copied to it row by row.
bool is_strided_memory(const Leaf& leaf, const Dimensions& dims) {
    return leaf.writable_memory() && is_of_words(leaf.dtype()) && dims.is_strided();
}

/// Stores a `FlatGraph`, from memory that is read in order. Returns false, with nothing written, for
/// anything else.
bool store_flat(const Operand& source, std::byte* place) {
    if (store_few(source, place)) return true;
    if (has_files_mapped_twice()) [[unlikely]]
        return false; // different addresses may be one place then
    FlatGraph graph;
    if (!graph.find(source)) return false;
    const Plan* const plan = graph.plan(source, TileOp::none, nullptr);
    if (plan == nullptr) return false;
    DirectRun run(*plan, graph.places(), graph.size());
    if (!run.may_store(place)) return false;
    run.store(place);
    return true;
}

/// The same to a destination that is contiguous memory.
bool assign_flat(const Operand& source, const Leaf& leaf, const Dimensions& dims) {
    const MutableMemoryView memory = leaf.writable_memory();
    if (!is_line(memory, leaf.dtype(), dims)) return false;
    return store_flat(source, static_cast<std::byte*>(memory.data) +
                                  dims.base() * leaf.dtype().size_bytes());
}

/// Whether elements of any type lie in memory one after the other, as functions write them.
bool is_in_order(const Leaf& leaf, const Dimensions& dims) {
    const MutableMemoryView memory = leaf.writable_memory();
    return is_line(memory, leaf.dtype(), dims) && is_aligned(memory.data, leaf.dtype());
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
    if (is_strided_memory(leaf, destination.dims)) return AssignPath::evaluation;
    return is_in_order(leaf, destination.dims) ? AssignPath::in_order : AssignPath::writer;
}

void engine::assign_dense(const Operand& given, const Operand& destination) {
    const Leaf& leaf = *leaf_of(destination);
    const PreparedOperand prepared(given, PreparedOperand::Sparse::as_dense);
    const Operand& source = *prepared;
    if (leaf_of(source) != nullptr ? assign_leaf(source, destination)
                                   : assign_flat(source, leaf, destination.dims))
        return;
    switch (assign_path(source, destination)) {
    case AssignPath::nothing: return;
    case AssignPath::temporary: return assign_through_temporary(source, leaf, destination.dims);
    case AssignPath::evaluation: return compute(source, leaf, destination.dims);
    case AssignPath::in_order: {
        const Evaluation evaluation(source);
        const index_t first = destination.dims.base() * source.dtype().size_bytes();
        return evaluation.read(0, evaluation.size(),
                               static_cast<std::byte*>(leaf.writable_memory().data) + first);
    }
    case AssignPath::writer: return assign_through_writer(source, leaf, destination.dims);
    }
}

void read_all(const Operand& source, void* out) {
    const index_t size = source.dims.size();
    if (size == 0) return;
    const DType dtype = source.dtype();
    if (const std::byte* const line = line_in_memory(source, BoolBytes::rejected, Alignment::any)) {
        std::memcpy(out, line, static_cast<std::size_t>(size * dtype.size_bytes()));
        return;
    }
    if (dtype.is_builtin()) {
        if (!may_repeat_work(source) && store_flat(source, static_cast<std::byte*>(out))) return;
        return assign_dense(source, memory_operand(dtype, out, source.dims.max_shape()));
    }
    Evaluation(source).read(0, size, out);
}

} // namespace purview
