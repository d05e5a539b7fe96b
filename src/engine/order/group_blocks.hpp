#pragma once

#include <purview/base/index.hpp>

#include <algorithm>

namespace purview::inline v0_1::engine {

/// With at most kFewSlots slots, a block has kTables tables, to which rows are added in turn: in a
/// single one, rows of one slot that follow each other would wait for the previous addition to the
/// same entry.
inline constexpr index_t kFewSlots = index_t{1} << 13;
inline constexpr index_t kTables = 4;

/// Rows of a block, which is folded into tables of its own: at least kFewestRows, so many that there
/// are about kMostBlocks blocks at most, and twice as many until there are kRowsOfEntry for each entry
/// of these tables.
inline constexpr index_t kFewestRows = index_t{1} << 18;
inline constexpr index_t kRowsOfEntry = 16;
inline constexpr index_t kMostBlocks = 64;

/// How rows are cut into blocks: at level 0, of few slots, and at level 1 the shortest ones, at each further one
/// twice as long.
class GroupBlocks {
public:
    explicit GroupBlocks(index_t rows) noexcept
        : rows_(rows), shortest_(std::max(kFewestRows, rows / kMostBlocks)) {}

    index_t rows() const noexcept { return rows_; }
    index_t length(int level) const noexcept { return shortest_ << std::max(level - 1, 0); }
    int level_of(index_t slots) const noexcept {
        if (slots <= kFewSlots) return 0;
        int level = 1;
        while (length(level) < rows_ && length(level) / kRowsOfEntry < slots) ++level;
        return level;
    }

private:
    index_t rows_;
    index_t shortest_;
};

} // namespace purview::engine
