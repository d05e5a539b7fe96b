#include "engine/order/found_groups.hpp"

#include "engine/order/group_tables.hpp"
#include "engine/order/key_range.hpp"

#include <atomic>
#include <bit>
#include <functional>
#include <limits>
#include <vector>

namespace purview::inline v0_1::engine {
namespace {

/// The most slots, from the least key to the greatest. With so many or fewer, or twice as many, blocks have the same
/// length, so that sums are those of `fold_groups` over the range.
constexpr index_t kMostFound = index_t{1} << 12;
static_assert(2 * kMostFound <= kFewSlots);

/// Slots for these keys too, and for as many on both sides as make a power of two. None if they
/// would be more than twice kMostFound.
KeySlots with_slots_for(const KeySlots& slots, const std::int64_t* keys, index_t count) {
    constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
    std::int64_t least = slots.count == 0 ? kHighest : slots.least;
    std::int64_t greatest = slots.count == 0 ? kLowest : slots.least + (slots.count - 1);
    for (index_t i = 0; i < count; ++i) {
        least = std::min(least, keys[i]);
        greatest = std::max(greatest, keys[i]);
    }
    const std::uint64_t range =
        static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least);
    if (range >= 2 * static_cast<std::uint64_t>(kMostFound)) return {};
    const auto many = static_cast<index_t>(std::bit_ceil(range + 1));
    const index_t before = (many - 1 - static_cast<index_t>(range)) / 2;
    least = least < kLowest + before ? kLowest : least - before;
    return {std::min(least, kHighest - (many - 1)), many, 0};
}

/// The tables of a block, or one that they are joined to.
template <typename Entry>
struct FoundTables {
    KeySlots slots;
    std::vector<Entry> entries;

    FoundTables() = default;
    FoundTables(const KeySlots& of, Entry start)
        : slots(of), entries(static_cast<std::size_t>(of.count * kTables), start) {}
    const Entry& operator[](index_t slot) const { return entries[static_cast<std::size_t>(slot)]; }
};

/// The slots from the first key of a table to the last that has rows.
template <typename Entry, typename HasRows>
KeySlots slots_with_rows(const FoundTables<Entry>& table, HasRows has_rows) {
    index_t first = 0;
    index_t last = table.slots.count - 1;
    while (first < last && !has_rows(table[first])) ++first;
    while (first < last && !has_rows(table[last])) --last;
    return {table.slots.least + first, last - first + 1, 0};
}

/// One table of all, joined in the order of the blocks.
template <typename Entry, typename Join, typename HasRows>
FoundTables<Entry> join_blocks(const std::vector<FoundTables<Entry>>& tables, Entry start,
                               Join join, HasRows has_rows) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t greatest = std::numeric_limits<std::int64_t>::min();
    for (const FoundTables<Entry>& table : tables) {
        const KeySlots slots = slots_with_rows(table, has_rows);
        least = std::min(least, slots.least);
        greatest = std::max(greatest, slots.least + (slots.count - 1));
    }
    const std::uint64_t range =
        static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least);
    if (range >= static_cast<std::uint64_t>(kMostFound)) return {};
    FoundTables<Entry> all;
    all.slots = {least, static_cast<index_t>(range) + 1, 0};
    for (const FoundTables<Entry>& table : tables) {
        const index_t count = table.slots.count;
        const auto at = [&](index_t slot) { // wraps where the first slots have no rows
            const std::uint64_t place = static_cast<std::uint64_t>(least) -
                                        static_cast<std::uint64_t>(table.slots.least) +
                                        static_cast<std::uint64_t>(slot);
            return place < static_cast<std::uint64_t>(count) ? table[static_cast<index_t>(place)]
                                                             : start;
        };
        if (all.entries.empty())
            for (index_t slot = 0; slot < all.slots.count; ++slot) all.entries.push_back(at(slot));
        else
            for (index_t slot = 0; slot < all.slots.count; ++slot)
                all.entries[static_cast<std::size_t>(slot)] = join(all[slot], at(slot));
    }
    return all;
}

