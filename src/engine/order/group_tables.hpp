#pragma once

#include "engine/folds/folds.hpp"
#include "engine/order/group_blocks.hpp"
#include "engine/order/group_folds.hpp"
#include "engine/places/cache_sizes.hpp"
#include "engine/places/costs.hpp"
#include "engine/run/element_runs.hpp"
#include "engine/threads/parallel.hpp"

#include <algorithm>
#include <memory>

namespace purview::inline v0_1::engine {

inline constexpr index_t kFoldedRows = 4096;

/// Rows per iteration: as many keys, or values, as one cache line holds.
inline constexpr index_t kTogether = 8;

/// How many rows ahead entries are prefetched, in a table that is larger than the second-level
/// cache.
inline constexpr index_t kFoldAhead = 32;

/// How many rows ahead keys and values are prefetched: the hardware does not prefetch them by
/// itself between accesses to a table.
inline constexpr index_t kStreamAhead = 1024;

inline index_t tables_of(const KeySlots& slots) {
    return slots.deciding() <= kFewSlots ? kTables : 1;
}

/// The length of a block of rows.
inline index_t block_of(index_t rows, const KeySlots& slots) {
    return GroupBlocks(rows).length(GroupBlocks(rows).level_of(slots.deciding()));
}

/// `all[slot] = join(all[slot], more[slot])`
template <typename Entry, typename Join>
void join_entries(Entry* all, const Entry* more, index_t slots, Join join) {
    for (index_t slot = 0; slot < slots; ++slot) all[slot] = join(all[slot], more[slot]);
}
/// Joins the tables of a block, which lie one after the other, to the first.
template <typename Entry, typename Join>
void join_tables(Entry* tables, const KeySlots& slots, Join join) {
    for (index_t t = 1; t < tables_of(slots); ++t)
        join_entries(tables, tables + t * slots.count, slots.count, join);
}

/// Calls `visit_blocks(first, last)` for ranges of the blocks of rows, on several threads unless
/// `one_thread`.
template <typename VisitBlocks>
void for_blocks(const Operand& keys, index_t block, bool one_thread, VisitBlocks visit_blocks) {
    const index_t count = keys.dims.size();
    const index_t blocks = (count + block - 1) / block;
    const int threads = one_thread || blocks <= 1
                            ? 1
                            : ElementRuns<std::int64_t>(keys, 1).threads(count, costs::kGroupedRow);
    parallel_for(blocks, 1, threads, visit_blocks);
}

/// Calls `visit(entry, i)` for each row `i` of a chunk, with the entry of its slot. `values` is the
/// array that `visit` reads at `i`; it is prefetched. Returns the bits
/// that are set in any key minus the least key that has a slot: with a power of two of slots, they
/// are less than that if all keys have one.
template <typename Entry, typename Value, typename Visit>
std::uint64_t visit_rows(Entry* tables, const KeySlots& slots, const std::int64_t* keys,
                         index_t count, const Value* values, Visit visit) {
    const bool far = slots.count * static_cast<index_t>(sizeof(Entry)) > kSecondLevelBytes;
    const index_t ahead = far ? kFoldAhead : 0;
    const index_t apart = tables_of(slots) > 1 ? slots.count : 0;
    std::uint64_t bits = 0;
    const auto entry = [&, slots](index_t i, index_t table) {
        return tables + table * apart + slots.slot_of(keys[i]);
    };
    const auto visit_row = [&, least = static_cast<std::uint64_t>(slots.least)](index_t i,
                                                                                index_t table) {
        bits |= static_cast<std::uint64_t>(keys[i]) - least;
        visit(*entry(i, table), i);
    };
    index_t i = 0;
    for (; i + ahead + kTogether <= count; i += kTogether) {
        __builtin_prefetch(keys + i + kStreamAhead);
        __builtin_prefetch(values + i + kStreamAhead);
        if (far)
            for (index_t k = 0; k < kTogether; ++k) __builtin_prefetch(entry(i + ahead + k, 0), 1);
        for (index_t k = 0; k < kTogether; ++k) visit_row(i + k, k % kTables);
    }
    for (; i < count; ++i) visit_row(i, 0);
    return bits;
}

/// Makes functions `(tables, slots, keys, begin, count)` that fold a chunk of rows: `add(entry,
/// value)` for each. They return what `visit_rows` does.
template <typename A, typename Add>
auto folding(const Operand& values, Add add) {
    return [&values, add] {
        auto runs = std::make_shared<ElementRuns<A>>(values, kFoldedRows);
        return [runs, add](auto* tables, const KeySlots& slots, const std::int64_t* keys,
                           index_t at, index_t count) {
            const A* const part = (*runs)(at, count);
            return visit_rows(tables, slots, keys, count, part,
                              [part, add](auto& entry, index_t i) { add(entry, part[i]); });
        };
    };
}
template <typename A>
bool fold_on_one_thread(const Operand& values) {
    return ElementRuns<A>(values, 1).threads(index_t{1} << 40, 1) <= 1;
}

/// Adds one to entries.
inline auto counting() {
    return [](index_t* tables, const KeySlots& slots, const std::int64_t* keys, index_t,
              index_t count) {
        return visit_rows(tables, slots, keys, count, keys,
                          [](index_t& entry, index_t) { ++entry; });
    };
}

} // namespace purview::engine
