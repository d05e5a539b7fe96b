#include "engine/sparse/assign.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/address_stream.hpp>
#include <purview/dtype/element_access.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparsity.hpp>
#include <purview/expression/constant.hpp>

#include "dtype/element_block.hpp"
#include "engine/pairs/moved_entries.hpp"
#include "engine/pairs/values.hpp"
#include "engine/places/compact_leaf.hpp"
#include "engine/realise/assign_dense.hpp"
#include "engine/sparse/own_pairs.hpp"
#include "engine/threads/watch.hpp"
#include "engine/ways/way.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace purview::inline v0_1::engine {
namespace {

/// Elements that are computed, or written to dense memory, at once.
constexpr index_t kManyElements = 1 << 16;

/// The positions of elements in a block that are not the fill.
void add_other_positions(DType dtype, ElementBlock& block, index_t count, const void* fill,
                         std::vector<index_t>& positions) {
    if (dtype.is_builtin()) {
        visit_dtype(dtype, "copy", [&]<typename T>(std::type_identity<T>) {
            const T* const elements = static_cast<const T*>(block.data());
            const T other = load_element<T>(fill);
            for (index_t i = 0; i < count; ++i)
                if (!same_element(elements[i], other)) positions.push_back(i);
        });
        return;
    }
    for (index_t i = 0; i < count; ++i)
        if (!dtype.descriptor().same(block.at(i), fill)) positions.push_back(i);
}

/// A growing array of elements of a run-time type.
class GrowingElements {
public:
    explicit GrowingElements(DType dtype) : dtype_(dtype), block_(new ElementBlock(dtype, 0)) {}

