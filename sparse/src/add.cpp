#include <purview/base/wrapping.hpp>
#include <purview/sparse/add.hpp>
#include <purview/tensor/copy.hpp>

#include "row_entries.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace purview {
namespace {

/// A merge of rows. Which row comes next depends on data that no processor can guess, so that there is no
/// branch on it: both are read, one is written, and each moves on or not.
template <typename T, typename I>
struct Merge {
    const CompressedPointers<T, I>& a;
    const CompressedPointers<T, I>& b;
    bool subtract;

    T of_second(T value) const { return subtract ? wrapping_difference(T{}, value) : value; }

    void operator()(index_t first, index_t last, I* indices, T* values, index_t* ends) const {
        index_t made = 0;
        index_t i = a.pointers[first];
        index_t j = b.pointers[first];
        for (index_t r = first; r < last; ++r) {
            const index_t i_end = a.pointers[r + 1];
            const index_t j_end = b.pointers[r + 1];
            while (i < i_end && j < j_end) {
                const I x = a.indices[i];
                const I y = b.indices[j];
                const bool takes_x = x <= y;
                const bool takes_y = y <= x;
                const T from_x = takes_x ? a.values[i] : T{};
                const T from_y = takes_y ? b.values[j] : T{};
                indices[made] = takes_x ? x : y;
                values[made] =
                    subtract ? wrapping_difference(from_x, from_y) : wrapping_sum(from_x, from_y);
                ++made;
                i += takes_x;
                j += takes_y;
            }
            for (; i < i_end; ++i) {
                indices[made] = a.indices[i];
                values[made++] = a.values[i];
            }
            for (; j < j_end; ++j) {
                indices[made] = b.indices[j];
                values[made++] = of_second(b.values[j]);
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

template <BuiltinType T, SparseIndex I>
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
