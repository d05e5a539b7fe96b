#pragma once

#include "messages/ranks.hpp"

#include <purview/expression/node.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace purview::inline v0_1::mpi {

/// How two results of a column become one.
enum class MergedBy : std::uint8_t { sum, product, minimum, maximum };
/// What the words of a column are.
enum class WordType : std::uint8_t { float64, int64, uint64 };

struct WordColumn {
    MergedBy merged_by;
    WordType type;
};

/// The groups that some ranks have: their keys, ascending, each once, and columns of a word for each.
struct PartialGroups {
    std::vector<std::uint64_t> order; ///< of keys: their ordered keys
    std::vector<std::uint64_t> keys;  ///< the bits of them
    std::vector<std::uint64_t> words; ///< one column after the other

    index_t size() const noexcept { return std::ssize(keys); }
    std::span<const std::uint64_t> column(std::size_t c) const noexcept {
        return std::span(words).subspan(c * keys.size(), keys.size());
    }

    /// Takes keys of a built-in type, ascending, each once.
    void set_keys(const char* what, const Operand& ascending);
    /// Takes a column more, of 8 bytes for each key.
    void add_column(const Operand& column);
    /// The keys, `[groups]`, of the type that they had.
    Operand keys_in_memory(const char* what, DType type) const;
};

/// The groups of both. Of keys that are equal, as -0 and 0, the left one stays.
PartialGroups merged(const PartialGroups& left, const PartialGroups& right,
                     std::span<const WordColumn> columns);

/// Merges the groups of all ranks along a binary tree, and gives them to all. A call of all ranks.
void merge_all(Ranks& ranks, const char* what, std::span<const WordColumn> columns,
               PartialGroups& groups);

} // namespace purview