/// Folds as `fold_groups` does, but each block has slots for the keys that its thread has met so
/// far. `has_rows(entry)` tells whether an entry is more than a start.
template <typename Entry, typename Worker, typename Join, typename HasRows>
FoundTables<Entry> found_in_blocks(const Operand& operand, Entry start, Worker worker, Join join,
                                   HasRows has_rows, bool one_thread) {
    const index_t count = operand.dims.size();
    const index_t block = block_of(count, {});
    std::vector<FoundTables<Entry>> tables(static_cast<std::size_t>((count + block - 1) / block));
    std::atomic<bool> too_far = false;
    for_blocks(operand, block, one_thread, [&](index_t first, index_t last) {
        ElementRuns<std::int64_t> keys(operand, kFoldedRows);
        auto work = worker();
        KeySlots slots = with_slots_for({}, keys(first * block, 1), 1);
        FoundTables<Entry> some(slots, start);
        for (index_t b = first; b < last; ++b) {
            const index_t end = std::min(count, (b + 1) * block);
            for (index_t at = b * block; at < end;) {
                if (too_far) return;
                const index_t length = std::min(kFoldedRows, end - at);
                const std::int64_t* const part = keys(at, length);
                if (work(some.entries.data(), slots, part, at, length) <
                    static_cast<std::uint64_t>(slots.count)) {
                    at += length;
                    continue;
                }
                // Some had no slot: the block is folded again, with more slots.
                slots = with_slots_for(slots, part, length);
                too_far = too_far || slots.count == 0;
                some = FoundTables<Entry>(slots, start);
                at = b * block;
            }
            join_tables(some.entries.data(), slots, join);
            const auto joined_end = some.entries.begin() + slots.count;
            FoundTables<Entry>& table = tables[static_cast<std::size_t>(b)];
            table.slots = slots;
            table.entries.assign(some.entries.begin(), joined_end);
            std::ranges::fill(some.entries, start);
        }
    });
    if (too_far) return {};
    return join_blocks(tables, start, join, has_rows);
}

/// The entries of one table, or `member` of them.
template <typename T, typename Entry, typename Member = std::identity>
GroupEntries<T> entries_of(const FoundTables<Entry>& table, Member member = {}) {
    const GroupEntries<T> entries(table.slots.count);
    std::ranges::transform(table.entries, entries.begin(), member);
    return entries;
}
template <typename T>
FoundGroups<T> groups_of(const FoundTables<T>& table) {
    return {table.slots, table.entries.empty() ? GroupEntries<T>() : entries_of<T>(table)};
}

template <typename A>
A sum_of_two(A a, A b) {
    return Fold<A, Reduction::sum>::combine(a, b);
}

} // namespace

bool may_be_found(const Operand& keys) {
    return is_in_memory(keys) && may_be_near(keys, kMostFound);
}

FoundGroups<index_t> find_groups(const Operand& keys) {
    return groups_of(found_in_blocks<index_t>(
        keys, 0, [] { return counting(); }, [](index_t a, index_t b) { return a + b; },
        [](index_t entry) { return entry != 0; }, false));
}

template <typename A>
FoundGroups<A> find_sums(const Operand& keys, const Operand& values) {
    const A start = Fold<A, Reduction::sum>::start();
    // -0 + 0 is +0, so that only a sum of no values stays -0, its start value.
    const auto add = [](A& entry, A value) { entry = sum_of_two(entry, value + A{}); };
    const auto has_rows = [start](A entry) {
        return std::bit_cast<std::uint64_t>(entry) != std::bit_cast<std::uint64_t>(start);
    };
    return groups_of(found_in_blocks<A>(
        keys, start, folding<A>(values, add), [](A a, A b) { return sum_of_two(a, b); }, has_rows,
        fold_on_one_thread<A>(values)));
}
template FoundGroups<double> find_sums(const Operand&, const Operand&);

template <typename A>
CountedSums<A> find_counted_sums(const Operand& keys, const Operand& values) {
    struct Entry {
        A sum;
        index_t count;
    };
    const auto add = [](Entry& entry, A value) {
        entry.sum = sum_of_two(entry.sum, value + A{});
        ++entry.count;
    };
    const auto join = [](const Entry& a, const Entry& b) {
        return Entry{sum_of_two(a.sum, b.sum), a.count + b.count};
    };
    const FoundTables<Entry> all = found_in_blocks<Entry>(
        keys, Entry{Fold<A, Reduction::sum>::start(), 0}, folding<A>(values, add), join,
        [](const Entry& entry) { return entry.count != 0; }, fold_on_one_thread<A>(values));
    if (all.slots.count == 0) return {};
    return {all.slots, entries_of<A>(all, &Entry::sum), entries_of<index_t>(all, &Entry::count)};
}
template CountedSums<double> find_counted_sums(const Operand&, const Operand&);
template CountedSums<std::int64_t> find_counted_sums(const Operand&, const Operand&);
template CountedSums<std::uint64_t> find_counted_sums(const Operand&, const Operand&);

} // namespace purview::engine
