#include "engine/order/group_folds.hpp"

#include "engine/order/group_tables.hpp"
#include "evaluation/scaled_products.hpp"

#include <vector>

namespace purview::inline v0_1::engine {
namespace {

/// Folds each block of rows into tables, and joins the tables in the order of the blocks.
/// `worker()` makes a function `work(tables, slots, keys, begin, count)` for each thread, which
/// folds a chunk of rows.
template <typename Entry, typename Worker, typename Join>
GroupEntries<Entry> in_blocks(const SlotRows& rows, Entry start, Worker worker, Join join,
                              bool one_thread) {
    const index_t count = rows.operand.dims.size();
    const index_t block = block_of(count, rows.slots);
    std::vector<GroupEntries<Entry>> tables(static_cast<std::size_t>((count + block - 1) / block));
    for_blocks(rows.operand, block, one_thread, [&](index_t first, index_t last) {
        ElementRuns<std::int64_t> keys(rows.operand, kFoldedRows);
        auto work = worker();
        for (index_t b = first; b < last; ++b) {
            const GroupEntries<Entry> some(rows.slots.count * tables_of(rows.slots), start);
            const index_t end = std::min(count, (b + 1) * block);
            for (index_t at = b * block; at < end; at += kFoldedRows) {
                const index_t length = std::min(kFoldedRows, end - at);
                work(some.begin(), rows.slots, keys(at, length), at, length);
            }
            join_tables(some.begin(), rows.slots, join);
            tables[static_cast<std::size_t>(b)] = some.first(rows.slots.count);
        }
    });
    for (std::size_t b = 1; b < tables.size(); ++b)
        join_entries(tables[0].begin(), tables[b].begin(), rows.slots.count, join);
    return tables[0];
}

} // namespace

GroupEntries<index_t> count_groups(const SlotRows& rows) {
    return in_blocks<index_t>(
        rows, 0, [] { return counting(); }, [](index_t a, index_t b) { return a + b; }, false);
}

/// Multiplies the values of each slot again, with exponents apart, where a product may have left the
/// range of its type on the way.
void multiply_far_again(const SlotRows& rows, const Operand& values,
                        const GroupEntries<double>& results) {
    if (std::none_of(results.begin(), results.end(), may_have_left_range<double>)) return;
    std::vector<ScaledProduct<double>> products(static_cast<std::size_t>(results.size()));
    ElementRuns<std::int64_t> keys(rows.operand, kFoldedRows);
    ElementRuns<double> factors(values, kFoldedRows);
    const index_t count = rows.operand.dims.size();
    for (index_t at = 0; at < count; at += kFoldedRows) {
        const index_t length = std::min(kFoldedRows, count - at);
        const std::int64_t* const key = keys(at, length);
        const double* const factor = factors(at, length);
        for (index_t i = 0; i < length; ++i)
            products[static_cast<std::size_t>(rows.slots.slot_of(key[i]))].multiply(factor[i]);
    }
    for (index_t slot = 0; slot < results.size(); ++slot)
        if (may_have_left_range(results[slot]))
            results[slot] = products[static_cast<std::size_t>(slot)].value<double>();
}

template <typename A>
GroupEntries<A> fold_groups(Reduction reduction, const SlotRows& rows, const Operand& values) {
    GroupEntries<A> results;
    visit_fold<A>(reduction, [&]<typename F>(std::type_identity<F>) {
        const auto join = [](A a, A b) { return F::combine(a, b); };
        const auto add = [](A& entry, A value) {
            // -0 + 0 is +0, so that only a sum of no values stays -0, its start value.
            entry = F::combine(entry, F::kOp == TileOp::add ? value + A{} : value);
        };
        results = in_blocks<A>(rows, F::start(), folding<A>(values, add), join,
                               fold_on_one_thread<A>(values));
    });
    if constexpr (std::is_same_v<A, double>)
        if (reduction == Reduction::product) multiply_far_again(rows, values, results);
    return results;
}
template GroupEntries<double> fold_groups(Reduction, const SlotRows&, const Operand&);
template GroupEntries<std::int64_t> fold_groups(Reduction, const SlotRows&, const Operand&);
template GroupEntries<std::uint64_t> fold_groups(Reduction, const SlotRows&, const Operand&);

GroupEntries<index_t> slots_as_they_appear(const SlotRows& rows, index_t groups) {
    std::vector<bool> seen(static_cast<std::size_t>(rows.slots.count));
    GroupEntries<index_t> found(groups);
    index_t many = 0;
    ElementRuns<std::int64_t> runs(rows.operand, kFoldedRows);
    for (index_t at = 0; many < groups && at < rows.operand.dims.size(); at += kFoldedRows) {
        const index_t length = std::min(kFoldedRows, rows.operand.dims.size() - at);
        const std::int64_t* const keys = runs(at, length);
        for (index_t i = 0; i < length; ++i) {
            const index_t slot = rows.slots.slot_of(keys[i]);
            if (many == groups || seen[static_cast<std::size_t>(slot)]) continue;
            seen[static_cast<std::size_t>(slot)] = true;
            found[many++] = slot;
        }
    }
    return many == groups ? found : found.first(many);
}

} // namespace purview::engine