    /// Appends `count` elements, which the caller assigns; returns the first of them.
    std::byte* extend(index_t count) {
        if (count_ + count > capacity_) {
            const index_t capacity = std::max(count_ + count, capacity_ + capacity_ / 2);
            auto grown = std::make_unique<ElementBlock>(dtype_, capacity);
            dtype_.descriptor().copy(block_->data(), grown->data(), count_);
            block_ = std::move(grown);
            capacity_ = capacity;
        }
        return block_->at(std::exchange(count_, count_ + count));
    }
    std::unique_ptr<ElementBlock> take() && noexcept { return std::move(block_); }

private:
    DType dtype_;
    std::unique_ptr<ElementBlock> block_;
    index_t count_ = 0;
    index_t capacity_ = 0;
};

/// The elements of a source that differ from `fill`, as pairs. Computes every element: O(size).
OwnPairs differing_pairs(const Operand& source, const void* fill) {
    const DType dtype = source.dtype();
    const Evaluation evaluation(source, Reads::within_one_operation);
    ElementBlock block(dtype, std::min(kManyElements, evaluation.size()));
    std::vector<index_t> indexes;
    std::vector<index_t> positions;
    GrowingElements elements(dtype);
    for (index_t begin = 0; begin < evaluation.size(); begin += kManyElements) {
        const index_t count = std::min(kManyElements, evaluation.size() - begin);
        evaluation.read(begin, count, block.data());
        positions.clear();
        add_other_positions(dtype, block, count, fill, positions);
        gather_pairs(dtype, {{}, {block.data(), dtype.size_bytes()}, fill}, positions,
                     elements.extend(std::ssize(positions)));
        for (const index_t position : positions) indexes.push_back(begin + position);
    }
    OwnPairs pairs;
    const index_t count = std::ssize(indexes);
    pairs.indexes = taken(buffer_from_vector(std::move(indexes)), count);
    pairs.values = std::make_shared<CompactReader>(dtype, count, std::move(elements).take());
    pairs.fill = std::make_unique<ElementBlock>(dtype, 1);
    dtype.descriptor().copy(fill, pairs.fill->data(), 1);
    return pairs;
}

void scatter(const Leaf& leaf, const Dimensions& view, std::span<const index_t> indexes,
             const void* values) {
    std::vector<index_t> addresses(indexes.size());
    dimensions::AddressStream(view).gather(indexes, addresses);
    leaf.writer()->scatter_from(addresses, values);
}

/// Assigns pairs, whose fill is the leaf's own, through a view to a sparse leaf: writes them, and
/// the fill to all other entries stored below the view, in one write, so that entries are moved
/// once and none is lost if it throws.
void replace_stored(const OwnPairs& pairs, const Leaf& leaf, const Dimensions& view) {
    const SparsePairs own = listed_pairs(leaf.reader());
    const MovedEntries stored = move_entries(own, view, "copy");
    const IndexSpan all = union_of(pairs.indexes, stored.indexes);
    if (all.count() == pairs.indexes.count())
        return scatter(leaf, view, all.indexes, pairs.values->memory().data);
    std::vector<index_t> positions(all.indexes.size(), -1);
    index_t next = 0;
    for (std::size_t i = 0; i < positions.size(); ++i)
        if (next < pairs.indexes.count() &&
            pairs.indexes.indexes[static_cast<std::size_t>(next)] == all.indexes[i])
            positions[i] = next++;
    ElementBlock values(leaf.dtype(), all.count());
    gather_pairs(leaf.dtype(), pairs.pairs(), positions, values.data());
    scatter(leaf, view, all.indexes, values.data());
}

/// Assigns pairs to a leaf that is not sparse: the fill everywhere, then the values.
void assign_to_dense(const OwnPairs& pairs, const Leaf& leaf, const Dimensions& view) {
    const DType dtype = leaf.dtype();
    const index_t count = pairs.indexes.count();
    if (count < view.size()) {
        const Operand everywhere{
            block_constant(dtype, pairs.fill->data()),
            Dimensions::strided(view.max_shape(), Shape(view.max_shape().size(), 0))};
        assign_dense(everywhere, {NodePtr(&leaf), view});
    }
    const auto* const values = static_cast<const std::byte*>(pairs.values->memory().data);
    for (index_t begin = 0; begin < count; begin += kManyElements)
        scatter(leaf, view,
                pairs.indexes.indexes.subspan(
                    static_cast<std::size_t>(begin),
                    static_cast<std::size_t>(std::min(kManyElements, count - begin))),
                values + begin * dtype.size_bytes());
}

/// Assigns a sparse (or constant) source to a leaf, or any source to a sparse leaf. O(stored in
/// both); O(size) where the source is dense, or its fill differs from that of a sparse leaf.
/// Returns false, with nothing written, where neither is sparse. Throws `KindError` where too many
/// elements would be computed or stored.
bool assign_sparse(const Operand& source, const Leaf& leaf, const Dimensions& destination) {
    const index_t size = destination.size();
    if (size == 0) return true;
    const DType dtype = leaf.dtype();
    const SparsePairs own = leaf.reader().pairs();
    if (storage_kind_of(*source.node) > Kind::sparse) {
        if (!own) return false;
        check_dense_of_sparse("copy", source);
        // In one write: if blocks were written one by one, each would move the entries behind it.
        replace_stored(differing_pairs(source, own.fill), leaf, destination);
        return true;
    }

    // Computed as a whole before anything is written: source and destination may be one tensor.
    const OwnPairs pairs = own_pairs(SparseEvaluation(source, "copy"));
    if (!own) {
        assign_to_dense(pairs, leaf, destination);
        return true;
    }
    if (pairs.indexes.count() == size || dtype.descriptor().same(pairs.fill->data(), own.fill)) {
        replace_stored(pairs, leaf, destination);
        return true;
    }
    if (size > kLargestDenseOfSparse)
        throw KindError(fmt::format("copy: {} elements differ from the fill of the sparse tensor "
                                    "they are copied to, and would all be stored",
                                    size - pairs.indexes.count()));
    replace_stored(differing_pairs(source, own.fill), leaf, destination);
    return true;
}

} // namespace

void assign_on_cpu(const Operand& source, const Operand& destination) {
    const WatchedOperation watched("assignment");
    const Leaf& leaf = *leaf_of(destination);
    if (source.node->reads(Below::sparse) || leaf.reads(Below::sparse)) [[unlikely]]
        if (assign_sparse(source, leaf, destination.dims)) return count_way(Way::stored);
    assign_dense(source, destination);
}

} // namespace purview::engine
