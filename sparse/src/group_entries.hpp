#pragma once

#include <purview/evaluation/parallel.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/reader/buffer.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1::sparse {

/// The bits of an element, which may be unaligned: elements are moved here, and never computed
/// with.
template <typename V>
V load_bits(const std::byte* values, index_t at) {
    V value;
    std::memcpy(&value, values + at * index_t{sizeof(V)}, sizeof(V));
    return value;
}
template <typename V>
void store_bits(std::byte* values, index_t at, V value) {
    std::memcpy(values + at * index_t{sizeof(V)}, &value, sizeof(V));
}

/// The memory of a new compressed matrix: for majors + 1 pointers, and the index and value of every
/// entry.
template <typename I>
struct CompressedRoom {
    I* pointers;
    I* indices;
    std::byte* values;
};

/// Sorts the entries of a row by index, stably. Returns true if no two indices are equal.
template <typename I, typename V>
bool sort_long_row(I* indices, std::byte* values, index_t count) {
    std::vector<std::pair<I, index_t>> order(static_cast<std::size_t>(count));
    std::vector<V> moved(static_cast<std::size_t>(count));
    for (index_t k = 0; k < count; ++k) {
        order[static_cast<std::size_t>(k)] = {indices[k], k};
        moved[static_cast<std::size_t>(k)] = load_bits<V>(values, k);
    }
    std::sort(order.begin(), order.end());
    bool distinct = true;
    for (index_t k = 0; k < count; ++k) {
        const auto& [index, from] = order[static_cast<std::size_t>(k)];
        indices[k] = index;
        store_bits<V>(values, k, moved[static_cast<std::size_t>(from)]);
        distinct &= k == 0 || indices[k - 1] < index;
    }
    return distinct;
}

/// Sorts the entries of a row of at most Room by index: the place of each is the number of smaller
/// indices, which are counted without a branch on them. Returns false, with nothing moved, if two
/// are equal.
template <std::size_t Room, typename I, typename V>
bool rank_short_row(I* indices, std::byte* values, index_t count) {
    const auto n = static_cast<std::size_t>(count);
    std::array<I, Room> keys;
    std::array<V, Room> moved;
    keys.fill(std::numeric_limits<I>::max());
    std::memcpy(keys.data(), indices, n * sizeof(I));
    std::memcpy(moved.data(), values, n * sizeof(V));
    std::array<int, Room> places;
    int sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        I smaller = 0;
        for (std::size_t j = 0; j < Room; ++j)
            smaller = static_cast<I>(smaller + (keys[j] < keys[i]));
        places[i] = static_cast<int>(smaller);
        sum += places[i];
    }
    if (sum != static_cast<int>(n * (n - 1) / 2)) return false; // less if two indices are equal
    for (std::size_t i = 0; i < n; ++i) {
        indices[places[i]] = keys[i];
        store_bits<V>(values, places[i], moved[i]);
    }
    return true;
}

template <typename I, typename V>
bool sort_row(I* indices, std::byte* values, index_t count) {
    bool ordered = true;
    for (index_t k = 1; k < count; ++k) ordered &= indices[k - 1] < indices[k];
    if (ordered) return true;
    if (count <= 8 && rank_short_row<8, I, V>(indices, values, count)) return true;
    if (count > 8 && count <= 16 && rank_short_row<16, I, V>(indices, values, count)) return true;
    if (count > 16 && count <= 32 && rank_short_row<32, I, V>(indices, values, count)) return true;
    return sort_long_row<I, V>(indices, values, count);
}

template <typename I, typename V>
struct Entry {
    I major;
    I minor;
    V value;
};

/// Groups the entries of the rows [first, last), which `each(visit)` visits twice in the same
/// order, to places from `place` on; sets the pointers to the ends of these rows. Sorts each row if
/// `sorts`. Returns true if then no index came twice in a row, or rows were not sorted.
template <typename I, typename V, typename Each>
bool group_rows(index_t first, index_t last, I place, const Each& each,
                const CompressedRoom<I>& out, bool sorts) {
    I* const ends =
        out.pointers + first + 1; // the ends of rows; their begins while entries are placed
    const index_t rows = last - first;
    std::fill(ends, ends + rows, I{0});
    each([&](const Entry<I, V>& entry) { ++ends[entry.major - first]; });
    I running = place;
    for (index_t r = 0; r < rows; ++r)
        running = static_cast<I>(running + std::exchange(ends[r], running));
    each([&](const Entry<I, V>& entry) {
        const I at = ends[entry.major - first]++;
        out.indices[at] = entry.minor;
        store_bits<V>(out.values, at, entry.value);
    });
    if (!sorts) return true;
    bool distinct = true;
    I begin = place; // the pointer in front of the first end is set by the thread that groups the
                     // rows before
    for (index_t r = 0; r < rows; ++r) {
        distinct &= sort_row<I, V>(out.indices + begin, out.values + begin * index_t{sizeof(V)},
                                   ends[r] - begin);
        begin = ends[r];
    }
    return distinct;
}

