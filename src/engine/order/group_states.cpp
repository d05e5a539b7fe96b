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
#include <cstring>
#include <limits>

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
            auto* const state =
                reinterpret_cast<double*>(states.first + numbers[i] * states.stride);
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
    template <typename F>
    double finish(const double* state, index_t slots) const {
        const int level = std::clamp(blocks_.level_of(slots), first_, last_);
        const double* const at = state + level_at(level);
        const double result = F::combine(at[0], level == 0 ? joined<F>(at + 1) : at[1]);
        if (!has_product() || !may_have_left_range(result)) return result;
        return reinterpret_cast<const ScaledProduct<double>*>(state + 1)->value<double>();
    }

private:
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

void GroupStates::fold(const Operand& values, std::span<const std::int64_t> numbers,
                       std::span<const index_t> rows, Memory states) const {
    visit_accumulator(
        reduction_, accumulator_,
        [&]<typename A, typename F>(std::type_identity<A>, std::type_identity<F>) {
            const Operand as = cast_operand(values, kDType<A>, Op::wrapping_cast);
            ElementRuns<A> runs(as, kFoldedRows);
            [[maybe_unused]] GroupSums sums(*this);
            for (index_t at = 0; at < std::ssize(numbers); at += kFoldedRows) {
                const index_t count = std::min(kFoldedRows, std::ssize(numbers) - at);
                const A* const part = runs(at, count);
                const auto own =
                    numbers.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(count));
                if constexpr (std::is_same_v<A, double>) {
                    sums.fold<F>(
                        part, own,
                        rows.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(count)),
                        states);
                } else {
                    for (std::size_t i = 0; i < own.size(); ++i) {
                        A& state = *reinterpret_cast<A*>(states.first + own[i] * states.stride);
                        state = F::combine(state, part[i]);
                    }
                }
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
