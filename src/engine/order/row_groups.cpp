#include <purview/dtype/promote.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/row_groups.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/expression/elementwise.hpp>

#include "engine/order/found_groups.hpp"
#include "engine/order/group_folds.hpp"
#include "engine/order/group_tables.hpp"
#include "engine/order/hashed_keys.hpp"
#include "engine/order/key_range.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/realise/realised_elements.hpp"
#include "engine/realise/realised_operand.hpp"
#include "engine/run/element_runs.hpp"
#include "engine/threads/watch.hpp"
#include "evaluation/fold_types.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <optional>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

constexpr index_t kGroupedRows = 4096;

/// `value_of(slot)` for each slot of `order`, as an operand in memory.
template <typename R, typename ValueOf>
Operand in_memory(const GroupEntries<index_t>& order, ValueOf value_of) {
    const GroupEntries<R> values(order.size());
    std::ranges::transform(order, values.begin(), value_of);
    return values.operand();
}

} // namespace

/// Each row has a slot. Slots are in no particular order, and some may have no rows; those that
/// have rows are the groups.
struct RowGroups::State {
    Operand keys;          ///< empty if the groups were given
    DType dtype = boolean; ///< of the keys
    Operand slots;         ///< of each row, int64: the slot plus `range.least`
    KeySlots range;
    bool ranged = true;     ///< whether `range` is known; else keys are integers
    bool ordered = true;    ///< groups are ordered by slot, else as they appear
    bool by_groups = false; ///< how rows are cut into blocks depends on the number of groups alone
    bool by_table = false;  ///< the key of a slot is `first_key + slot * step`
    std::uint64_t first_key = 0;
    std::uint64_t step = 1;
    std::vector<index_t> first_rows;   ///< of each slot, unless `by_table`
    GroupEntries<index_t> order;       ///< the slots of groups, once they are known
    GroupEntries<index_t> counted;     ///< the number of rows of each slot, likewise
    std::vector<std::int32_t> numbers; ///< what `slots` reads, unless these are the keys

    /// Counts rows, and finds the order of the groups.
    void count_rows() {
        if (!counted.empty() || slots.dims.size() == 0) return;
        if (!ranged && may_be_found(keys)) {
            const FoundGroups<index_t> found = find_groups(slots);
            if (takes(found.slots)) counted = found.entries;
        }
        if (!ranged) find_range();
        if (counted.empty()) counted = engine::count_groups(slot_rows());
        find_order([&](index_t slot) { return counted[slot] != 0; });
    }
    /// Finds what is needed for an order, so that rows are counted where nothing else tells which
    /// slots have any.
    void ensure_order() {
        if (order.empty()) count_rows();
    }
    SlotRows slot_rows() const { return {slots, range}; }
    /// Calls `f(row, slot)` for each row of [begin, end).
    template <typename F>
    void for_each_slot(index_t begin, index_t end, F&& f) const {
        if (begin >= end) return;
        ElementRuns<std::int64_t> runs(slots, kGroupedRows);
        for (index_t at = begin; at < end; at += kGroupedRows) {
            const index_t length = std::min(kGroupedRows, end - at);
            const std::int64_t* const part = runs(at, length);
            for (index_t i = 0; i < length; ++i) f(at + i, range.slot_of(part[i]));
        }
    }
    /// Finds the order of the groups, if it is not known yet. `present(slot)` tells whether a slot
    /// has rows.
    template <typename Present>
    void find_order(Present present) {
        if (!order.empty()) return;
        index_t groups = 0;
        for (index_t slot = 0; slot < range.count; ++slot) groups += present(slot) ? 1 : 0;
        if (!ordered) {
            order = slots_as_they_appear(slot_rows(), groups);
            return;
        }
        order = GroupEntries<index_t>(groups);
        index_t* next = order.begin();
        for (index_t slot = 0; slot < range.count; ++slot)
            if (present(slot)) *next++ = slot;
    }

