#include "engine/pairs/entry_sort.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>
#include <libdivide.h>

#include <array>
#include <bit>
#include <cstring>
#include <vector>

namespace purview::inline v0_1::engine {
namespace {

/// Entries of a group, which is sorted within the second-level cache.
constexpr index_t kGroup = 1 << 14;
/// Bits of the number of groups, at most: to more groups, one pass would write to more places than
/// the caches hold.
constexpr int kMostGroupBits = 9;
constexpr int kEntryDigitBits = 11;
/// Fewer entries are sorted by comparison.
constexpr std::size_t kFewEntries = 64;

int bits_of(index_t value) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value)));
}

/// The output: sorted entries as a list of indexes and one of payloads.
template <typename Payload>
struct Lists {
    index_t* indexes;
    std::byte* payloads;

    void put(index_t place, const Entry& entry) const {
        indexes[place] = entry.index;
        const auto payload = static_cast<Payload>(entry.payload);
        std::memcpy(payloads + place * index_t{sizeof(Payload)}, &payload, sizeof(Payload));
    }
    void put_all(index_t place, std::span<const Entry> entries) const {
        for (const Entry& entry : entries) put(place++, entry);
    }
};

/// Writes entries, sorted stably by `key(index)`, to `out` from place `begin` on: a radix sort from
/// the lowest digit. `greatest_key` bounds the keys; `other` is scratch for as many entries.
template <typename Payload, typename Key>
void sort_by_digits(std::span<Entry> entries, Entry* other, index_t greatest_key, Key key,
                    Lists<Payload> out, index_t begin) {
    const int bits = bits_of(greatest_key);
    const int passes = (bits + kEntryDigitBits - 1) / kEntryDigitBits;
    if (passes == 0) return out.put_all(begin, entries);
    const int width = (bits + passes - 1) / passes;
    const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
    std::array<index_t, std::size_t{1} << kEntryDigitBits> places;
    Entry* from = entries.data();
    for (int pass = 0; pass < passes; ++pass) {
        const int shift = pass * width;
        const auto digit = [&](const Entry& entry) {
            return static_cast<std::size_t>(key(entry.index) >> shift & mask);
        };
        std::fill_n(places.begin(), std::size_t{1} << width, index_t{0});
        const std::span<const Entry> all(from, entries.size());
        for (const Entry& entry : all) ++places[digit(entry)];
        index_t place = pass + 1 == passes ? begin : 0;
        for (std::size_t d = 0; d <= mask; ++d) place += std::exchange(places[d], place);
        if (pass + 1 == passes)
            for (const Entry& entry : all) out.put(places[digit(entry)]++, entry);
        else
            for (const Entry& entry : all) other[places[digit(entry)]++] = entry;
        std::swap(from, other);
    }
}

template <typename Payload>
void sort_group(std::span<Entry> entries, Entry* other, index_t least, index_t greatest,
                index_t run, Lists<Payload> out, index_t begin) {
    if (entries.size() < kFewEntries) {
        std::ranges::sort(entries, {}, &Entry::index);
        return out.put_all(begin, entries);
    }
    const index_t base = least / run * run;
    const auto distance_of = [base](index_t index) {
        return static_cast<std::uint64_t>(index - base);
    };
    if (run == 1) return sort_by_digits(entries, other, greatest - base, distance_of, out, begin);
    const libdivide::branchfree_divider<std::uint64_t> divider(static_cast<std::uint64_t>(run));
    sort_by_digits(
        entries, other, (greatest - base) / run,
        [&](index_t index) { return distance_of(index) / divider; }, out, begin);
}

template <typename Payload>
void sort_to(Entries& entries, index_t run, Lists<Payload> out) {
    const std::span<Entry> all = entries.all();
    if (entries.ascending()) return out.put_all(0, all);
    const index_t count = entries.count();
    const std::shared_ptr<void> memory = entry_memory(count);
    auto* const other = static_cast<Entry*>(memory.get());
    const int group_bits = std::min(bits_of(count / kGroup), kMostGroupBits);
    if (group_bits == 0)
        return sort_group(all, other, entries.least(), entries.greatest(), run, out, 0);

    // One pass distributes the entries to groups of neighbouring indexes, each of which is then
    // sorted in the second-level cache.
    const index_t least = entries.least();
    const int shift = std::max(0, bits_of(entries.greatest() - least) - group_bits);
    const auto groups = static_cast<std::size_t>((entries.greatest() - least) >> shift) + 1;
    const auto group_of = [&](const Entry& entry) {
        return static_cast<std::size_t>((entry.index - least) >> shift);
    };
    std::vector<index_t> ends(groups);
    for (const Entry& entry : all) ++ends[group_of(entry)];
    index_t place = 0;
    for (index_t& end : ends) place += std::exchange(end, place);
    for (const Entry& entry : all) other[ends[group_of(entry)]++] = entry;
    index_t begin = 0;
    for (std::size_t g = 0; g < groups; ++g) {
        const index_t first = least + (static_cast<index_t>(g) << shift);
        const index_t last = std::min(entries.greatest(), first + ((index_t{1} << shift) - 1));
        sort_group({other + begin, other + ends[g]}, all.data() + begin, first, last, run, out,
                   begin);
        begin = ends[g];
    }
}

} // namespace

void throw_too_many_entries(const char* what) {
    throw KindError(fmt::format(
        "{}: more than 2^30 elements would have to be stored; write to_dense, or operate before "
        "broadcasting",
        what));
}

void sort_entries(Entries& entries, index_t run, index_t* indexes, std::byte* payloads, int width) {
    switch (width) {
    case 1: return sort_to(entries, run, Lists<std::uint8_t>{indexes, payloads});
    case 2: return sort_to(entries, run, Lists<std::uint16_t>{indexes, payloads});
    case 4: return sort_to(entries, run, Lists<std::uint32_t>{indexes, payloads});
    default: return sort_to(entries, run, Lists<std::uint64_t>{indexes, payloads});
    }
}

} // namespace purview::engine
