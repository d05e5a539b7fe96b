#pragma once

#include "engine/order/group_folds.hpp"

namespace purview::inline v0_1::engine {

/// Folds over keys whose range is not known: it is found in the same pass. Without slots if keys lie
/// too far apart for that.
template <typename Entry>
struct FoundGroups {
    KeySlots slots; ///< from the least key to the greatest
    GroupEntries<Entry> entries;
};

/// Whether keys, integers, may be near enough to each other. Not if they are computed: blocks may be
/// folded more than once.
bool may_be_found(const Operand& keys);

/// The number of rows of each slot. `keys` are int64, at least one.
FoundGroups<index_t> find_groups(const Operand& keys);

/// Sums in the type `A`: double, int64 or uint64; the same as `fold_groups` over the same range.
template <typename A>
FoundGroups<A> find_sums(const Operand& keys, const Operand& values);

/// The same, and the number of rows of each slot.
template <typename A>
struct CountedSums {
    KeySlots slots;
    GroupEntries<A> sums;
    GroupEntries<index_t> counts;
};
template <typename A>
CountedSums<A> find_counted_sums(const Operand& keys, const Operand& values);

} // namespace purview::engine
