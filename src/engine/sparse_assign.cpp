#include "engine/sparse_assign.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/address_stream.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/sparse_evaluation.hpp>

#include "dtype/element_block.hpp"
#include "engine/compact_leaf.hpp"
#include "engine/moved_entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace purview::engine {
namespace {

/// Writes one value to everything that is stored below a view.
void write_stored(const Leaf& leaf, const Dimensions& view, DType dtype, const void* value) {
    const SparsePairs pairs = listed_pairs(leaf.reader());
    const MovedEntries moved = move_entries(pairs, view, "copy");
    if (moved.count() == 0) return;
    std::vector<index_t> addresses;
    addresses.reserve(moved.indexes.size());
    for (index_t i = 0; i < moved.count(); ++i)
        addresses.push_back(pairs.indexes[static_cast<std::size_t>(moved.position(i))] -
                            pairs.offset);
    ElementBlock values(dtype, moved.count());
    for (index_t i = 0; i < moved.count(); ++i) dtype.descriptor().copy(value, values.at(i), 1);
    leaf.writer()->scatter_from(addresses, values.data());
}

void write_pairs(const Leaf& leaf, const Dimensions& view, std::span<const index_t> indexes,
                 ElementBlock& values, index_t block) {
    const dimensions::AddressStream stream(view);
    std::vector<index_t> addresses;
    for (std::size_t begin = 0; begin < indexes.size(); begin += static_cast<std::size_t>(block)) {
        const auto part = indexes.subspan(
            begin, std::min(static_cast<std::size_t>(block), indexes.size() - begin));
        addresses.resize(part.size());
        stream.gather(part, addresses);
        leaf.writer()->scatter_from(addresses, values.at(static_cast<index_t>(begin)));
    }
}

} // namespace

bool assign_sparse(const Operand& source, const Leaf& leaf, const Dimensions& destination) {
    const index_t size = destination.size();
    if (size == 0) return true;
    const DType dtype = leaf.dtype();
    const SparsePairs own = leaf.reader().pairs();
    if (source.node->reveals() > Kind::sparse) {
        // What is stored would be moved by each block that is written in front of it.
        if (own && destination.is_identity() && leaf.size() == size &&
            !depends_on(source, {NodePtr(&leaf), destination})) {
            ElementBlock fill(dtype, 1);
            dtype.descriptor().copy(own.fill, fill.data(), 1);
            write_stored(leaf, destination, dtype, fill.data());
        }
        return false;
    }

    // All of it before anything is written: the two may be one.
    const SparseEvaluation pairs(source, "copy");
    ElementBlock fill(dtype, 1);
    if (pairs.stored() < size) Evaluation(pairs.fill()).read(0, 1, fill.data());
    ElementBlock values(dtype, pairs.stored());
    if (pairs.stored() > 0) Evaluation(pairs.values()).read(0, pairs.stored(), values.data());
    const std::span<const index_t> indexes{
        static_cast<const index_t*>(pairs.indexes()->memory().data),
        static_cast<std::size_t>(pairs.stored())};

    const bool keeps_fill =
        own && (pairs.stored() == size || dtype.descriptor().same(fill.data(), own.fill));
    if (keeps_fill) {
        if (pairs.stored() < size) write_stored(leaf, destination, dtype, fill.data());
        write_pairs(leaf, destination, indexes, values, std::max<index_t>(pairs.stored(), 1));
        return true;
    }
    if (own && size > kLargestDenseOfSparse)
        throw KindError(fmt::format("copy: {} elements differ from the fill of the sparse tensor "
                                    "they are copied to, and would all be stored",
                                    size - pairs.stored()));
    if (own) return false;
    if (pairs.stored() < size) {
        const Operand everywhere{
            block_constant(dtype, fill.data()),
            Dimensions::strided(destination.max_shape(), Shape(destination.max_shape().size(), 0))};
        assign(everywhere, {NodePtr(&leaf), destination});
    }
    write_pairs(leaf, destination, indexes, values, 1 << 16);
    return true;
}

} // namespace purview::engine
