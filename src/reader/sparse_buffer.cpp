#include <purview/reader/sparse_buffer.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {

#define PURVIEW_DEFINE_SPARSE_BUFFERS(T) template class SparseBuffer<T>;
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_DEFINE_SPARSE_BUFFERS)

void throw_not_in_memory(const char* what, const char* part) {
    throw ShapeError(fmt::format("{}: the {} are no memory that could be shared", what, part));
}

void throw_strided_values(index_t stride_bytes) {
    throw ShapeError(
        fmt::format("values: those of this sparse buffer lie {} bytes apart; pairs() tells where",
                    stride_bytes));
}

void throw_packed_indexes() {
    throw ShapeError("indexes: those of this sparse buffer are packed; index_memory() reads them");
}

void throw_sparse_range(index_t begin, index_t end, index_t size) {
    throw IndexError(
        fmt::format("set_constant: [{}, {}) does not lie in [0, {})", begin, end, size));
}

} // namespace purview
