#include "engine/contract/sparse_factor.hpp"

#include <purview/base/errors.hpp>

#include "engine/pairs/values.hpp"
#include "engine/places/line_in_memory.hpp"

#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// A factor that stores all `size` elements has no fill that matters.
std::optional<SparseFactor> with_zero_fill(SparseFactor factor, DType dtype, index_t size) {
    if (factor.stored() < size && !is_zero(dtype, factor.pairs.fill)) return {};
    return factor;
}

} // namespace

std::optional<SparseFactor> SparseFactor::in_memory(const Operand& operand) {
    const Leaf* const leaf = leaf_of(operand);
    const DType dtype = operand.dtype();
    if (dtype == boolean || leaf == nullptr) return {};
    SparsePairs pairs = leaf->reader().pairs();
    const bool shows_all = operand.dims.is_contiguous() && operand.dims.base() == 0 &&
                           operand.dims.size() == leaf->reader().size();
    const bool are_neighbours =
        pairs.values.stride_bytes == dtype.size_bytes() && is_aligned(pairs.values.data, dtype);
    const bool is_list = pairs.packed == nullptr && pairs.offset == 0 && pairs.are_checked;
    if (!pairs || !shows_all || !are_neighbours || !is_list) return {};
    return with_zero_fill({std::move(pairs), {}}, dtype, operand.dims.size());
}

std::optional<SparseFactor> SparseFactor::of(const Operand& operand) {
    if (auto factor = in_memory(operand)) return factor;
    std::optional<SparseEvaluation> found;
    try {
        found.emplace(operand, "sum");
    } catch (const KindError&) {
        return {};
    }
    OwnPairs own = own_pairs(*found);
    SparsePairs pairs = own.pairs();
    return with_zero_fill({std::move(pairs), std::move(own)}, operand.dtype(), found->size());
}

} // namespace purview::engine
