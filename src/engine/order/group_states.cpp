// Defines evaluation/group_states.hpp.

#include "evaluation/group_states.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/expression/elementwise.hpp>

#include "engine/folds/folds.hpp"
#include "engine/order/group_blocks.hpp"
#include "engine/order/group_tables.hpp"
#include "engine/order/key_range.hpp"
#include "engine/run/element_runs.hpp"
#include "evaluation/scaled_products.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <vector>

namespace purview::inline v0_1 {

using namespace engine;
static_assert(kKeysLookedAt == kLookedAt);

/// A state of floats: the shortest block of the last row; the product of all with its exponent apart; for each level
/// what blocks before gave together, and what the last one did, of kTables lanes at level 0.
class GroupSums {
public:
    explicit GroupSums(const GroupStates& of)
        : reduction_(of.reduction_),
          blocks_(of.rows_),
          first_(of.first_level_),
          last_(of.last_level_) {}

    bool has_product() const noexcept { return reduction_ == Reduction::product; }
    index_t lanes_at() const noexcept { return has_product() ? 3 : 1; }
    /// Where level l begins, in words of 8 bytes.
    index_t level_at(int level) const noexcept {
        if (level == 0) return lanes_at();
        const index_t lanes = first_ == 0 ? 1 + kTables : 0;
        return lanes_at() + lanes + 2 * (level - std::max(first_, 1));
    }
    index_t words() const noexcept { return level_at(last_ + 1); }

    template <typename F>
    void clear(double* state) const {
        std::fill(state, state + words(), F::start());
        state[0] = 0;
        if (has_product()) new (state + 1) ScaledProduct<double>();
    }
    void take(const GroupSums& others, const double* theirs, double* state) const {
        std::copy(theirs, theirs + lanes_at(), state);
        const double* const kept = theirs + others.level_at(first_);
        std::copy(kept, theirs + others.words(), state + level_at(first_));
    }
    template <typename F>
    void fold(const double* values, std::span<const std::int64_t> numbers,
              std::span<const index_t> rows, GroupStates::Memory states) {
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            double* const state = state_of(states, numbers[i]);
            find_block(rows[i]);
            if (state[0] != block_) flush<F>(state);
            const double value = F::kOp == TileOp::add ? values[i] + 0.0 : values[i];
            if (has_product()) reinterpret_cast<ScaledProduct<double>*>(state + 1)->multiply(value);
            double* at = state + lanes_at();
            if (first_ == 0) {
                double& lane = at[1 + lane_of(rows[i])];
                lane = F::combine(lane, value);
                at += 1 + kTables;
            }
            for (int level = std::max(first_, 1); level <= last_; ++level, at += 2)
                at[1] = F::combine(at[1], value);
        }
    }
    /// Whether states are sums of lanes alone, so that rows of few groups are added in tables, of which each has a lane of
    /// all groups.
    bool are_lanes() const noexcept { return last_ == 0 && !has_product(); }
    /// Where the block ends that a row is in: the current one afterwards.
    index_t end_of_block(index_t row) {
        find_block(row);
        return end_;
    }
    /// The lanes of the current block, as far as its rows have been added.
    template <typename F>
    void take_lanes(GroupStates::Memory states, double* tables) const {
        for (index_t group = 0; group < states.groups; ++group) {
            const double* const state = state_of(states, group);
            for (index_t t = 0; t < kTables; ++t)
                tables[t * states.groups + group] =
                    state[0] == block_ ? state[lanes_at() + 1 + t] : F::start();
        }
    }
    /// Adds rows from `first` on, which follow each other in the current block.
    template <typename F>
    void fold_lanes(const double* values, std::span<const std::int64_t> numbers, index_t first,
                    index_t groups, double* tables) const {
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            double& lane = tables[lane_of(first + static_cast<index_t>(i)) * groups + numbers[i]];
            lane = F::combine(lane, F::kOp == TileOp::add ? values[i] + 0.0 : values[i]);
        }
    }
    template <typename F>
    void put_lanes(const double* tables, GroupStates::Memory states) const {
        for (index_t group = 0; group < states.groups; ++group) {
            std::array<double, kTables> lanes;
            bool changed = false;
            for (std::size_t t = 0; t < lanes.size(); ++t) {
                lanes[t] = tables[static_cast<index_t>(t) * states.groups + group];
                changed = changed || std::bit_cast<std::uint64_t>(lanes[t]) !=
                                         std::bit_cast<std::uint64_t>(F::start());
            }
            if (!changed) continue; // as where the block has no rows of the group
            double* const state = state_of(states, group);
            if (state[0] != block_) flush<F>(state);
            std::ranges::copy(lanes, state + lanes_at() + 1);
        }
    }
    template <typename F>
    double finish(const double* state, index_t slots) const {
        const int level = std::clamp(blocks_.level_of(slots), first_, last_);
        const double* const at = state + level_at(level);
        const double result = F::combine(at[0], level == 0 ? joined<F>(at + 1) : at[1]);
        if (!has_product() || !may_have_left_range(result)) return result;
        return reinterpret_cast<const ScaledProduct<double>*>(state + 1)->value<double>();
    }