/// Below so many bytes of entries, one pass stays within the caches.
inline constexpr index_t kGroupedAtOnce = index_t{1} << 19;
/// Groups of rows, at most: to more, one pass would write to more places than the caches hold.
inline constexpr index_t kGroups = 1024;

/// Sorts entries into rows: a counting sort, which keeps the order within a row unless `sorts` asks
/// for ascending minors. Many entries are first distributed to groups of neighbouring rows, each
/// small enough for the cache in which it is then sorted. `source(begin, end, visit)` visits the
/// entries [begin, end) in order. Returns true if no place came twice, or `sorts` is false. O(count
/// + majors), but for long rows that are sorted.
template <typename I, typename V, typename Source>
bool group_entries(index_t count, index_t majors, const Source& source,
                   const CompressedRoom<I>& out, bool sorts) {
    out.pointers[0] = 0;
    if (majors == 0) return true;
    using Record = Entry<I, V>;
    if (count * index_t{sizeof(Record)} <= kGroupedAtOnce) {
        const auto each = [&](auto&& visit) { source(0, count, visit); };
        return group_rows<I, V>(0, majors, I{0}, each, out, sorts);
    }
    int shift = 0;
    while (((majors - 1) >> shift) >= kGroups) ++shift;
    const index_t groups = ((majors - 1) >> shift) + 1;

    // In each chunk, the entries of each group are counted, and then copied to it.
    const index_t chunks = std::min<index_t>(threads(), 64);
    const auto chunk_begin = [&](index_t c) {
        return count / chunks * c + std::min(c, count % chunks);
    };
    std::vector<index_t> places(static_cast<std::size_t>(chunks * groups));
    const auto counts_of = [&](index_t c) { return places.data() + c * groups; };
    const double nanoseconds = static_cast<double>(count);
    parallel_ranges(chunks, 1, nanoseconds, [&](index_t begin, index_t end) {
        for (index_t c = begin; c < end; ++c) {
            index_t* const counts = counts_of(c);
            source(chunk_begin(c), chunk_begin(c + 1),
                   [&](const Record& entry) { ++counts[entry.major >> shift]; });
        }
    });
    std::vector<index_t> begins(static_cast<std::size_t>(groups) + 1);
    index_t running = 0;
    for (index_t g = 0; g < groups; ++g) {
        begins[static_cast<std::size_t>(g)] = running;
        for (index_t c = 0; c < chunks; ++c) running += std::exchange(counts_of(c)[g], running);
    }
    begins.back() = running;

    const auto memory =
        allocate_uninitialized_buffer<std::uint8_t>(count * index_t{sizeof(Record)});
    auto* const records = static_cast<Record*>(memory->writable_memory().data);
    parallel_ranges(chunks, 1, 4 * nanoseconds, [&](index_t begin, index_t end) {
        for (index_t c = begin; c < end; ++c) {
            index_t* const next = counts_of(c);
            source(chunk_begin(c), chunk_begin(c + 1),
                   [&](const Record& entry) { records[next[entry.major >> shift]++] = entry; });
        }
    });

    std::vector<char> distinct(static_cast<std::size_t>(groups), 1);
    parallel_ranges(
        groups, 1, 6 * nanoseconds + static_cast<double>(majors), [&](index_t begin, index_t end) {
            for (index_t g = begin; g < end; ++g) {
                const Record* const first = records + begins[static_cast<std::size_t>(g)];
                const Record* const last = records + begins[static_cast<std::size_t>(g) + 1];
                const auto each = [&](auto&& visit) {
                    for (const Record* at = first; at < last; ++at) visit(*at);
                };
                const index_t row = g << shift;
                const index_t behind = std::min(row + (index_t{1} << shift), majors);
                distinct[static_cast<std::size_t>(g)] = group_rows<I, V>(
                    row, behind, static_cast<I>(begins[static_cast<std::size_t>(g)]), each, out,
                    sorts);
            }
        });
    return std::all_of(distinct.begin(), distinct.end(), [](char c) { return c != 0; });
}

} // namespace purview::sparse
