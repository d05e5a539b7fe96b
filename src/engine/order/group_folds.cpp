#include "engine/order/group_folds.hpp"

#include "engine/folds/folds.hpp"
#include "engine/places/cache_sizes.hpp"
#include "engine/run/element_runs.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace purview::inline v0_1::engine {
namespace {

constexpr index_t kFoldedRows = 4096;

/// Rows of a block, which is folded into tables of its own: at least kFewestRows, at least
/// kRowsOfEntry for each entry of these tables, and so many that there are about kMostBlocks blocks
/// at most.
constexpr index_t kFewestRows = index_t{1} << 18;
constexpr index_t kRowsOfEntry = 16;
constexpr index_t kMostBlocks = 64;

/// With at most kFewSlots slots, a block has kTables tables, to which rows are added in turn: in a
/// single one, rows of one slot that follow each other would wait for the previous addition to the
/// same entry.
constexpr index_t kFewSlots = index_t{1} << 14;
constexpr index_t kTables = 4;

/// Rows per iteration: as many keys, or values, as one cache line holds.
constexpr index_t kTogether = 8;

/// How many rows ahead entries are prefetched, in a table that is larger than the second-level
/// cache.
constexpr index_t kFoldAhead = 32;

/// How many rows ahead keys and values are prefetched: the hardware does not prefetch them by
/// itself between accesses to a table.
constexpr index_t kStreamAhead = 1024;

/// Nanoseconds for a row.
constexpr double kRowCost = 1;

index_t tables_of(const SlotRows& rows) { return rows.count <= kFewSlots ? kTables : 1; }

/// Folds each block of rows into tables, on several threads unless `one_thread`, and joins the
/// tables in the order of the blocks. `worker()` makes a function `work(tables, slots, begin,
/// count)` for each thread, which folds a chunk of rows.
template <typename Entry, typename Worker, typename Join>
GroupEntries<Entry> in_blocks(const SlotRows& rows, Entry start, Worker worker, Join join,
                              bool one_thread) {
    const index_t count = rows.operand.dims.size();
    const index_t block =
        std::max({kFewestRows, kRowsOfEntry * rows.count * tables_of(rows), count / kMostBlocks});
    const index_t blocks = (count + block - 1) / block;
    std::vector<GroupEntries<Entry>> tables(static_cast<std::size_t>(blocks));
    const int threads = one_thread || blocks <= 1
                            ? 1
                            : ElementRuns<std::int64_t>(rows.operand, 1).threads(count, kRowCost);
    const auto join_all = [&](const GroupEntries<Entry>& all, const Entry* more) {
        for (index_t slot = 0; slot < rows.count; ++slot) all[slot] = join(all[slot], more[slot]);
    };
    parallel_for(blocks, 1, threads, [&](index_t first, index_t last) {
        ElementRuns<std::int64_t> slots(rows.operand, kFoldedRows);
        auto work = worker();
        for (index_t b = first; b < last; ++b) {
            const GroupEntries<Entry> some(rows.count * tables_of(rows), start);
            const index_t end = std::min(count, (b + 1) * block);
            for (index_t at = b * block; at < end; at += kFoldedRows) {
                const index_t length = std::min(kFoldedRows, end - at);
                work(some.begin(), slots(at, length), at, length);
            }
            for (index_t t = 1; t < tables_of(rows); ++t)
                join_all(some, some.begin() + t * rows.count);
            tables[static_cast<std::size_t>(b)] = some;
        }
    });
    for (std::size_t b = 1; b < tables.size(); ++b) join_all(tables[0], tables[b].begin());
    return tables[0];
}

/// Calls `visit(entry, i)` for each row `i` of a chunk, with the entry of its slot. `values` is the
/// array that `visit` reads at `i`; it is prefetched.
template <typename Entry, typename Value, typename Visit>
void visit_rows(Entry* tables, const SlotRows& rows, const std::int64_t* slots, index_t count,
                const Value* values, Visit visit) {
    const bool far = rows.count * static_cast<index_t>(sizeof(Entry)) > kSecondLevelBytes;
    const index_t ahead = far ? kFoldAhead : 0;
    const index_t apart = tables_of(rows) > 1 ? rows.count : 0;
    const auto entry = [&, rows](index_t i, index_t table) {
        return tables + table * apart + rows.slot_of(slots[i]);
    };
    index_t i = 0;
    for (; i + ahead + kTogether <= count; i += kTogether) {
        __builtin_prefetch(slots + i + kStreamAhead);
        __builtin_prefetch(values + i + kStreamAhead);
        if (far)
            for (index_t k = 0; k < kTogether; ++k) __builtin_prefetch(entry(i + ahead + k, 0), 1);
        for (index_t k = 0; k < kTogether; ++k) visit(*entry(i + k, k % kTables), i + k);
    }
    for (; i < count; ++i) visit(*entry(i, 0), i);
}

template <typename F>
GroupEntries<typename F::Type> folded(const SlotRows& rows, const Operand& values) {
    using A = typename F::Type;
    const auto worker = [&] {
        auto runs = std::make_shared<ElementRuns<A>>(values, kFoldedRows);
        return [&rows, runs](A* tables, const std::int64_t* slots, index_t at, index_t count) {
            const A* const part = (*runs)(at, count);
            visit_rows(tables, rows, slots, count, part, [part](A& entry, index_t i) {
                // -0 + 0 is +0, so that only a sum of no values stays -0, its start value.
                const A value = F::kOp == TileOp::add ? part[i] + A{} : part[i];
                entry = F::combine(entry, value);
            });
        };
    };
    const bool one_thread = ElementRuns<A>(values, 1).threads(index_t{1} << 40, 1) <= 1;
    return in_blocks<A>(
        rows, F::start(), worker, [](A a, A b) { return F::combine(a, b); }, one_thread);
}

} // namespace

