#include "engine/contract/compact_rows.hpp"

#include <purview/base/errors.hpp>
#include <purview/base/wrapping.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>

#include "engine/pairs/keyed_places.hpp"
#include "engine/pairs/values.hpp"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <utility>

namespace purview::inline v0_1::engine {
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

template <typename T>
void match_columns_to_rows(CompactRows<T>& x, const CompactRows<T>& y, index_t rows_per_batch) {
    const index_t batches = x.rows.empty() ? 1 : x.rows.back() / rows_per_batch + 1;
    // Rows of y behind the last batch of x are multiplied with nothing.
    const index_t last = y.rows.empty() ? 0 : y.rows.back() + 1;
    const index_t all = batches <= last / x.columns ? batches * x.columns : last;
    const auto end = std::ranges::lower_bound(y.rows, all);
    const FirstPositions places({y.rows.begin(), end}, x.stored() + y.stored());
    index_t* const column = x.column();
    T* const value = x.value();
    std::size_t rows = 0;
    index_t made = 0;
    for (std::size_t r = 0; r < x.rows.size(); ++r) {
        const index_t first = x.rows[r] / rows_per_batch * x.columns;
        const index_t begin = made;
        for (index_t p = x.pointers[r]; p < x.pointers[r + 1]; ++p) {
            const index_t place = places(first + column[p]);
            if (place < 0) continue;
            column[made] = place;
            value[made++] = value[p];
        }
        if (made == begin) continue;
        x.rows[rows] = x.rows[r];
        x.pointers[rows++] = begin;
    }
    x.pointers[rows] = made;
    x.rows.resize(rows);
    x.pointers.resize(rows + 1);
    x.columns = std::ssize(y.rows);
}

template <typename T>
std::vector<index_t> match_columns_to_all_rows(CompactRows<T>& x, index_t rows,
                                               index_t rows_per_batch) {
    index_t* const column = x.column();
    std::vector<index_t> pointers(static_cast<std::size_t>(rows) + 1, 0);
    for (std::size_t r = 0; r < x.rows.size(); ++r) {
        const index_t first = x.rows[r] / rows_per_batch * x.columns;
        if (first != 0)
            for (index_t p = x.pointers[r]; p < x.pointers[r + 1]; ++p) column[p] += first;
        pointers[static_cast<std::size_t>(x.rows[r]) + 1] = x.pointers[r + 1];
    }
    // Rows without entries end where the one before them does.
    for (std::size_t r = 0; r + 1 < pointers.size(); ++r)
        pointers[r + 1] = std::max(pointers[r], pointers[r + 1]);
    return pointers;
}

#define PURVIEW_MAKE_COMPACT_ROWS(T)                                                              \
 template std::optional<CompactRows<T>> compact_rows(const SparseFactor&, index_t, index_t, bool, \
                                                     double);                                     \
 template void match_columns_to_rows(CompactRows<T>&, const CompactRows<T>&, index_t);            \
 template std::vector<index_t> match_columns_to_all_rows(CompactRows<T>&, index_t, index_t);
// Floats, and one type for all integers of a width.
PURVIEW_MAKE_COMPACT_ROWS(std::uint8_t)
PURVIEW_MAKE_COMPACT_ROWS(std::uint16_t)
PURVIEW_MAKE_COMPACT_ROWS(std::uint32_t)
PURVIEW_MAKE_COMPACT_ROWS(std::uint64_t)
PURVIEW_MAKE_COMPACT_ROWS(float)
PURVIEW_MAKE_COMPACT_ROWS(double)
#undef PURVIEW_MAKE_COMPACT_ROWS

} // namespace purview::engine
