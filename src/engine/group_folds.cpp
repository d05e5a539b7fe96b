#include "engine/group_folds.hpp"

#include "engine/cache_sizes.hpp"
#include "engine/element_runs.hpp"

#include <algorithm>
#include <atomic>
#include <concepts>
#include <limits>
#include <memory>

namespace purview::engine {
namespace {

constexpr index_t kChunk = 4096;

/// Rows that one table is made of, at least, and how many times as many as there are slots.
constexpr index_t kFewestRows = index_t{1} << 18;
constexpr index_t kRowsOfSlot = 16;

/// How many rows ahead a place in a large table is asked for.
constexpr index_t kAhead = 24;

/// A table that is larger is asked for ahead.
constexpr index_t kFarBytes = 32 * kSecondLevelBytes;

/// Nanoseconds for a row.
constexpr double kRowCost = 2;

template <typename A>
struct SumOf {
    static constexpr A kStart{};
    static A join(A a, A b) { return static_cast<A>(a + b); }
};
template <>
struct SumOf<std::int64_t> {
    static constexpr std::int64_t kStart = 0;
    static std::int64_t join(std::int64_t a, std::int64_t b) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) +
                                         static_cast<std::uint64_t>(b));
    }
};
template <typename A>
struct ProductOf {
    static constexpr A kStart{1};
    static A join(A a, A b) {
        if constexpr (std::same_as<A, std::int64_t>)
            return static_cast<A>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
        else
            return a * b;
    }
};
template <typename A>
struct LeastOf {
    static constexpr A kStart =
        std::floating_point<A> ? std::numeric_limits<A>::infinity() : std::numeric_limits<A>::max();
    static A join(A a, A b) { return b < a || b != b ? b : a; }
};
template <typename A>
struct GreatestOf {
    static constexpr A kStart = std::floating_point<A> ? -std::numeric_limits<A>::infinity()
                                                       : std::numeric_limits<A>::lowest();
    static A join(A a, A b) { return b > a || b != b ? b : a; }
};

/// Makes a table of each block of rows by `work(table, slots, begin, count)` for chunks of it, on several threads, and
/// joins them in order.
template <typename Entry, typename Worker, typename Join>
std::vector<Entry> in_blocks(const SlotRows& rows, const Entry& start, Worker worker, Join join,
                             bool one_thread) {
    const index_t count = rows.operand.dims.size();
    const index_t block = std::max(kFewestRows, kRowsOfSlot * rows.count);
    const index_t blocks = (count + block - 1) / block;
    std::vector<std::vector<Entry>> tables(static_cast<std::size_t>(blocks));
    const int threads = one_thread || blocks <= 1
                            ? 1
                            : ElementRuns<std::int64_t>(rows.operand, 1).threads(count, kRowCost);
    parallel_for(blocks, 1, threads, [&](index_t first, index_t last) {
        ElementRuns<std::int64_t> slots(rows.operand, kChunk);
        auto work = worker();
        for (index_t b = first; b < last; ++b) {
            std::vector<Entry>& table = tables[static_cast<std::size_t>(b)];
            table.assign(static_cast<std::size_t>(rows.count), start);
            // Keys that are places begin at `least`.
            Entry* const at_zero = table.data();
            const index_t end = std::min(count, (b + 1) * block);
            for (index_t at = b * block; at < end; at += kChunk) {
                const index_t length = std::min(kChunk, end - at);
                work(at_zero, slots(at, length), at, length);
            }
        }
    });
    std::vector<Entry> total = std::move(tables[0]);
    for (std::size_t b = 1; b < tables.size(); ++b) {
        for (std::size_t slot = 0; slot < total.size(); ++slot)
            total[slot] = join(total[slot], tables[b][slot]);
        tables[b] = {};
    }
    return total;
}

/// Calls `visit(entry, i)` for each of the rows, whose entries are asked for ahead in a table that is not near.
template <typename Entry, typename Visit>
void visit_rows(Entry* table, const SlotRows& rows, const std::int64_t* slots, index_t count,
                Visit visit) {
    const auto least = static_cast<std::uint64_t>(rows.least);
    const auto entry = [&](index_t i) {
        return table + static_cast<std::ptrdiff_t>(static_cast<std::uint64_t>(slots[i]) - least);
    };
    index_t i = 0;
    if (rows.count * static_cast<index_t>(sizeof(Entry)) > kFarBytes)
        for (; i + kAhead < count; ++i) {
            __builtin_prefetch(entry(i + kAhead), 1);
            visit(*entry(i), i);
        }
    for (; i < count; ++i) visit(*entry(i), i);
}

