#include "engine/sparse/stored_parts.hpp"

#include <purview/expression/leaf.hpp>

#include "engine/places/buffers.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace purview::inline v0_1::engine {

StoredParts::StoredParts(const Operand& source, index_t count, const char* what)
    : groups(count), size(count == 0 ? 0 : source.dims.size() / count) {
    if (!find_in_place(source)) {
        computed.emplace(source, what);
        if (!source.dtype().is_builtin()) throw_dtype_unsupported(what, source.dtype());
        own = pairs_of(*computed);
        pairs = own.pairs();
    }
    const index_t stored = pairs.stored();
    const index_t* const index = pairs.indexes.data();
    for (index_t p = 0; p < stored;) {
        first.push_back(p);
        const index_t end = ((index[p] - pairs.offset) / size + 1) * size;
        p = sparse_position(pairs.indexes, end + pairs.offset, p);
    }
    cells = allocate_uninitialized_buffer<index_t>(std::ssize(first));
    std::ranges::transform(first, data_of(cells),
                           [&](index_t p) { return (index[p] - pairs.offset) / size; });
    first.push_back(stored);
}

bool StoredParts::find_in_place(const Operand& source) {
    const Leaf* const leaf = leaf_of(source);
    const DType dtype = source.dtype();
    if (leaf == nullptr || !source.dims.is_contiguous() || !dtype.is_builtin() ||
        dtype == boolean || source.dims.size() == 0)
        return false;
    SparsePairs all = listed_pairs(leaf->reader());
    if (!all || all.values.stride_bytes != dtype.size_bytes() ||
        reinterpret_cast<std::uintptr_t>(all.values.data) %
                static_cast<std::size_t>(dtype.size_bytes()) !=
            0)
        return false;
    const index_t begin = source.dims.base() + all.offset;
    pairs = pairs_between(std::move(all), begin, begin + source.dims.size());
    pairs.offset = begin;
    return true;
}

} // namespace purview::engine