private:
    static double* state_of(GroupStates::Memory states, index_t group) noexcept {
        return reinterpret_cast<double*>(states.first + group * states.stride);
    }
    template <typename F>
    static double joined(const double* lanes) {
        double all = lanes[0];
        for (index_t t = 1; t < kTables; ++t) all = F::combine(all, lanes[t]);
        return all;
    }
    /// Rows ascend.
    void find_block(index_t row) {
        if (row >= begin_ && row < end_) return;
        const index_t length = blocks_.length(0);
        const index_t number = row / length;
        block_ = static_cast<double>(number);
        begin_ = number * length;
        end_ = std::min(begin_ + length, blocks_.rows());
    }
    /// As `visit_rows` has it.
    index_t lane_of(index_t row) const {
        const index_t in_run = (row - begin_) % kFoldedRows;
        const index_t run = std::min(kFoldedRows, end_ - (row - in_run));
        return in_run < run / kTogether * kTogether ? in_run % kTables : 0;
    }
    /// Adds what the last block gave to what those before did, at each level that has a new one.
    template <typename F>
    void flush(double* state) const {
        const auto before = static_cast<index_t>(state[0]);
        const auto now = static_cast<index_t>(block_);
        state[0] = block_;
        double* at = state + lanes_at();
        if (first_ == 0) {
            at[0] = F::combine(at[0], joined<F>(at + 1));
            std::fill_n(at + 1, kTables, F::start());
            at += 1 + kTables;
        }
        for (int level = std::max(first_, 1); level <= last_; ++level, at += 2) {
            if (before >> (level - 1) == now >> (level - 1)) continue;
            at[0] = F::combine(at[0], at[1]);
            at[1] = F::start();
        }
    }

    Reduction reduction_;
    GroupBlocks blocks_;
    int first_;
    int last_;
    double block_ = 0;
    index_t begin_ = 0;
    index_t end_ = 0;
};

namespace {

/// `f(accumulator, fold)`
template <typename F>
void visit_accumulator(Reduction reduction, DType accumulator, F f) {
    const auto of = [&]<typename A>(std::type_identity<A>) {
        visit_fold<A>(reduction, [&]<typename Of>(std::type_identity<Of>) {
            f(std::type_identity<A>{}, std::type_identity<Of>{});
        });
    };
    if (accumulator == float64) return of(std::type_identity<double>{});
    if (accumulator == uint64) return of(std::type_identity<std::uint64_t>{});
    of(std::type_identity<std::int64_t>{});
}

} // namespace

GroupStates::GroupStates(Reduction reduction, DType accumulator, index_t rows, Slots slots)
    : reduction_(reduction),
      accumulator_(accumulator),
      rows_(rows),
      first_level_(GroupBlocks(rows).level_of(slots.fewest)),
      last_level_(GroupBlocks(rows).level_of(slots.most)),
      bytes_(8) {
    if (accumulator == float64) bytes_ = 8 * GroupSums(*this).words();
}

void GroupStates::clear(std::byte* state) const {
    visit_accumulator(reduction_, accumulator_,
                      [&]<typename A, typename F>(std::type_identity<A>, std::type_identity<F>) {
                          if constexpr (std::is_same_v<A, double>) {
                              GroupSums(*this).clear<F>(reinterpret_cast<double*>(state));
                          } else {
                              *reinterpret_cast<A*>(state) = F::start();
                          }
                      });
}

void GroupStates::take(const GroupStates& others, const std::byte* theirs, std::byte* state) const {
    if (accumulator_ == float64)
        return GroupSums(*this).take(GroupSums(others), reinterpret_cast<const double*>(theirs),
                                     reinterpret_cast<double*>(state));
    std::memcpy(state, theirs, 8);
}

namespace {

/// Values of rows, and the groups of rows, some at a time.
template <typename A>
class ValuesOfRows {
public:
    ValuesOfRows(const Operand& values, std::span<const std::int64_t> numbers)
        : values_(cast_operand(values, kDType<A>, Op::wrapping_cast)),
          runs_(values_, kFoldedRows),
          numbers_(numbers) {}

