#pragma once

#include <purview/evaluation/sorting.hpp>
#include <purview/tensor/any_tensor.hpp>
#include <purview/tensor/plain_tensor.hpp>

#include <cstdint>
#include <initializer_list>
#include <span>

namespace purview::inline v0_1 {

/// A column that rows are sorted by, and in which order: `day`, or `{price, descending}`.
struct SortKey {
    /// Throws `DimError` for bound dims.
    template <plain_array X>
    SortKey(const X& column_given, SortOrder order_given = ascending)
        : column(operand_for_call(column_given)), order(order_given) {}

    AnyTensor column; ///< `[rows]`
    SortOrder order;
};

/// `lexsort({day, {price, descending}})`: the indexes that sort rows by the first column, equal ones by the second, and so on. **The first column decides first**,
/// as in SQL's `ORDER BY`; NumPy's `lexsort` takes it last.
///
/// Columns are `[rows]`, each of a type of its own: numbers, strings, times, as `argsort` sorts them: stably, NaN and NaT last in either order. int64 `[rows]`.
/// Eager; O(columns · rows), a radix sort for each column, and comparisons of strings. Throws `ShapeError` unless all have one axis of one length, and of no columns,
/// `DtypeError` for other types.
PURVIEW_EXPORT MutableTensor<std::int64_t> lexsort(std::span<const SortKey> columns);
PURVIEW_EXPORT MutableTensor<std::int64_t> lexsort(std::initializer_list<SortKey> columns);

} // namespace purview
