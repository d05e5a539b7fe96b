#pragma once

#include "functional/statistics/group_plans.hpp"
#include "reader/chunk_cache.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

/// The key of rows in a column: numbers, those of times in ascending order.
struct LargeKey {
    Operand numbers;
    DType given; ///< the type of the column

    DType dtype() const noexcept { return numbers.dtype(); }
    /// Whether equal keys may have different bits.
    bool has_bits() const noexcept { return dtype().is_floating(); }
};

/// What is asked of groups: keys, columns of values, and how each of their reducers comes of what.
struct LargeGrouping {
    struct Reduced {
        const GroupReducer* by;
        std::size_t column;
        GroupPlan plan;
    };
    const char* what = kGroupByReduce; ///< for messages
    std::vector<LargeKey> keys;
    std::span<const GroupedColumn> columns;
    std::vector<Reduced> reducers;
    bool ordered = true;
    index_t rows = 0;

    bool wants_rows() const { return has(GroupPlan::Ending::rows_in_memory); }
    bool has_own_states() const { return has(GroupPlan::Ending::own_states); }

private:
    bool has(GroupPlan::Ending ending) const;
};

/// Rows in memory, that follow each other in the whole.
struct RowBlock {
    index_t first = 0;                                ///< of these rows among all that a walk gives
    std::span<const index_t> rows;                    ///< their numbers in the whole
    std::vector<std::span<const std::uint64_t>> keys; ///< of each column, the bits of its numbers
    std::vector<Operand> values;                      ///< of each column

    index_t count() const noexcept { return std::ssize(rows); }
};

/// The bits of a number in 64: of integers those of an int64 or uint64.
void read_key_bits(DType dtype, const void* numbers, index_t count, std::uint64_t* out);
/// The word of a key: ordered as keys are, equal for equal keys.
std::uint64_t key_word(DType dtype, std::uint64_t bits) noexcept;
std::uint64_t key_bits(DType dtype, std::uint64_t word) noexcept;
inline std::uint64_t hash_with(std::uint64_t hash, std::uint64_t word) noexcept {
    // Two multiplications: after one, words with a common factor, such as days in seconds, would
    // lie close together.
    word ^= hash * 0x9e3779b97f4a7c15 + 0x632be59bd9b4e019;
    word = (word ^ word >> 32) * 0xd6e8feb86659fd93;
    return word ^ word >> 32;
}

/// The hashes of the keys of `count` rows of a block from one on, by their words. Those of column k of row i go to
/// `words[i * columns + k]`, unless that is null.
void hash_rows(const LargeGrouping& grouping, const RowBlock& block, index_t from, index_t count,
               std::uint64_t* hashes, std::uint64_t* words);

/// A group as a record: words of its keys, the bits of those that have some, its first row, states of folds.
struct GroupLayout {
    GroupLayout(const LargeGrouping& grouping, GroupStates::Slots slots);

    /// The states of a fold of a column, which may serve several reducers.
    struct Fold {
        const PlannedFold* plan;
        std::size_t column;
        GroupStates states;
        index_t at;
    };
    index_t first_row_at = 0;
    std::vector<index_t> bits_at; ///< of each key
    std::vector<Fold> folds;
    std::vector<std::vector<std::size_t>> folds_of; ///< each reducer
    index_t bytes = 0;
};

/// Memory that grows, and counts towards the memory limit.
class GrowingBytes {
public:
    GrowingBytes() = default;
    GrowingBytes(const GrowingBytes&) = delete;
    GrowingBytes& operator=(const GrowingBytes&) = delete;
    ~GrowingBytes() { std::free(memory_); }
    /// To at least so many.
    void grow(index_t bytes, const char* what);
    void swap(GrowingBytes& other) noexcept;
    std::byte* at(index_t i) const noexcept { return memory_ + i; }
    index_t bytes() const noexcept { return bytes_; }

private:
    std::vector<CountedBytes> counted_;
    index_t bytes_ = 0;
    std::byte* memory_ = nullptr;
};

/// Groups of rows, which are added block by block: a hash table of records, at most half full.
class GroupTable {
public:
    /// Of at most so many bytes. States of `fixed` size are those that so many slots in all have.
    GroupTable(const LargeGrouping& grouping, GroupStates::Slots slots, index_t most_bytes,
               bool fixed);

    /// Adds rows, or returns false where they have too many groups: then the table is of no use. `numbers` gets the
    /// groups of rows.
    bool add(const RowBlock& block, std::span<std::int64_t> numbers);

    index_t size() const noexcept { return size_; }
    const GroupLayout& layout() const noexcept { return layout_; }
    const std::byte* record(index_t group) const noexcept {
        return records_.at(group * layout_.bytes);
    }
    /// The states that a reducer of one's own has of a group.
    const std::byte* own_state(std::size_t reducer, index_t group) const noexcept;
    /// The groups in the order that is asked for.
    std::vector<std::uint32_t> order() const;
    /// The bytes of a group, about.
    static index_t group_bytes(const LargeGrouping& grouping, GroupStates::Slots slots);

private:
    struct Place {
        std::uint32_t group; ///< one more, or 0
        std::uint32_t hash;
    };
    struct LookedUp;
    struct OwnStates {
        std::size_t reducer;
        GrowingBytes states;
        std::vector<index_t> sizes; ///< where places are taken
    };

    bool number(const RowBlock& block, std::span<std::int64_t> numbers);
    index_t number(std::uint64_t hash, const std::uint64_t* words);
    /// The group of a key, or -1.
    index_t find(std::uint64_t hash, const std::uint64_t* words) const noexcept;
    bool make_room();
    void resize_places(std::size_t places);
    void resize_groups(index_t most);
    void fold(const RowBlock& block, std::span<const std::int64_t> numbers);
    void fold_states(const GroupLayout::Fold& fold, const RowBlock& block,
                     std::span<const std::int64_t> numbers);
    void fold_own(OwnStates& own, const Operand& values, std::span<const std::int64_t> numbers);
    Place* places() const noexcept { return reinterpret_cast<Place*>(places_.at(0)); }

    const LargeGrouping& grouping_;
    GroupStates::Slots slots_;
    GroupLayout layout_;
    index_t most_bytes_;
    bool fixed_;
    GrowingBytes places_;
    std::size_t mask_ = 0;
    GrowingBytes records_;
    std::vector<std::unique_ptr<OwnStates>> own_;
    index_t own_bytes_ = 0; ///< of a group
    index_t room_ = 0;      ///< groups that records have room for
    index_t size_ = 0;
};

/// The order of two records of groups.
inline bool comes_before(const LargeGrouping& grouping, const GroupLayout& layout,
                         const std::byte* a, const std::byte* b) noexcept {
    const auto* const x = reinterpret_cast<const std::uint64_t*>(a);
    const auto* const y = reinterpret_cast<const std::uint64_t*>(b);
    if (grouping.ordered)
        for (std::size_t k = 0; k < grouping.keys.size(); ++k)
            if (x[k] != y[k]) return x[k] < y[k];
    return x[layout.first_row_at / 8] < y[layout.first_row_at / 8];
}

} // namespace purview