    /// `f(values, numbers, at)` for those from one on.
    template <typename F>
    void for_each(index_t begin, index_t end, F f) {
        for (index_t at = begin; at < end; at += kFoldedRows) {
            const index_t count = std::min(kFoldedRows, end - at);
            f(runs_(at, count),
              numbers_.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(count)), at);
        }
    }

private:
    Operand values_;
    ElementRuns<A> runs_;
    std::span<const std::int64_t> numbers_;
};

template <typename F, typename A>
void fold_integers(ValuesOfRows<A>& given, index_t count, GroupStates::Memory states) {
    const auto state_of = [&](index_t group) -> A& {
        return *reinterpret_cast<A*>(states.first + group * states.stride);
    };
    if (count < kRowsOfEntry * states.groups)
        return given.for_each(0, count, [&](const A* part, auto numbers, index_t) {
            for (std::size_t i = 0; i < numbers.size(); ++i)
                state_of(numbers[i]) = F::combine(state_of(numbers[i]), part[i]);
        });
    std::vector<A> tables(static_cast<std::size_t>(kTables * states.groups), F::start());
    given.for_each(0, count, [&](const A* part, auto numbers, index_t) {
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            A& entry = tables[i % kTables * static_cast<std::size_t>(states.groups) +
                              static_cast<std::size_t>(numbers[i])];
            entry = F::combine(entry, part[i]);
        }
    });
    for (std::size_t i = 0; i < tables.size(); ++i) {
        A& state = state_of(static_cast<index_t>(i) % states.groups);
        state = F::combine(state, tables[i]);
    }
}

bool follow_each_other(std::span<const index_t> rows) {
    return rows.back() - rows.front() == std::ssize(rows) - 1;
}

} // namespace

void GroupStates::fold(const Operand& values, std::span<const std::int64_t> numbers,
                       std::span<const index_t> rows, Memory states) const {
    const index_t count = std::ssize(numbers);
    if (count == 0) return;
    visit_accumulator(
        reduction_, accumulator_,
        [&]<typename A, typename F>(std::type_identity<A>, std::type_identity<F>) {
            ValuesOfRows<A> given(values, numbers);
            const bool few = count >= kRowsOfEntry * states.groups;
            if constexpr (std::is_same_v<A, double>) {
                GroupSums sums(*this);
                if (!few || !sums.are_lanes() || !follow_each_other(rows))
                    return given.for_each(0, count, [&](const A* part, auto own, index_t at) {
                        sums.fold<F>(part, own, rows.subspan(static_cast<std::size_t>(at)), states);
                    });
                std::vector<double> tables(static_cast<std::size_t>(kTables * states.groups));
                for (index_t begin = 0; begin < count;) {
                    const index_t end =
                        std::min(count, sums.end_of_block(rows[0] + begin) - rows[0]);
                    sums.take_lanes<F>(states, tables.data());
                    given.for_each(begin, end, [&](const A* part, auto own, index_t at) {
                        sums.fold_lanes<F>(part, own, rows[0] + at, states.groups, tables.data());
                    });
                    sums.put_lanes<F>(tables.data(), states);
                    begin = end;
                }
            } else {
                fold_integers<F>(given, count, states);
            }
        });
}

void GroupStates::finish(const std::byte* states, index_t stride, index_t count, index_t slots,
                         void* out) const {
    visit_accumulator(reduction_, accumulator_,
                      [&]<typename A, typename F>(std::type_identity<A>, std::type_identity<F>) {
                          auto* to = static_cast<A*>(out);
                          for (index_t i = 0; i < count; ++i, states += stride) {
                              if constexpr (std::is_same_v<A, double>)
                                  *to++ = GroupSums(*this).finish<F>(
                                      reinterpret_cast<const double*>(states), slots);
                              else
                                  *to++ = *reinterpret_cast<const A*>(states);
                          }
                      });
}

index_t slots_of_keys(const KeyRange& keys, index_t rows, index_t groups) {
    const std::uint64_t apart = keys.greatest - keys.least;
    const std::uint64_t most = most_slots(rows);
    if (apart < most) return static_cast<index_t>(apart) + 1;
    const std::uint64_t step = keys.looked_at;
    if (step > 1 && step == keys.common && apart / step < most && apart >> 62 == 0)
        return static_cast<index_t>(apart / step) + 1;
    return groups;
}

} // namespace purview
