#include <purview/sparse/coo_matrix.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {

template <typename I>
void check_coordinates(const char* axis, std::span<const I> indices, index_t extent) {
    bool inside = true;
    for (const I index : indices)
        inside &= static_cast<std::uint64_t>(index) < static_cast<std::uint64_t>(extent);
    if (inside) return;
    for (std::size_t k = 0; k < indices.size(); ++k)
        if (indices[k] < 0 || indices[k] >= extent)
            throw IndexError(fmt::format("CooMatrix: {} {} at position {} is out of range for {}",
                                         axis, indices[k], k, extent));
}

template PURVIEW_SPARSE_EXPORT void
check_coordinates<std::int32_t>(const char*, std::span<const std::int32_t>, index_t);
template PURVIEW_SPARSE_EXPORT void
check_coordinates<std::int64_t>(const char*, std::span<const std::int64_t>, index_t);

void check_coo(index_t rows, index_t columns, index_t row_indices, index_t column_indices,
               index_t values) {
    if (rows < 0 || columns < 0)
        throw ShapeError(fmt::format("CooMatrix: [{} {}] is no shape of a matrix", rows, columns));
    if (row_indices != values || column_indices != values)
        throw ShapeError(fmt::format("CooMatrix: {} row indices, {} column indices and {} values",
                                     row_indices, column_indices, values));
}

} // namespace purview
