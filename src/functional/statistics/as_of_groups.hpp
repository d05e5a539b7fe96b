#pragma once

#include <purview/functional/statistics/as_of.hpp>

#include "functional/statistics/group_table.hpp"

#include <memory>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

enum class AsOfPart : std::uint8_t { left, right };

/// The groups of rows on both sides by the columns of `by`, of a block of them at a time.
class AsOfGroups {
public:
    /// Throws `ShapeError` for columns that do not fit the keys. Groups of rows in memory are found at once; with
    /// `room` for so many bytes, those of columns of numbers and times as blocks are asked for.
    AsOfGroups(const Operand& left, const Operand& right, const AsOfOptions& options, index_t room);

    /// Those that are known.
    index_t size() const { return table_ ? table_->size() : groups_; }
    /// The groups of the rows [first, first + count), which may lie in `held`; empty if all rows are one group. Throws
    /// `MemoryLimitError` where there are too many.
    std::span<const std::int64_t> of(AsOfPart part, index_t first, index_t count,
                                     std::vector<std::int64_t>& held);

    /// The columns that blocks are read of.
    std::span<const LargeKey> columns(AsOfPart part) const {
        return part == AsOfPart::left ? grouping_.keys : right_;
    }
    /// The bytes of a row in a block, about.
    index_t row_bytes() const;

private:
    void find_all(const AsOfOptions& options, bool counts);

    index_t left_rows_;
    index_t groups_ = 1;
    Tensor<std::int64_t> numbers_ = zeros<std::int64_t>({0}); ///< of the left, then of the right
    CountedBytes counted_;                                    ///< these
    LargeGrouping grouping_;                                  ///< its keys are those on the left
    std::vector<LargeKey> right_;
    std::unique_ptr<GroupTable> table_;
};

} // namespace purview
