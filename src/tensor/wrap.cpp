#include <purview/base/errors.hpp>
#include <purview/tensor/wrap.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {

#define PURVIEW_DEFINE_FOREIGN_MEMORY(T) PURVIEW_FOREIGN_MEMORY(, T)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_DEFINE_FOREIGN_MEMORY)

ForeignLayout foreign_layout(const char* what, const void* pointer, ShapeSpan shape,
                             ShapeSpan strides, index_t extent) {
    if (shape.size() != strides.size())
        throw ShapeError(fmt::format("{}: shape {} has {} axes and strides {} have {}", what,
                                     to_string(shape), shape.size(), to_string(strides),
                                     strides.size()));
    const Dimensions dims = Dimensions::strided(shape, strides);
    const AddressRange range = dims.address_range();
    if (range.empty) return {dims, 0, 0, true};
    if (pointer == nullptr)
        throw ShapeError(fmt::format("{}: the pointer is null, and shape {} is not empty", what,
                                     to_string(shape)));
    if (extent >= 0 && (range.lowest < 0 || range.highest >= extent))
        throw ShapeError(fmt::format(
            "{}: shape {} with strides {} reaches elements {} to {} of a buffer of {}", what,
            to_string(shape), to_string(strides), range.lowest, range.highest, extent));
    return {Dimensions::strided(shape, strides, -range.lowest), range.lowest,
            range.highest - range.lowest + 1, dims.is_unique()};
}

void throw_without_strides(const char* what) {
    throw ShapeError(fmt::format("{}: the mapping of this mdspan has no strides", what));
}

Shape row_major_strides(ShapeSpan shape) {
    return to_shape(Dimensions::row_major(shape).strides());
}

} // namespace purview
