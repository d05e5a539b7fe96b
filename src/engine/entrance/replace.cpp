// Defines purview/evaluation/replace.hpp.

#include <purview/dimensions/address_stream.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/replace.hpp>

#include "dtype/element_block.hpp"
#include "engine/places/load.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/threads/watch.hpp"

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Computes all elements first, and moves them over when nobody can stop that any more.
void replace_watched(const Operand& source, const Operand& destination) {
    const WatchedOperation watched("assignment");
    const index_t size = source.dims.size();
    ElementBlock elements(source.dtype(), size);
    if (!source.dtype().is_builtin()) {
        const Evaluation evaluation(source, Reads::within_one_operation);
        evaluation.read(0, size, elements.data());
        const Unwatched moved_over;
        const dimensions::AddressStream addresses(destination.dims);
        return store_elements(*leaf_of(destination), addresses, 0, size, elements.data());
    }
    const Operand computed =
        memory_operand(source.dtype(), elements.data(), source.dims.max_shape());
    assign(source, computed);
    const Unwatched moved_over;
    assign(computed, destination);
}

} // namespace

void replace_elements(const Operand& source, const Operand& destination) {
    if (!is_watched() || source.dims.size() == 0) return assign(source, destination);
    // Arrays in chunks need not fit memory: what is stopped ends between two cells.
    if (leaf_of(destination)->reads(Below::blocks)) {
        const WatchedOperation watched("assignment");
        return assign(source, destination);
    }
    if (!source.node->reads(Below::sparse) && !leaf_of(destination)->reads(Below::sparse))
        return replace_watched(source, destination);
    const Unwatched sparse;
    assign(source, destination);
}

} // namespace purview
