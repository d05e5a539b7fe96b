#pragma once

#include <purview/evaluation/row_matches.hpp>
#include <purview/functional/statistics/key_columns.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

/// A word for each row, which may be the memory of a column.
struct RowWords {
    Operand owner;
    std::span<const std::uint64_t> words;
};
/// Words for the rows of both sides: equal where the keys are. A word on the left that no row on the
/// right has may stand for several keys.
struct KeyWords {
    RowWords left;
    RowWords right;
};

/// Which words stand for real numbers. Of `any`, two do: the first tells apart integers that fit in
/// int64, greater ones that fit in uint64, and other numbers.
enum class WordCoding : std::uint8_t { of_int64, of_uint64, of_double, any };

/// A column of numbers on both sides: of some rows at a time, their words are those of all rows.
struct CodedColumn {
    Operand left;
    Operand right;
    WordCoding coding;
    bool complex; ///< a word of the imaginary part is added

    std::size_t words_of_row() const noexcept {
        return (coding == WordCoding::any ? 2 : 1) + (complex ? 1 : 0);
    }
    /// The words of rows of either side.
    std::vector<RowWords> words(const char* what, const Operand& numbers) const;
};

/// Throws naming `what` as `join` does for columns that are none of keys, or do not fit together.
void check_keys(const char* what, const KeyColumns& left, const KeyColumns& right);
/// The columns of keys of numbers and times; nothing where strings are among them.
std::vector<CodedColumn> coded_columns(const char* what, const KeyColumns& left,
                                       const KeyColumns& right);
/// The words of keys of numbers, strings and times, which have been checked: those of each column.
std::vector<KeyWords> key_words(const char* what, const KeyColumns& left, const KeyColumns& right);
/// The rows whose words are all equal.
RowMatches matched_rows(std::vector<KeyWords> words, JoinKind kind);

} // namespace purview
