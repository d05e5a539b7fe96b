#include <purview/base/checked.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {

void throw_overflow(const char* what, index_t a, index_t b) {
    throw ShapeError(fmt::format("{}: {} and {} overflow a 64-bit index", what, a, b));
}

index_t checked_size(ShapeSpan shape, const char* what) {
    index_t size = 1;
    bool empty = false;
    for (const index_t extent : shape) {
        if (extent < 0)
            throw ShapeError(
                fmt::format("{}: shape {} has a negative extent", what, to_string(shape)));
        if (extent == 0)
            empty = true;
        else if (__builtin_mul_overflow(size, extent, &size))
            throw ShapeError(
                fmt::format("{}: the number of elements of shape {} overflows a 64-bit index", what,
                            to_string(shape)));
    }
    return empty ? 0 : size;
}

int checked_axis(index_t axis, int rank, const char* what) {
    if (axis < -rank || axis >= rank)
        throw IndexError(fmt::format("{}: axis {} is out of range for rank {}", what, axis, rank));
    return static_cast<int>(axis < 0 ? axis + rank : axis);
}

index_t checked_index(index_t index, index_t size, int axis, const char* what) {
    if (index < -size || index >= size)
        throw IndexError(fmt::format("{}: index {} is out of range for axis {} of size {}", what,
                                     index, axis, size));
    return index < 0 ? index + size : index;
}

} // namespace purview