    /// Counts groups, which are to be the slots where most slots have no rows.
    void number_groups() {
        by_groups = false;
        if (!ranged) find_range();
        if (range.count <= kFewSlots) return; // so are groups
        count_rows();
        const index_t groups = order.size();
        if (range.count > 4 * groups) {
            const GroupEntries<std::int64_t> made = group_numbers();
            const GroupEntries<index_t> sizes(groups);
            std::ranges::transform(order, sizes.begin(),
                                   [&](index_t slot) { return counted[slot]; });
            std::iota(order.begin(), order.end(), index_t{0});
            counted = sizes;
            slots = made.operand();
            range = {0, groups, 0};
        }
        range.groups = groups;
    }
    /// The position of each row's group among the results.
    GroupEntries<std::int64_t> group_numbers() const {
        const GroupEntries<std::int64_t> places(range.count, 0);
        for (std::int64_t place = 0; const index_t slot : order) places[slot] = place++;
        const GroupEntries<std::int64_t> made(rows());
        constexpr index_t kBlock = 16 * kGroupedRows;
        for_blocks(slots, kBlock, /*one_thread=*/false, [&](index_t first, index_t last) {
            for_each_slot(first * kBlock, std::min(last * kBlock, rows()),
                          [&](index_t row, index_t slot) { made[row] = places[slot]; });
        });
        return made;
    }

    /// The values of each slot, folded in the type `A`.
    template <typename A>
    GroupEntries<A> folded(Reduction reduction, const Operand& values, bool averages) {
        if (slots.dims.size() == 0) return {};
        if (by_groups) number_groups();
        const Operand as = cast_operand(values, kDType<A>, Op::wrapping_cast);
        // What is computed, maybe by a function of the user's, is computed once.
        const bool finds = !ranged && is_in_memory(values) && may_be_found(keys);
        if (reduction == Reduction::sum && !averages) return summed<A>(as, finds);
        if (averages && finds) {
            const GroupEntries<A> sums = sums_and_counts<A>(as);
            for (const index_t slot : order) sums[slot] /= static_cast<A>(counted[slot]);
            if (ranged) return sums;
        }
        count_rows();
        const GroupEntries<A> results = fold_groups<A>(reduction, slot_rows(), as);
        if (averages)
            for (const index_t slot : order) results[slot] /= static_cast<A>(counted[slot]);
        return results;
    }

    /// The sum of each slot. Where sums differ from their start value, slots have rows, so that
    /// rows are counted only where the sums do not tell which slots have any.
    template <typename A>
    GroupEntries<A> summed(const Operand& values, bool finds) {
        if (finds) {
            if constexpr (std::floating_point<A>) {
                const FoundGroups<A> sums = find_sums<A>(slots, values);
                if (takes(sums.slots)) {
                    find_order([&](index_t slot) { return is_touched(sums.entries[slot]); });
                    return sums.entries;
                }
            } else if (const GroupEntries<A> sums = sums_and_counts<A>(values); ranged) {
                return sums;
            }
        }
        if (!ranged) find_range();
        const GroupEntries<A> sums = fold_groups<A>(Reduction::sum, slot_rows(), values);
        const auto touched = [&](index_t slot) { return is_touched(sums[slot]); };
        bool all = true;
        for (index_t slot = 0; slot < range.count && all; ++slot) all = touched(slot);
        if (all || std::floating_point<A>)
            find_order(touched);
        else
            ensure_order();
        return sums;
    }

    template <typename A>
    static bool is_touched(A sum) {
        return std::bit_cast<std::uint64_t>(sum) !=
               std::bit_cast<std::uint64_t>(Fold<A, Reduction::sum>::start());
    }
    /// Sums and counts in one pass with the range of the keys; if they lie too far apart, `ranged`
    /// stays false.
    template <typename A>
    GroupEntries<A> sums_and_counts(const Operand& values) {
        const CountedSums<A> found = find_counted_sums<A>(slots, values);
        if (!takes(found.slots)) return {};
        counted = found.counts;
        find_order([&](index_t slot) { return counted[slot] != 0; });
        return found.sums;
    }