GroupEntries<index_t> count_groups(const SlotRows& rows) {
    const auto worker = [&] {
        return [&](index_t* tables, const std::int64_t* slots, index_t, index_t count) {
            visit_rows(tables, rows, slots, count, slots, [](index_t& entry, index_t) { ++entry; });
        };
    };
    return in_blocks<index_t>(
        rows, 0, worker, [](index_t a, index_t b) { return a + b; }, false);
}

template <typename A>
GroupEntries<A> fold_groups(Reduction reduction, const SlotRows& rows, const Operand& values) {
    GroupEntries<A> results;
    visit_fold<A>(reduction,
                  [&]<typename F>(std::type_identity<F>) { results = folded<F>(rows, values); });
    return results;
}
template GroupEntries<double> fold_groups(Reduction, const SlotRows&, const Operand&);
template GroupEntries<std::int64_t> fold_groups(Reduction, const SlotRows&, const Operand&);
template GroupEntries<std::uint64_t> fold_groups(Reduction, const SlotRows&, const Operand&);

GroupEntries<index_t> slots_as_they_appear(const SlotRows& rows, index_t groups) {
    std::vector<bool> seen(static_cast<std::size_t>(rows.count));
    GroupEntries<index_t> found(groups);
    index_t many = 0;
    ElementRuns<std::int64_t> runs(rows.operand, kFoldedRows);
    for (index_t at = 0; many < groups && at < rows.operand.dims.size(); at += kFoldedRows) {
        const index_t length = std::min(kFoldedRows, rows.operand.dims.size() - at);
        const std::int64_t* const slots = runs(at, length);
        for (index_t i = 0; i < length; ++i) {
            const index_t slot = rows.slot_of(slots[i]);
            if (many == groups || seen[static_cast<std::size_t>(slot)]) continue;
            seen[static_cast<std::size_t>(slot)] = true;
            found[many++] = slot;
        }
    }
    return many == groups ? found : found.first(many);
}

} // namespace purview::engine
