#include "engine/sparse/pieces.hpp"
#include "engine/places/buffers.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/address_stream.hpp>

#include "engine/pairs/values.hpp"
#include "engine/places/compact_leaf.hpp"
#include "engine/sparse/fill_decision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

bool same_fills(DType dtype, const Part& a, const Part& b) {
    return same_fill(dtype, a.pairs().fill, b.pairs().fill);
}

/// A part with the most frequent fill, by elements that are not stored; null where all are stored.
const Part* most_frequent_fill(DType dtype, const std::vector<Part>& parts) {
    // To count all fills could take the square of the number of pieces.
    constexpr std::size_t kMostFills = 64;
    struct Count {
        const Part* first;
        index_t elements;
    };
    std::vector<Count> counts;
    for (const Part& part : parts) {
        if (part.fills() == 0) continue;
        const auto known = std::ranges::find_if(
            counts, [&](const Count& count) { return same_fills(dtype, *count.first, part); });
        if (known != counts.end())
            known->elements += part.fills();
        else if (counts.size() < kMostFills)
            counts.push_back({&part, part.fills()});
    }
    const auto most = std::ranges::max_element(counts, {}, &Count::elements);
    return most == counts.end() ? nullptr : most->first;
}

/// The elements of a part, in the order in which `write_addresses` has their addresses.
void write_values(DType dtype, const Part& part, std::byte* out) {
    const std::span<const index_t> indexes = part.own.indexes.indexes;
    if (!part.stored_whole) return part.own.values->read_into(0, 1, part.count(), out);
    std::vector<index_t> positions(static_cast<std::size_t>(part.size), -1);
    for (std::size_t i = 0; i < indexes.size(); ++i)
        positions[static_cast<std::size_t>(indexes[i])] = static_cast<index_t>(i);
    gather_pairs(dtype, part.pairs(), positions, out);
}

void write_addresses(const Part& part, std::span<index_t> out) {
    const dimensions::AddressStream stream(part.box);
    if (part.stored_whole)
        stream.read(0, out);
    else
        stream.gather(part.own.indexes.indexes, out);
}

} // namespace

Dimensions box_of(const Piecewise& node, std::size_t piece) {
    const Shape strides = to_shape(Dimensions::row_major(node.shape()).strides());
    index_t base = 0;
    for (std::size_t a = 0; a < strides.size(); ++a) base += node.begins()[piece][a] * strides[a];
    return Dimensions::strided(node.operands()[piece].dims.max_shape(), strides, base);
}

OwnPairs join_pieces(const Piecewise& node, std::vector<Part>& parts, const char* what) {
    const DType dtype = node.dtype();
    OwnPairs joined;
    joined.fill = default_element(dtype);
    const Part* const most = most_frequent_fill(dtype, parts);
    // Where all elements are stored, a fill that all parts have in common is still the node's:
    // decisions were made by it.
    const bool in_common = !parts.empty() && std::ranges::all_of(parts, [&](const Part& part) {
        return same_fills(dtype, parts.front(), part);
    });
    if (most != nullptr || in_common)
        dtype.descriptor().copy((most != nullptr ? *most : parts.front()).pairs().fill,
                                joined.fill->data(), 1);
    index_t count = 0;
    for (Part& part : parts) {
        part.stored_whole = part.fills() > 0 && &part != most && !same_fills(dtype, part, *most);
        if (part.stored_whole && part.size > kLargestDenseOfSparse)
            throw KindError(fmt::format(
                "{}: a piece of {} elements differs from the fill of the others, and would be "
                "stored; write to_dense",
                node.what(), part.size));
        count += part.count();
    }

    std::vector<index_t> addresses(static_cast<std::size_t>(count));
    auto elements = std::make_unique<ElementBlock>(dtype, count);
    index_t place = 0;
    for (const Part& part : parts) {
        if (part.count() == 0) continue;
        write_addresses(part, std::span(addresses).subspan(static_cast<std::size_t>(place),
                                                           static_cast<std::size_t>(part.count())));
        write_values(dtype, part, elements->at(place));
        place += part.count();
    }

    const std::vector<index_t> order =
        sorted_pair_order(what, addresses, checked_size(node.shape(), what));
    joined.indexes = taken(allocate_uninitialized_buffer<index_t>(count), count);
    auto* const indexes = data_of(joined.indexes.own);
    if (order.empty()) {
        std::ranges::copy(addresses, indexes);
    } else {
        for (std::size_t i = 0; i < order.size(); ++i)
            indexes[i] = addresses[static_cast<std::size_t>(order[i])];
        auto sorted = std::make_unique<ElementBlock>(dtype, count);
        gather_pairs(dtype, {{}, {elements->data(), dtype.size_bytes()}, joined.fill->data()},
                     order, sorted->data());
        elements = std::move(sorted);
    }
    joined.values = std::make_shared<CompactReader>(dtype, count, std::move(elements));
    return joined;
}

} // namespace purview::engine
