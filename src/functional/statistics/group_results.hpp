#pragma once

#include "evaluation/large_results.hpp"
#include "functional/statistics/group_table.hpp"
#include "reader/parted_records.hpp"

#include <memory>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

/// How many slots rows in memory would have for these keys (`slots_of_keys`).
class SlotCount {
public:
    explicit SlotCount(const LargeGrouping& grouping) : grouping_(grouping) {}

    /// The words of the keys of the first rows, some at a time.
    void add_first(std::span<const std::uint64_t> bits);
    bool wants_first() const noexcept { return is_ranged() && std::ssize(first_) < kKeysLookedAt; }
    void add_group(const std::byte* record) noexcept;
    index_t slots() const;
    index_t groups() const noexcept { return groups_; }

private:
    bool is_ranged() const noexcept {
        return grouping_.keys.size() == 1 && !grouping_.keys[0].has_bits();
    }

    const LargeGrouping& grouping_;
    std::vector<std::uint64_t> first_;
    index_t groups_ = 0;
    std::uint64_t some_ = 0; ///< the word of the first group
    KeyRange range_;
};

/// Groups on their way to the results, as records: those of a table, then what reducers have that are no folds.
class GroupRecords {
public:
    GroupRecords(const LargeGrouping& grouping, const GroupLayout& layout,
                 std::span<const Operand> results);

    index_t bytes() const noexcept { return bytes_; }
    const GroupLayout& layout() const noexcept { return layout_; }
    /// Writes the record of a group of a table; `results` are those of its reducers of rows, in memory.
    void put(const GroupTable& table, std::span<const Operand> results, index_t group,
             std::byte* out) const;

private:
    friend class GroupWriter;
    const LargeGrouping& grouping_;
    GroupLayout layout_;
    std::vector<DType> results_;
    std::vector<index_t> own_at_; ///< of each reducer
    index_t bytes_;
};

/// Writes records of groups, in their order, as results.
class GroupWriter {
public:
    GroupWriter(const GroupRecords& records, const SlotCount& slots, index_t buffer_bytes);

    /// Where the next record is to be put.
    std::byte* next();
    LargeGroups take();

private:
    void flush();
    void write_key(std::size_t key);
    void write_result(std::size_t reducer);
    Operand batch_of(DType dtype) const;

    const GroupRecords& records_;
    const LargeGrouping& grouping_;
    index_t slots_;
    CountedBytes counted_;
    index_t most_; ///< records of the buffer
    std::vector<std::byte> buffer_;
    index_t held_ = 0;
    std::vector<AppendedResults> keys_;
    std::vector<AppendedResults> results_; ///< of each reducer
};

/// The groups of parts in a temporary file, each part in order, and how they come together.
class GroupRuns {
public:
    explicit GroupRuns(const LargeGrouping& grouping)
        : grouping_(grouping), file_(kGroupByReduce, 0) {}

    /// The groups of a table, in this order.
    void add(const GroupTable& table, std::span<const std::uint32_t> order,
             std::span<const Operand> results);
    /// All groups, in their order.
    LargeGroups merge(const SlotCount& slots, index_t buffer_bytes) const;

private:
    const LargeGrouping& grouping_;
    std::unique_ptr<const GroupRecords> records_;
    TemporaryFile file_;
    std::vector<RecordSegment> runs_;
};

} // namespace purview
