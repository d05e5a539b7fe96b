#pragma once

#include <purview/functional/statistics/key_columns.hpp>

#include <cstdint>
#include <span>

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

/// The words of keys of numbers, strings and times. Throws naming `what` as `join` does.
KeyWords key_words(const char* what, const KeyColumns& left, const KeyColumns& right);

} // namespace purview
