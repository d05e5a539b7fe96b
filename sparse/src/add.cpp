#include <purview/base/masks.hpp>
#include <purview/base/wrapping.hpp>
#include <purview/sparse/add.hpp>
#include <purview/tensor/copy.hpp>

#include "row_entries.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1 {
namespace {

/// An index behind all columns.
constexpr index_t kBehind = index_t{1} << 62;

/// Merges rows. Which row has the next entry depends on data, which branch prediction cannot guess,
/// so that there is no branch on it: both rows are read, one entry is written, and the position in
/// each advances or not. A row that has ended counts as an index behind all columns.
template <typename T, typename I>
struct Merge {
    const CompressedPointers<T, I>& a;
    const CompressedPointers<T, I>& b;
    bool subtract;

    T combined(T x, T y) const { return subtract ? wrapping_difference(x, y) : wrapping_sum(x, y); }

    void operator()(index_t first, index_t last, I* indices, T* values, index_t* ends) const {
        index_t made = 0;
        index_t i = a.pointers[first];
        index_t j = b.pointers[first];
        const auto put = [&](index_t column, T value) {
            indices[made] = static_cast<I>(column);
            values[made++] = value;
        };
        for (index_t r = first; r < last; ++r) {
            const index_t i_end = a.pointers[r + 1];
            const index_t j_end = b.pointers[r + 1];
            // This reads one entry behind a row, which the last rows do not have.
            if (i_end < a.stored && j_end < b.stored) {
                while (i < i_end || j < j_end) {
                    const index_t x = a.indices[i] | (kBehind & mask_if(i >= i_end));
                    const index_t y = b.indices[j] | (kBehind & mask_if(j >= j_end));
                    const index_t in_x = mask_if(x <= y);
                    const index_t in_y = mask_if(y <= x);
                    put(std::min(x, y),
                        combined(masked_value(a.values[i], in_x), masked_value(b.values[j], in_y)));
                    i -= in_x;
                    j -= in_y;
                }
            } else {
                while (i < i_end || j < j_end) {
                    const index_t x = i < i_end ? a.indices[i] : kBehind;
                    const index_t y = j < j_end ? b.indices[j] : kBehind;
                    put(std::min(x, y),
                        combined(x <= y ? a.values[i++] : T{}, y <= x ? b.values[j++] : T{}));
                }
            }
            ends[r - first] = made;
        }
    }
};

} // namespace

void check_sum(ShapeSpan x, ShapeSpan y, bool subtract) {
    if (!std::ranges::equal(x, y))
        throw ShapeError(fmt::format("{}: shapes {} and {} differ", subtract ? "subtract" : "add",
                                     to_string(x), to_string(y)));
}

template <typename T, typename I>
CsrMatrix<T, I> merge_rows(const CsrMatrix<T, I>& x, const CsrMatrix<T, I>& y, bool subtract) {
    const CompressedPointers<T, I>& a = x.raw();
    const CompressedPointers<T, I>& b = y.raw();
    std::vector<index_t> bounds(static_cast<std::size_t>(a.rows) + 1);
    for (index_t r = 0; r <= a.rows; ++r)
        bounds[static_cast<std::size_t>(r)] =
            static_cast<index_t>(a.pointers[r]) + static_cast<index_t>(b.pointers[r]);
    const double cost = 3 * static_cast<double>(bounds.back() + a.rows);
    return sparse::csr_of(
        make_rows<T, I>(subtract ? "subtract" : "add", bounds, cost, Merge<T, I>{a, b, subtract}),
        a.rows, a.columns);
}

#define PURVIEW_MAKE_SUMS(T)            \
 PURVIEW_SPARSE_SUMS(, T, std::int32_t) \
 PURVIEW_SPARSE_SUMS(, T, std::int64_t)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_MAKE_SUMS)
#undef PURVIEW_MAKE_SUMS

} // namespace purview
