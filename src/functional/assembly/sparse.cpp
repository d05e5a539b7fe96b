#include <purview/functional/assembly/sparse.hpp>
#include <purview/reader/sparse_buffer.hpp>

namespace purview::inline v0_1 {

#define PURVIEW_DEFINE_SPARSE_COPIES(T) PURVIEW_SPARSE_COPIES_OF(, T)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_DEFINE_SPARSE_COPIES)

} // namespace purview
