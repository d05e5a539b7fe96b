#pragma once

#include <purview/base/function_ref.hpp>

#include "functional/statistics/group_table.hpp"
#include "reader/parted_records.hpp"

#include <vector>

namespace purview::inline v0_1 {

/// How a row is stored: its number, the bits of its keys, the bytes of its values.
struct RowRecord {
    explicit RowRecord(const LargeGrouping& grouping);

    std::vector<index_t> values_at; ///< of each column
    index_t bytes = 0;
};

/// How many parts of `bytes` together there is room for at once, on the threads there are.
int parts_at_once(index_t bytes);
/// Calls `f(part)` for each part, of at most so many at once.
void for_each_part(int parts, int at_once, FunctionRef<void(int)> f);

/// Rows in a temporary file, parted by a hash of their keys, in their order within each part.
class PartedRows {
public:
    /// `step`: how often these rows have been parted before: each time by other bits.
    PartedRows(const LargeGrouping& grouping, index_t rows, int parts_bits, int step,
               index_t buffer_bytes);
    static constexpr int kMostBits = 8;
    static constexpr int kMostSteps = 7;

    void add(const RowBlock& block);
    /// All rows have been added: buffers go.
    void end();

    int parts() const noexcept { return 1 << bits_; }
    index_t rows(int part) const noexcept { return records_.size(part); }
    /// Whether all rows of a part have one hash, by whatever bits they are parted; which one.
    bool has_one_hash(int part) const noexcept { return own(part).is_only; }
    std::uint64_t first_hash(int part) const noexcept { return own(part).first; }
    /// Of the keys of a row.
    std::uint64_t hash_of(const RowBlock& block, std::size_t row) const;
    /// Calls `f` with blocks of the rows of a part; stops where it returns false.
    void for_each_block(int part, index_t most_rows,
                        const std::function<bool(const RowBlock&)>& f) const;
    /// What a row takes in the file.
    static index_t file_bytes(const LargeGrouping& grouping) { return RowRecord(grouping).bytes; }
    /// What a block takes for each row.
    static index_t block_bytes(const LargeGrouping& grouping);

private:
    struct Hash {
        std::uint64_t first = 0; ///< of the first row
        bool is_only = true;
    };
    const Hash& own(int part) const { return hashes_[static_cast<std::size_t>(part)]; }

    const LargeGrouping& grouping_;
    RowRecord record_;
    int bits_;
    int step_;
    PartedRecords records_;
    std::vector<Hash> hashes_; ///< of each part
};

} // namespace purview
