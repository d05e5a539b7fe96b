#pragma once

#include <purview/base/hidden.hpp>
#include <purview/base/index.hpp>

#include <cstdint>
#include <span>

namespace purview::inline v0_1 {

/// Which rows a join has: the pairs of rows with equal keys (`inner`); with them the rows of the
/// left, of the right or of both sides that have no match; only the rows on the left that have
/// one (`semi`), or none (`anti`).
enum class JoinKind : std::uint8_t { inner, left, right, outer, semi, anti };

/// Words of rows: one for each, or two, which both have to be equal.
struct WordColumns {
    std::span<const std::uint64_t> first;
    std::span<const std::uint64_t> second{}; ///< none, or one for each row
};

/// The rows on both sides of a join, whose keys are words: equal where the keys are. Counted when
/// this is made, written afterwards: rows in the order of the left side, each with its matches in
/// the order of the right; then, for `right` and `outer`, the rows on the right without a match.
/// O(left + right + result), on several threads, with the same result.
class PURVIEW_EXPORT RowMatches {
public:
    /// Throws `ShapeError` for 2³² - 1 rows on the right or more, and for a result whose size
    /// overflows.
    RowMatches(const WordColumns& left, const WordColumns& right, JoinKind kind);
    ~RowMatches();
    RowMatches(RowMatches&&) noexcept;
    RowMatches& operator=(RowMatches&&) noexcept;

    /// The number of rows of the result.
    index_t size() const;
    /// Writes the `size()` rows of both sides, -1 where there is none. `semi` and `anti` write the
    /// left ones alone.
    void write(std::int64_t* left, std::int64_t* right) const { write(0, size(), left, right); }
    /// The same of the rows of the result in [first, last).
    void write(index_t first, index_t last, std::int64_t* left, std::int64_t* right) const;

private:
    struct State;
    Hidden<State> state_;
};

/// Limits of words as integers without or with a sign, whichever are closer together.
struct WordLimits {
    std::uint64_t least = 0;
    std::uint64_t apart = 0; ///< the greatest less the least
};
/// Of no words, 0.
PURVIEW_EXPORT WordLimits limits_of_words(std::span<const std::uint64_t> words);

/// Replaces each word on the right by the first row on the right that has it, and each on the left
/// by that too; by the number of rows on the right where there is none.
PURVIEW_EXPORT void number_words(std::span<std::uint64_t> left, std::span<std::uint64_t> right);

} // namespace purview
