#include <purview/interop/foreign_views.hpp>

#include <purview/base/errors.hpp>

#include "interop/cv_depths.hpp"
#include "interop/described_operand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace purview::inline v0_1 {

MemoryDescriptor viewed_memory(const char* what, const AnyTensor& t, DType dtype, bool writes,
                               int rank) {
    if (t.dtype() != dtype) throw_dtype_mismatch(what, dtype, t.dtype());
    if (rank >= 0 && t.rank() != rank)
        throw ShapeError(fmt::format("{}: shape {} has rank {}, and the view {}", what,
                                     to_string(t.shape()), t.rank(), rank));
    MemoryDescriptor memory = describe_as(what, t);
    if (writes && memory.read_only)
        throw ReadOnlyError(
            fmt::format("{}: the tensor is read-only, and the view may write", what));
    if (memory.byte_order != std::endian::native)
        throw ShapeError(fmt::format("{}: the elements are in the other byte order", what));
    const index_t size = dtype.size_bytes();
    const bool is_empty = is_empty_shape(memory.shape);
    index_t following = 1; // what the axes after this one take
    for (std::size_t axis = memory.shape.size(); axis-- > 0;) {
        index_t& stride = memory.strides[axis];
        if (is_empty) {
            stride = 1;
            continue;
        }
        if (memory.shape[axis] > 1 && stride % size != 0)
            throw_not_viewable(what, memory, "strides of whole elements");
        stride = memory.shape[axis] > 1 ? stride / size : following;
        following = stride * memory.shape[axis];
    }
    if (!is_empty && !is_aligned(memory.pointer, dtype.descriptor().alignment))
        throw_not_viewable(what, memory, "aligned elements");
    return memory;
}

void throw_not_viewable(const char* what, const MemoryDescriptor& memory, const char* needs) {
    throw ShapeError(fmt::format("{}: shape {} with strides of {} elements cannot be seen so: the "
                                 "view needs {}",
                                 what, to_string(memory.shape), to_string(memory.strides), needs));
}

CvView cv_view(const AnyTensor& t, LastAxis last) {
    const auto known = std::ranges::find(kCvDepths, t.dtype());
    if (known == kCvDepths.end()) throw_dtype_unsupported("as_cv_mat", t.dtype());
    const MemoryDescriptor memory = viewed_memory("as_cv_mat", t, t.dtype(), true, -1);
    const auto size = static_cast<std::size_t>(t.dtype().size_bytes());
    const bool is_empty = is_empty_shape(memory.shape);
    CvView view{.pointer = memory.pointer};
    std::size_t pixel = size;
    index_t following = 1;
    for (std::size_t axis = memory.shape.size(); axis-- > 0;) {
        const index_t extent = memory.shape[axis];
        const index_t stride = memory.strides[axis];
        if (last == LastAxis::channels && axis + 1 == memory.shape.size()) {
            if (extent < 1 || extent > 512 || stride != 1)
                throw_not_viewable("as_cv_mat", memory, "1 to 512 channels without gaps");
            view.type = (static_cast<int>(extent) - 1) * 8;
            pixel *= static_cast<std::size_t>(extent);
            following = extent;
            continue;
        }
        if (extent > std::numeric_limits<int>::max())
            throw_not_viewable("as_cv_mat", memory, "axes that an int can count");
        if (stride < following && !is_empty)
            throw_not_viewable("as_cv_mat", memory, "row-major order");
        if (!is_empty) following = stride * extent;
        view.sizes.insert(view.sizes.begin(), static_cast<int>(extent));
        view.steps.insert(view.steps.begin(),
                          is_empty ? pixel : static_cast<std::size_t>(stride) * size);
    }
    if (view.sizes.empty() || view.sizes.size() > 32)
        throw_not_viewable("as_cv_mat", memory, "1 to 32 axes beside the channels");
    if (view.sizes.size() == 1) { // OpenCV's matrices have two axes: a column
        view.sizes.push_back(1);
        view.steps.push_back(pixel);
    }
    if (view.steps.back() != pixel)
        throw_not_viewable("as_cv_mat", memory, "a last axis without gaps");
    view.type += static_cast<int>(known - kCvDepths.begin());
    return view;
}

} // namespace purview
