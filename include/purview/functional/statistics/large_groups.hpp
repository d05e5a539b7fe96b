#pragma once

#include <purview/evaluation/row_groups.hpp>
#include <purview/functional/reductions/chosen_reducer.hpp>

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

/// The values of rows, arranged by group once, for all functions that take them.
struct GroupedValues {
    Operand values;              ///< in memory, `[rows]`
    std::vector<index_t> begins; ///< where each group begins, and the end; empty: not arranged yet
};

/// What reduces the groups of a column, as `large_groups` takes it.
struct GroupReducer {
    std::optional<ChosenReducer> chosen; ///< nothing for a function, and for `group_size`
    bool gives_sizes = false;
    bool refuses_nan = false;
    /// Whether its results are of a type that goes to a file.
    bool storable = true;
    /// The results of rows in memory: `[groups]`.
    std::function<Operand(const RowGroups&, const Operand&, GroupedValues&)> in_memory;
};
struct GroupedColumn {
    Operand values;
    std::vector<GroupReducer> reducers;
};

/// The keys of groups, of each column, and the results of each reducer of each column.
struct LargeGroups {
    std::vector<Operand> keys;
    std::vector<Operand> results;
};
/// Groups of rows over arrays of chunks that are larger than half of what the memory limit leaves; nothing for others. What
/// is held counts towards the limit. Where the groups, and the states of their reducers, fit in half of what is left, each
/// chunk is read once, block by block of rows; otherwise rows go to temporary files, parted by key, and groups
/// of each part come to their place by a merge. The rows of a part are in memory together where a reducer has no states. Results larger
/// than the limit are arrays of chunks in a temporary file. Bits are those of rows in memory.
/// Throws `MemoryLimitError` where the rows of one group have to be in memory together, and do not fit, or
/// temporary files are beyond their limit.
PURVIEW_EXPORT std::optional<LargeGroups> large_groups(std::span<const Operand> keys, bool ordered,
                                                       std::span<const GroupedColumn> columns);

} // namespace purview
