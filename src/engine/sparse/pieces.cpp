#include "engine/sparse/pieces.hpp"
#include "engine/places/buffers.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/address_stream.hpp>

#include "engine/pairs/entry_sort.hpp"
#include "engine/pairs/values.hpp"
#include "engine/places/compact_leaf.hpp"
#include "engine/sparse/fill_decision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

bool same_fills(DType dtype, const Part& a, const Part& b) {
    return same_fill(dtype, a.pairs.fill, b.pairs.fill);
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

/// Stores every element of a part.
void store_all(DType dtype, Part& part) {
    const std::span<const index_t> indexes = part.pairs.indexes;
    std::vector<index_t> positions(static_cast<std::size_t>(part.size), -1);
    for (std::size_t i = 0; i < indexes.size(); ++i)
        positions[static_cast<std::size_t>(indexes[i] - part.pairs.offset)] =
            static_cast<index_t>(i);
    auto elements = std::make_unique<ElementBlock>(dtype, part.size);
    gather_pairs(dtype, part.pairs, positions, elements->data());
    OwnPairs all{taken(allocate_uninitialized_buffer<index_t>(part.size), part.size),
                 std::make_shared<CompactReader>(dtype, part.size, std::move(elements)),
                 default_element(dtype)};
    dtype.descriptor().copy(part.pairs.fill, all.fill->data(), 1);
    std::iota(data_of(all.indexes.own), data_of(all.indexes.own) + part.size, index_t{0});
    part.take(std::move(all));
}

/// The rows of a node in which pieces follow each other: each has all of the axes but one, the
/// first of a row.
struct PieceRows {
    index_t count = 0; ///< of the node's rows
    index_t size = 0;

    /// Nothing where the pieces lie beside each other along several axes. `shapes`: of the pieces.
    template <std::ranges::range Shapes>
    static std::optional<PieceRows> of(ShapeSpan shape, Shapes&& shapes) {
        std::optional<std::size_t> axis;
        for (const ShapeSpan piece : shapes)
            for (std::size_t a = 0; a < shape.size(); ++a)
                if (piece[a] != shape[a] && axis.value_or(a) != a)
                    return std::nullopt;
                else if (piece[a] != shape[a])
                    axis = a;
        PieceRows rows{1, 1};
        for (std::size_t a = 0; a < shape.size(); ++a)
            (a < axis.value_or(0) ? rows.count : rows.size) *= shape[a];
        return rows;
    }
    /// Whether to go through all rows costs about what the entries do.
    bool are_few(std::size_t pieces, index_t stored) const {
        constexpr double kRowsPerEntry = 4;
        return static_cast<double>(count) * static_cast<double>(pieces) <=
               kRowsPerEntry * static_cast<double>(stored);
    }
};

void copy_elements(DType dtype, const std::byte* from, index_t count, std::byte* to) {
    if (dtype.descriptor().trivial)
        std::memcpy(to, from, static_cast<std::size_t>(count * dtype.size_bytes()));
    else
        dtype.descriptor().copy(from, to, count);
}

/// Appends row after row what is stored of each part, which are in the order of their places.
void append_rows(DType dtype, const std::vector<const Part*>& parts, const PieceRows& rows,
                 index_t* out, std::byte* values) {
    struct Cursor {
        const index_t* at;
        const index_t* last;
        const std::byte* values;
        index_t in_row; ///< elements of the part in a row
        index_t end;    ///< of the row, as indexes are stored
        index_t shift;  ///< what an address is more than the index that is stored
    };
    std::vector<Cursor> cursors;
    for (const Part* const part : parts) {
        const SparsePairs& pairs = part->pairs;
        const index_t in_row = part->size / rows.count;
        cursors.push_back({pairs.indexes.data(), pairs.indexes.data() + pairs.stored(),
                           static_cast<const std::byte*>(pairs.values.data), in_row,
                           pairs.offset + in_row, part->box.base() - pairs.offset});
    }
    for (index_t row = 0; row < rows.count; ++row)
        for (Cursor& cursor : cursors) {
            const index_t* const first = cursor.at;
            for (; cursor.at < cursor.last && *cursor.at < cursor.end; ++cursor.at)
                *out++ = *cursor.at + cursor.shift;
            const index_t count = cursor.at - first;
            copy_elements(dtype, cursor.values, count, values);
            cursor.values += count * dtype.size_bytes();
            values += count * dtype.size_bytes();
            cursor.end += cursor.in_row;
            cursor.shift += rows.size - cursor.in_row;
        }
}

/// The addresses of the entries of parts, and places in the order of the parts.
Entries entries_of(const std::vector<const Part*>& parts, index_t count, const char* what) {
    constexpr std::size_t kBlock = 1024;
    Entries entries(count, what);
    std::array<index_t, kBlock> indexes;
    std::array<index_t, kBlock> addresses;
    std::uint64_t place = 0;
    for (const Part* const part : parts) {
        const dimensions::AddressStream stream(part->box);
        std::span<const index_t> left = part->pairs.indexes;
        while (!left.empty()) {
            const std::span<const index_t> block = left.first(std::min(kBlock, left.size()));
            std::ranges::transform(block, indexes.begin(),
                                   [&](index_t index) { return index - part->pairs.offset; });
            const std::span<index_t> found = std::span(addresses).first(block.size());
            stream.gather(std::span(indexes).first(block.size()), found);
            for (const index_t address : found) entries.add(address, place++);
            left = left.subspan(block.size());
        }
    }
    return entries;
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
        dtype.descriptor().copy((most != nullptr ? *most : parts.front()).pairs.fill,
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
    std::vector<const Part*> stored;
    for (Part& part : parts) {
        if (part.stored_whole) store_all(dtype, part);
        if (part.stored() > 0) stored.push_back(&part);
    }
    std::ranges::sort(stored, {}, [](const Part* part) { return part->box.base(); });

    joined.indexes = taken(allocate_uninitialized_buffer<index_t>(count), count);
    auto* const indexes = data_of(joined.indexes.own);
    auto elements = std::make_unique<ElementBlock>(dtype, count);
    const auto shape_of = [](const Part* part) { return part->box.max_shape(); };
    const auto rows = PieceRows::of(node.shape(), stored | std::views::transform(shape_of));
    if (rows && rows->are_few(stored.size(), count)) {
        append_rows(dtype, stored, *rows, indexes, static_cast<std::byte*>(elements->data()));
    } else {
        index_t place = 0;
        for (const Part* const part : stored) {
            copy_elements(dtype, static_cast<const std::byte*>(part->pairs.values.data),
                          part->stored(), static_cast<std::byte*>(elements->at(place)));
            place += part->stored();
        }
        Entries entries = entries_of(stored, count, what);
        const bool ascending = entries.ascending();
        std::vector<index_t> order(static_cast<std::size_t>(count));
        sort_entries(entries, 1, indexes, reinterpret_cast<std::byte*>(order.data()),
                     sizeof(index_t));
        if (!ascending) {
            auto sorted = std::make_unique<ElementBlock>(dtype, count);
            gather_pairs(dtype, {{}, {elements->data(), dtype.size_bytes()}, joined.fill->data()},
                         order, sorted->data());
            elements = std::move(sorted);
        }
    }
    joined.values = std::make_shared<CompactReader>(dtype, count, std::move(elements));
    return joined;
}

const char* describe_joining(const Piecewise& node, std::span<const index_t> counts) {
    std::vector<std::size_t> stored;
    index_t count = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] > 0) stored.push_back(i);
        count += counts[i];
    }
    const auto shape_of = [&](std::size_t i) { return node.operands()[i].dims.max_shape(); };
    const auto rows = PieceRows::of(node.shape(), stored | std::views::transform(shape_of));
    if (stored.size() < 2) return "those of one piece are moved";
    if (!rows || !rows->are_few(stored.size(), count)) return "they are sorted";
    return rows->count == 1 ? "those of each piece are appended"
                            : "those of each piece are appended row by row";
}

} // namespace purview::engine
