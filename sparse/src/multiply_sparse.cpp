#include <purview/dtype/element_access.hpp>
#include <purview/sparse/multiply.hpp>
#include <purview/tensor/copy.hpp>

#include "bounded_rows.hpp"
#include "row_accumulator.hpp"

#include <fmt/format.h>

namespace purview {
namespace {

/// Above so many columns, a place for each would leave the caches.
constexpr index_t kDenseColumns = index_t{1} << 21;

/// Calls `f(column, product)` for each product that row `r` of x·y sums.
template <typename R, typename T, typename I, typename F>
void for_products(const CompressedPointers<T, I>& x, const CompressedPointers<T, I>& y, index_t r,
                  const F& f) {
    for (index_t k = x.pointers[r]; k < x.pointers[r + 1]; ++k) {
        const index_t row = x.indices[k];
        const T factor = load_element<T>(x.values + k);
        for (index_t j = y.pointers[row]; j < y.pointers[row + 1]; ++j)
            f(y.indices[j], wrapping_product<R>(factor, load_element<T>(y.values + j)));
    }
}

} // namespace

template <BuiltinType T, SparseIndex I>
CsrMatrix<Accumulated<T>, I> multiply_rows(const CsrMatrix<T, I>& x, const CsrMatrix<T, I>& y) {
    using R = Accumulated<T>;
    const CompressedPointers<T, I>& a = x.raw();
    const CompressedPointers<T, I>& b = y.raw();

    // A row has at most as many entries as products, and as columns.
    std::vector<index_t> bounds(static_cast<std::size_t>(a.rows) + 1);
    index_t products = 0;
    for (index_t r = 0; r < a.rows; ++r) {
        index_t of_row = 0;
        for (index_t k = a.pointers[r]; k < a.pointers[r + 1]; ++k) {
            const index_t row = a.indices[k];
            of_row += b.pointers[row + 1] - b.pointers[row];
        }
        products += of_row;
        bounds[static_cast<std::size_t>(r) + 1] =
            bounds[static_cast<std::size_t>(r)] + std::min(of_row, b.columns);
    }

    const double cost = 8 * static_cast<double>(products);
    const bool dense = b.columns <= kDenseColumns && b.columns / 64 <= products + 64;
    const auto make = [&](index_t first, index_t last, I* indices, R* values, index_t* ends) {
        index_t made = 0;
        if (dense) {
            sparse::DenseAccumulator<I, R> sums(b.columns);
            for (index_t r = first; r < last; ++r) {
                for_products<R>(a, b, r, [&](I column, R value) { sums.add(column, value); });
                // Rows without products are common where there are few entries.
                if (bounds[static_cast<std::size_t>(r) + 1] != bounds[static_cast<std::size_t>(r)])
                    made += sums.take(indices + made, values + made);
                ends[r - first] = made;
            }
        } else {
            sparse::HashAccumulator<I, R> sums;
            for (index_t r = first; r < last; ++r) {
                const auto at = static_cast<std::size_t>(r);
                sums.prepare(bounds[at + 1] - bounds[at]);
                for_products<R>(a, b, r, [&](I column, R value) { sums.add(column, value); });
                made += sums.take(indices + made, values + made);
                ends[r - first] = made;
            }
        }
    };
    // Where many products may meet, room for all of them could be more than there is.
    if (bounds.back() > 8 * (x.stored() + y.stored()) + (1 << 20))
        bounds = sparse::counted_rows<R, I>(bounds, make);
    return sparse::make_rows<R, I>("matmul", a.rows, b.columns, bounds, cost, make);
}

#define PURVIEW_MAKE_PRODUCTS(T)            \
 PURVIEW_SPARSE_PRODUCTS(, T, std::int32_t) \
 PURVIEW_SPARSE_PRODUCTS(, T, std::int64_t)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_MAKE_PRODUCTS)
#undef PURVIEW_MAKE_PRODUCTS

} // namespace purview
