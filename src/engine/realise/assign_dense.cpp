#include "engine/realise/assign_dense.hpp"

#include <purview/evaluation/evaluate.hpp>

#include "engine/places/line_in_memory.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/realise/assign_way.hpp"
#include "engine/realise/realised_operand.hpp"
#include "engine/run/few_elements.hpp"

#include <cstring>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Stores what is an operation of a few elements, as most short calls are, before a way is chosen:
/// the ways give these bits, too, but choosing takes several times as long.
bool store_few_elements(const Operand& source, std::byte* place, Ways allowed) {
    if (!allowed.has(Way::elementwise) || !store_few(source, place)) return false;
    count_way(Way::elementwise);
    return true;
}

} // namespace

void engine::assign_dense(const Operand& source, const Operand& destination, Ways allowed) {
    const Leaf& leaf = *leaf_of(destination);
    const MutableMemoryView memory = leaf.writable_memory();
    if (leaf_of(source) == nullptr && is_line(memory, leaf.dtype(), destination.dims) &&
        store_few_elements(source,
                           static_cast<std::byte*>(memory.data) +
                               destination.dims.base() * memory.stride_bytes,
                           allowed))
        return;
    AssignWay(source, destination, allowed).run();
}

void read_all(const Operand& source, void* out) {
    const index_t size = source.dims.size();
    if (size == 0) return;
    const DType dtype = source.dtype();
    if (const std::byte* const line = line_in_memory(source, BoolBytes::rejected, Alignment::any)) {
        std::memcpy(out, line, static_cast<std::size_t>(size * dtype.size_bytes()));
        return;
    }
    if (!dtype.is_builtin()) return Evaluation(source).read(0, size, out);
    const Ways allowed = allowed_ways();
    // Without a leaf for the destination, where that is all:
    if (!may_repeat_work(source) && allowed.has(Way::elementwise)) {
        if (store_few_elements(source, static_cast<std::byte*>(out), allowed)) return;
        FlatStore flat;
        if (flat.find(source, static_cast<std::byte*>(out))) return flat.run();
    }
    AssignWay(source, memory_operand(dtype, out, source.dims.max_shape()), allowed).run();
}

} // namespace purview