    index_t rows() const { return slots.dims.size(); }
    /// Uses slots that were found, if any were. As int64, the greatest keys of type uint64 would come
    /// before the least.
    bool takes(const KeySlots& found) {
        if (found.count == 0) return false;
        if (dtype == uint64 && found.least < 0 && found.least + (found.count - 1) >= 0)
            return false;
        use_table(found);
        return true;
    }
    void use_table(const KeySlots& found) {
        ranged = true;
        by_table = true;
        range = found;
        first_key = static_cast<std::uint64_t>(found.least);
    }
    /// Finds the slots of keys that are integers, by their range or by a hash table.
    void find_range() {
        ranged = true;
        const auto [least, greatest] = least_and_greatest(keys);
        const std::uint64_t apart = greatest - least;
        const std::uint64_t most = most_slots(rows());
        if (apart < most)
            return use_table(
                {static_cast<std::int64_t>(least), static_cast<index_t>(apart) + 1, 0});
        const std::uint64_t common = common_step(keys, least);
        if (common > 1 && apart / common < most && apart >> 62 == 0) {
            // as days in seconds are
            if (const std::optional<Operand> steps = whole_steps(keys, least, common)) {
                slots = *steps;
                by_table = true;
                first_key = least;
                step = common;
                range = {0, static_cast<index_t>(apart / common) + 1, 0};
                return;
            }
        }
        number_keys();
    }

    /// Numbers the distinct keys of a hash table.
    void number_keys() {
        HashedKeys hashed = hash_keys(keys, ordered);
        numbers = std::move(hashed.numbers);
        first_rows = std::move(hashed.first_rows);
        order = std::move(hashed.order);
        range = {0, std::ssize(first_rows), 0};
        read_numbers();
    }

    /// Makes the numbers the slots.
    void read_numbers() {
        const index_t rows = std::ssize(numbers);
        slots = cast_operand(
            {memory_leaf(int32, numbers.data(), rows), Dimensions::row_major(ShapeSpan(&rows, 1))},
            int64, Op::cast);
    }
};

RowGroups::RowGroups(const Operand& keys, bool ordered, bool blocks_by_groups) : state_(new State) {
    require_not_sparse("group_by_reduce", keys);
    State& state = *state_;
    state.ordered = ordered;
    state.by_groups = blocks_by_groups;
    state.dtype = keys.dtype();
    state.keys = state.dtype == boolean ? cast_operand(keys, uint8, Op::cast) : keys;
    state.slots = state.keys;
    if (rows() == 0) return;
    if (state.dtype.is_floating()) {
        state.number_keys();
    } else { // the range is found when they are used: together with sums, if it is small
        state.slots = cast_operand(state.keys, int64, Op::wrapping_cast);
        state.ranged = false;
    }
}

RowGroups::RowGroups(std::vector<std::int32_t> numbers, const std::vector<index_t>& order)
    : state_(new State) {
    State& state = *state_;
    state.range.count = std::ssize(order);
    state.order = GroupEntries<index_t>(state.range.count);
    std::ranges::copy(order, state.order.begin());
    state.numbers = std::move(numbers);
    state.read_numbers();
}

RowGroups::~RowGroups() = default;
RowGroups::RowGroups(RowGroups&&) noexcept = default;
RowGroups& RowGroups::operator=(RowGroups&&) noexcept = default;

index_t RowGroups::size() const {
    state_->ensure_order();
    return state_->order.size();
}
index_t RowGroups::rows() const { return state_->slots.dims.size(); }

Operand RowGroups::keys() const {
    state_->ensure_order();
    const State& state = *state_;
    return visit_dtype(state.dtype, "group_by_reduce", [&]<typename T>(std::type_identity<T>) {
        if (state.by_table || state.order.empty())
            return in_memory<T>(state.order, [&](index_t slot) {
                return static_cast<T>(state.first_key +
                                      static_cast<std::uint64_t>(slot) * state.step);
            });
        const WatchedOperation watched("assignment");
        const RealisedElements<T> all(state.keys);
        return in_memory<T>(state.order, [&](index_t slot) {
            return all.data()[state.first_rows[static_cast<std::size_t>(slot)]];
        });
    });
}

