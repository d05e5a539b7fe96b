#include "engine/sparse/selection.hpp"
#include "engine/pairs/lists.hpp"
#include "engine/places/buffers.hpp"

#include <purview/base/errors.hpp>
#include <purview/reader/sparse_buffer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace purview::inline v0_1::engine {
namespace {

/// In larger sets, the intervals of 65,536 indexes that a set is made of take more than 100 MB.
constexpr index_t kLargestTrueSet = index_t{1} << 36;

/// The elements of a sparse operand that are not its fill. Throws `KindError` if that is true and
/// there are more than `most` elements.
SparseBufferPtr<bool> other_than_fill(const Operand& source, const char* what, index_t most) {
    SparseBufferPtr<bool> bools = realise_sparse<bool>(source, what);
    bools->prune();
    if (bools->fill() && bools->size() > most)
        throw KindError(fmt::format("{}: the fill is true, and with it nearly all of {} "
                                    "elements; take what is false",
                                    what, bools->size()));
    return bools;
}

} // namespace

BufferPtr<std::int64_t> true_positions_sparse(const Operand& source) {
    const SparseBufferPtr<bool> bools = other_than_fill(source, "argfilter", kLargestDenseOfSparse);
    if (bools->fill()) return nullptr;
    BufferPtr<std::int64_t> result = allocate_uninitialized_buffer<std::int64_t>(bools->stored());
    std::ranges::copy(bools->indexes(), data_of(result));
    return result;
}

IndexSet true_set_sparse(const Operand& source) {
    const SparseBufferPtr<bool> bools = other_than_fill(source, "index_set", kLargestTrueSet);
    IndexSet others(bools->indexes());
    return bools->fill() ? others.complement(0, bools->size()) : others;
}

index_t first_true_sparse(const Operand& source) {
    const SparseBufferPtr<bool> bools = other_than_fill(source, "first_true", kLargestSparse);
    const std::span<const index_t> others = bools->indexes();
    if (!bools->fill()) return others.empty() ? -1 : others[0];
    const index_t first = first_missing(others, 0);
    return first < bools->size() ? first : -1;
}

} // namespace purview::engine
