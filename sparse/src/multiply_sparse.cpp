// Defines purview/sparse/multiply.hpp.

#include <purview/sparse/multiply.hpp>

#include "row_entries.hpp"

namespace purview::inline v0_1 {

template <typename T, typename I>
CsrMatrix<Accumulated<T>, I> multiply_rows(const CsrMatrix<T, I>& x, const CsrMatrix<T, I>& y) {
    return sparse::csr_of(multiply_rows(sparse::rows_of(x), sparse::rows_of(y)), x.rows(),
                          y.columns());
}

#define PURVIEW_MAKE_PRODUCTS(T)            \
 PURVIEW_SPARSE_PRODUCTS(, T, std::int32_t) \
 PURVIEW_SPARSE_PRODUCTS(, T, std::int64_t)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_MAKE_PRODUCTS)
#undef PURVIEW_MAKE_PRODUCTS

} // namespace purview