template <typename A, template <typename> typename FoldOf>
std::vector<A> folded(const SlotRows& rows, const Operand& values) {
    const auto worker = [&] {
        auto runs = std::make_shared<ElementRuns<A>>(values, kChunk);
        return [&rows, runs](A* table, const std::int64_t* slots, index_t at, index_t count) {
            const A* const part = (*runs)(at, count);
            visit_rows(table, rows, slots, count,
                       [part](A& entry, index_t i) { entry = FoldOf<A>::join(entry, part[i]); });
        };
    };
    const bool one_thread = ElementRuns<A>(values, 1).threads(index_t{1} << 40, 1) <= 1;
    return in_blocks<A>(rows, FoldOf<A>::kStart, worker, FoldOf<A>::join, one_thread);
}

} // namespace

std::vector<index_t> count_groups(const SlotRows& rows, std::vector<index_t>* appearing) {
    const auto least = static_cast<std::uint64_t>(rows.least);
    std::vector<bool> seen(appearing != nullptr ? static_cast<std::size_t>(rows.count) : 0);
    const auto worker = [&] {
        return [&](index_t* table, const std::int64_t* slots, index_t, index_t count) {
            if (appearing != nullptr)
                for (index_t i = 0; i < count; ++i) {
                    const auto slot =
                        static_cast<std::size_t>(static_cast<std::uint64_t>(slots[i]) - least);
                    if (seen[slot]) continue;
                    seen[slot] = true;
                    appearing->push_back(static_cast<index_t>(slot));
                }
            visit_rows(table, rows, slots, count, [](index_t& entry, index_t) { ++entry; });
        };
    };
    return in_blocks<index_t>(
        rows, 0, worker, [](index_t a, index_t b) { return a + b; }, appearing != nullptr);
}

template <typename A>
std::vector<A> sum_present_groups(const SlotRows& rows, const Operand& values,
                                  std::vector<std::uint8_t>& present) {
    present.assign(static_cast<std::size_t>(rows.count), 0);
    const auto least = static_cast<std::uint64_t>(rows.least);
    const auto worker = [&] {
        auto runs = std::make_shared<ElementRuns<A>>(values, kChunk);
        return [&, runs](A* table, const std::int64_t* slots, index_t at, index_t count) {
            const A* const part = (*runs)(at, count);
            visit_rows(table, rows, slots, count, [&](A& entry, index_t i) {
                entry = SumOf<A>::join(entry, part[i]);
                // Several threads may write the same.
                std::atomic_ref<std::uint8_t>(present[static_cast<std::uint64_t>(slots[i]) - least])
                    .store(1, std::memory_order_relaxed);
            });
        };
    };
    const bool one_thread = ElementRuns<A>(values, 1).threads(index_t{1} << 40, 1) <= 1;
    return in_blocks<A>(rows, SumOf<A>::kStart, worker, SumOf<A>::join, one_thread);
}

template <typename A>
std::vector<A> fold_groups(GroupFold fold, const SlotRows& rows, const Operand& values) {
    switch (fold) {
    case GroupFold::of_product: return folded<A, ProductOf>(rows, values);
    case GroupFold::of_minimum: return folded<A, LeastOf>(rows, values);
    case GroupFold::of_maximum: return folded<A, GreatestOf>(rows, values);
    default: return folded<A, SumOf>(rows, values);
    }
}

#define PURVIEW_GROUP_FOLDS(A)                                                  \
 template std::vector<A> sum_present_groups<A>(const SlotRows&, const Operand&, \
                                               std::vector<std::uint8_t>&);     \
 template std::vector<A> fold_groups<A>(GroupFold, const SlotRows&, const Operand&);
PURVIEW_GROUP_FOLDS(double)
PURVIEW_GROUP_FOLDS(std::int64_t)
PURVIEW_GROUP_FOLDS(std::uint64_t)
#undef PURVIEW_GROUP_FOLDS

} // namespace purview::engine
