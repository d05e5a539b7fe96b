#pragma once

#include <purview/evaluation/row_matches.hpp>
#include <purview/functional/statistics/key_columns.hpp>
#include <purview/tensor/tensor.hpp>

#include <cstdint>

namespace purview::inline v0_1 {

/// The rows of a join: `left[i]` and `right[i]` lie side by side, -1 where a side has none.
struct JoinedRows {
    MutableTensor<std::int64_t> left;  ///< `[rows]`
    MutableTensor<std::int64_t> right; ///< `[rows]`; of `semi` and `anti` `[0]`
};

/// `join(left, right, kind)`: the rows on both sides whose keys are equal, as a database joins tables:
///
///     const auto rows = join({trade_symbol, trade_venue}, {symbol, venue}, JoinKind::left);
///     const auto lot = take(lot_size, maximum(rows.right, 0), 0); // where rows.right >= 0
///
/// `inner` has the pairs of rows with equal keys; `left` also the rows on the left that have no match,
/// `right` those on the right, `outer` both; `semi` and `anti` have rows on the left alone, those with
/// and without a match. Rows are in the order of the left side, each with its matches in the order of
/// the right, whatever the kind; rows on the right without a match are last.
///
/// Keys are one column on each side, or several, `[rows]`, which all have to be equal: numbers, strings,
/// or times of one type. NaN and NaT match themselves, as in groups; -0 matches 0. Numbers of two
/// types match where they are the same number: integers are not rounded to floats, as `==` does it.
///
/// Eager. O(left + right + result), with a hash table of the right side, or a table that integers index
/// which lie close together; on several threads, with the same result. The rows are counted before they
/// are made. Keys of numbers and times over arrays of chunks that are larger than half of what the memory
/// limit leaves are joined in parts, by temporary files, with the same result: each chunk is read once,
/// and results beyond the limit are chunks. Throws `ShapeError` for other ranks, columns of other lengths,
/// other numbers of columns, no columns, 2³² - 1 rows on the right or more in memory, and results of 2⁵⁹
/// rows or more; `MemoryLimitError` naming how many rows a result has that there is no memory for, also for
/// temporary files; `DtypeError` for types that are not compared; `KindError` for sparse columns.
PURVIEW_EXPORT JoinedRows join(const KeyColumns& left, const KeyColumns& right,
                               JoinKind kind = JoinKind::inner);

} // namespace purview
