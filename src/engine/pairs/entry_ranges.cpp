#include "engine/pairs/entry_ranges.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace purview::inline v0_1::engine {

void EntryRanges::add(index_t place, const EntryRange& range) {
    if (range.begin == range.end) return;
    places_.add(place, ranges_.size());
    ranges_.push_back(range);
    count_ += range.end - range.begin;
    if (count_ > kMostEntries) throw_too_many_entries(what_);
}

void EntryRanges::put_in_order() {
    if (places_.ascending()) return;
    std::vector<index_t> places(ranges_.size());
    std::vector<std::uint64_t> order(ranges_.size());
    sort_entries(places_, 1, places.data(), reinterpret_cast<std::byte*>(order.data()),
                 sizeof(std::uint64_t));
    std::vector<EntryRange> sorted;
    sorted.reserve(ranges_.size());
    for (const std::uint64_t each : order) sorted.push_back(ranges_[each]);
    ranges_.swap(sorted);
}

void EntryRanges::write_indexes(const SparsePairs& pairs, index_t* out) const {
    const index_t* const indexes = pairs.indexes.data();
    for (const EntryRange& range : ranges_)
        out = std::transform(indexes + range.begin, indexes + range.end, out,
                             [shift = range.shift](index_t index) { return index + shift; });
}

void EntryRanges::write_positions(index_t* out) const {
    for (const EntryRange& range : ranges_) {
        index_t* const end = out + (range.end - range.begin);
        std::iota(out, end, range.begin);
        out = end;
    }
}

void EntryRanges::write_values(const std::byte* values, std::size_t size, std::byte* out) const {
    for (const EntryRange& range : ranges_) {
        const std::size_t bytes = static_cast<std::size_t>(range.end - range.begin) * size;
        std::memcpy(out, values + static_cast<std::size_t>(range.begin) * size, bytes);
        out += bytes;
    }
}

} // namespace purview::engine
