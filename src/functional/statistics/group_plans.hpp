#pragma once

#include <purview/functional/statistics/large_groups.hpp>

#include "evaluation/group_states.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace purview::inline v0_1 {

inline constexpr const char* kGroupByReduce = "group_by_reduce";

/// The fold of rows of numbers that a reduction is, and the values that it folds; nothing for others.
std::optional<PlainFold> fold_of_rows(const BuiltInReduction& by, Operand& values);

/// A fold that is carried as states.
struct PlannedFold {
    /// What is folded, of a block of values; null for the number of rows.
    std::function<Operand(const Operand&)> elements;
    Reduction reduction;
    DType accumulator;
    /// Of what kind the elements are: those of one kind, of one column, are the same.
    std::uint32_t kind;

    bool is_same(const PlannedFold& other) const noexcept {
        return reduction == other.reduction && accumulator == other.accumulator &&
               kind == other.kind;
    }
};

/// How a reducer's results come of folds; none of them: of states of its own, or of rows in memory.
struct GroupPlan {
    enum class Ending : std::uint8_t {
        value,              ///< of the one fold
        average,            ///< the first divided by the second
        average_of_numbers, ///< the same, NaN where the second is 0
        value_of_numbers,   ///< the first, NaN where the second is 0
        own_states,
        rows_in_memory
    };
    Ending ending = Ending::rows_in_memory;
    std::vector<PlannedFold> folds;
    DType result = float64; ///< of folds

    /// The results of `count` groups, from the accumulators of its folds.
    void finish(const std::vector<const void*>& folded, index_t count, void* out) const;
};
/// For values of this type. Throws as the reducer does for it.
GroupPlan plan_of(const GroupReducer& reducer, const Operand& values);

} // namespace purview
