#include "engine/contract/row_products.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>

#include <fmt/format.h>

#include <cstdint>

namespace purview::inline v0_1 {

using namespace engine;

void throw_pointers_too_narrow(const char* what) {
    throw ShapeError(fmt::format("{}: more entries than int32 pointers can say; use int64", what));
}

template <typename T, typename I>
RowEntries<Accumulated<T>, I> multiply_rows(const RowPointers<T, I>& x,
                                            const RowPointers<T, I>& y) {
    return multiply_rows_by("matmul", WideFactors<Accumulated<T>, T>{}, x, y);
}

template <typename T, typename I>
void multiply_rows_by_dense(const RowPointers<T, I>& x, const T* dense, index_t row_stride,
                            index_t n, Accumulated<T>* out) {
    rows_times_dense(WideFactors<Accumulated<T>, T>{}, x, dense, row_stride, n, out);
}

#define PURVIEW_MAKE_ROW_PRODUCTS(T, I)                                                           \
 template PURVIEW_EXPORT RowEntries<Accumulated<T>, I> multiply_rows(const RowPointers<T, I>&,    \
                                                                     const RowPointers<T, I>&);   \
 template PURVIEW_EXPORT void multiply_rows_by_dense(const RowPointers<T, I>&, const T*, index_t, \
                                                     index_t, Accumulated<T>*);
#define PURVIEW_MAKE_BOTH(T)                \
 PURVIEW_MAKE_ROW_PRODUCTS(T, std::int32_t) \
 PURVIEW_MAKE_ROW_PRODUCTS(T, std::int64_t)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_MAKE_BOTH)
#undef PURVIEW_MAKE_BOTH
#undef PURVIEW_MAKE_ROW_PRODUCTS

} // namespace purview
