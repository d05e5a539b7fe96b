#pragma once

#include <purview/base/wrapping.hpp>
#include <purview/evaluation/row_products.hpp>

#include "engine/contract/sparse_factor.hpp"
#include "engine/pairs/values.hpp"
#include "engine/places/buffers.hpp"

#include <concepts>
#include <optional>
#include <type_traits>
#include <vector>

namespace purview::inline v0_1::engine {

/// The entries of a sparse factor as rows of a matrix. Rows without entries are left out.
template <typename T>
struct CompactRows {
    std::vector<index_t> rows;     ///< their numbers in the matrix, ascending
    std::vector<index_t> pointers; ///< the first entry of each of these rows, and the number of
                                   ///< entries
    BufferPtr<index_t> column_memory;
    BufferPtr<T> value_memory;
    index_t columns = 0; ///< of the matrix

    index_t stored() const noexcept { return pointers.back(); }
    index_t* column() const { return data_of(column_memory); }
    T* value() const { return data_of(value_memory); }
    RowPointers<T, index_t> raw() const {
        return {std::ssize(rows), columns, pointers.data(), column(), value()};
    }
};

/// Makes compact rows of a factor of shape `[rows…, columns…, summed…]`, given the extents of the
/// last two groups of axes. Values are multiplied by `scale`. Elements along the summed axes, which
/// no other factor has, are added up if `sums_duplicates`; if not, they are entries of one column
/// that follow each other. Returns nothing where an entry, a sum, or a scaled value is not finite.
/// O(stored).
template <typename T>
std::optional<CompactRows<T>> compact_rows(const SparseFactor& factor, index_t columns,
                                           index_t summed, bool sums_duplicates, double scale) {
    CompactRows<T> result;
    result.columns = columns;
    const T* const values = factor.value<T>();
    if (!are_finite(values, factor.stored())) return {};
    result.value_memory = allocate_uninitialized_buffer<T>(factor.stored());
    result.column_memory = allocate_uninitialized_buffer<index_t>(factor.stored());
    T* const value = result.value();
    index_t* const column = result.column();
    const index_t* const index = factor.index();
    const index_t row_size = columns * summed;
    index_t begin = 0;
    index_t end = 0; // of the row that entries are in
    index_t made = 0;
    using Sum = std::conditional_t<std::floating_point<T>, double, T>;
    Sum sum{}; // of the entry made last
    for (index_t p = 0; p < factor.stored(); ++p) {
        const bool is_new = index[p] >= end;
        if (is_new) {
            const index_t row = index[p] / row_size;
            begin = row * row_size;
            end = begin + row_size;
            result.rows.push_back(row);
            result.pointers.push_back(made);
        }
        const index_t within = index[p] - begin;
        const index_t at = summed == 1 ? within : within / summed;
        if (sums_duplicates && !is_new && column[made - 1] == at) {
            sum = wrapping_sum(sum, static_cast<Sum>(values[p]));
            value[made - 1] = static_cast<T>(sum);
            continue;
        }
        sum = static_cast<Sum>(values[p]);
        column[made] = at;
        value[made++] = values[p];
    }
    result.pointers.push_back(made);
    if constexpr (std::floating_point<T>)
        if (scale != 1)
            for (index_t p = 0; p < made; ++p)
                value[p] = static_cast<T>(value[p] * static_cast<T>(scale));
    if ((summed > 1 || scale != 1) && !are_finite<T>(value, made)) return {};
    return result;
}

} // namespace purview::engine