Operand RowGroups::counts() const {
    state_->count_rows();
    return in_memory<std::int64_t>(state_->order,
                                   [&](index_t slot) { return state_->counted[slot]; });
}

Operand RowGroups::numbers() const {
    state_->ensure_order();
    return state_->group_numbers().operand();
}

std::optional<RowGroups::NearNumbers> RowGroups::near_numbers() const {
    State& state = *state_;
    if (!state.ordered || rows() == 0) return std::nullopt;
    if (!state.ranged) state.find_range();
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    if (!state.by_table || state.range.least > kMost - state.range.count) return std::nullopt;
    return NearNumbers{state.slots, state.range.least, state.range.count};
}

std::vector<index_t> RowGroups::first_rows() const {
    state_->ensure_order();
    const State& state = *state_;
    const GroupEntries<index_t> first(state.range.count, -1);
    index_t left = state.order.size();
    for (index_t at = 0; left > 0 && at < rows(); at += kGroupedRows)
        state.for_each_slot(at, std::min(at + kGroupedRows, rows()),
                            [&](index_t row, index_t slot) {
                                if (first[slot] >= 0) return;
                                first[slot] = row;
                                --left;
                            });
    std::vector<index_t> rows_of_groups;
    for (const index_t slot : state.order) rows_of_groups.push_back(first[slot]);
    return rows_of_groups;
}

Operand RowGroups::fold(Reduction reduction, const Operand& given, bool averages) const {
    require_not_sparse("group_by_reduce", given);
    const bool of_bools = is_of_truths(reduction);
    const Operand values = of_bools ? cast_operand(given, boolean, Op::cast) : given;
    if (reduction == Reduction::any_of) reduction = Reduction::maximum;
    if (reduction == Reduction::all_of) reduction = Reduction::minimum;
    State& state = *state_;
    return visit_dtype(values.dtype(), "group_by_reduce", [&]<typename T>(std::type_identity<T>) {
        const auto run = [&]<typename A>(std::type_identity<A>) {
            const GroupEntries<A> folded = state.folded<A>(reduction, values, averages);
            const auto as = [&]<typename R>(std::type_identity<R>) {
                return in_memory<R>(state.order,
                                    [&](index_t slot) { return static_cast<R>(folded[slot]); });
            };
            if (averages) return as(std::type_identity<Averaged<T>>{});
            if (is_extreme(reduction)) return as(std::type_identity<T>{});
            return as(std::type_identity<Accumulated<T>>{});
        };
        if (std::floating_point<T> || averages) return run(std::type_identity<double>{});
        if (std::same_as<T, std::uint64_t>) return run(std::type_identity<std::uint64_t>{});
        return run(std::type_identity<std::int64_t>{});
    });
}

void RowGroups::sort(std::int64_t* out, std::vector<index_t>& begins) const {
    state_->count_rows();
    const State& state = *state_;
    const GroupEntries<index_t> next(state.range.count, 0);
    const GroupEntries<index_t> ends(state.range.count, 0);
    begins.assign(1, 0);
    for (const index_t slot : state.order) {
        next[slot] = begins.back();
        ends[slot] = begins.back() + state.counted[slot];
        begins.push_back(ends[slot]);
    }
    // Rows whose keys have changed since they were counted get any place that is left.
    std::vector<index_t> without_place;
    state.for_each_slot(0, rows(), [&](index_t row, index_t slot) {
        if (next[slot] < ends[slot])
            out[next[slot]++] = row;
        else
            without_place.push_back(row);
    });
    auto row = without_place.begin();
    for (const index_t slot : state.order)
        while (next[slot] < ends[slot] && row != without_place.end()) out[next[slot]++] = *row++;
    std::copy(row, without_place.end(), out + begins.back());
}

} // namespace purview
