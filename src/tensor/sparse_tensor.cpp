#include <purview/base/errors.hpp>
#include <purview/reader/sparse_buffer.hpp>
#include <purview/tensor/sparse_tensor.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {

#define PURVIEW_DEFINE_SPARSE_TENSORS(T) PURVIEW_SPARSE_TENSORS_OF(, T)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_DEFINE_SPARSE_TENSORS)

CoordinateLists::CoordinateLists(std::initializer_list<IndexValues> lists) {
    for (const IndexValues& list : lists) lists_.push_back(list.values());
}

std::vector<index_t> coordinate_indexes(const char* what, ShapeSpan shape,
                                        const std::vector<std::vector<index_t>>& axes) {
    if (axes.size() != shape.size())
        throw ShapeError(fmt::format("{}: {} lists of coordinates for shape {}", what, axes.size(),
                                     to_string(shape)));
    check_sparse_size(what, checked_size(shape, what));
    // A shape of rank 0 has one element, but no coordinate list from which the number of pairs
    // follows.
    std::vector<index_t> indexes(axes.empty() ? 0 : axes[0].size(), 0);
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        const std::vector<index_t>& list = axes[axis];
        if (list.size() != indexes.size())
            throw ShapeError(fmt::format("{}: {} coordinates for axis {}, {} for axis 0", what,
                                         list.size(), axis, indexes.size()));
        const index_t extent = shape[axis];
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (list[i] < 0 || list[i] >= extent)
                throw IndexError(fmt::format(
                    "{}: index {} at position {} is out of range for axis {} of size {}", what,
                    list[i], i, axis, extent));
            indexes[i] = indexes[i] * extent + list[i];
        }
    }
    return indexes;
}

} // namespace purview
