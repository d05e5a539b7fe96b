#pragma once

#include <purview/reader/packed_indexes.hpp>
#include <purview/reader/sparse_buffer_template.hpp>

namespace purview::inline v0_1 {

// Sparse buffers of the built-in types are compiled once, in src/reader/sparse_buffer.cpp. To say so
// declares all of them, which takes time, so files that need only those of other types leave it out.
#define PURVIEW_EXTERN_SPARSE_BUFFERS(T) extern template class SparseBuffer<T>;
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_EXTERN_SPARSE_BUFFERS)
#undef PURVIEW_EXTERN_SPARSE_BUFFERS

} // namespace purview
