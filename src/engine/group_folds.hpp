#pragma once

#include <purview/expression/row_groups.hpp>

#include <cstdint>
#include <vector>

namespace purview::engine {

/// The slots of rows: what an operand of int64 holds, less `least`; in [0, count), which wraps.
struct SlotRows {
    const Operand& operand;
    std::int64_t least;
    index_t count;
};

// All work on blocks of rows, whose results are joined in order: how long they are depends on the numbers of rows and slots
// alone. `appearing`: null, or where the slots are listed in the order in which they appear first.

/// The rows of each slot.
std::vector<index_t> count_groups(const SlotRows& rows, std::vector<index_t>* appearing);

/// The sums of the values of each slot, of type `A`: double, int64 or uint64. `present[slot]`: whether it has a row.
template <typename A>
std::vector<A> sum_present_groups(const SlotRows& rows, const Operand& values,
                                  std::vector<std::uint8_t>& present);

/// The values of each slot, folded; not the mean.
template <typename A>
std::vector<A> fold_groups(GroupFold fold, const SlotRows& rows, const Operand& values);

} // namespace purview::engine
