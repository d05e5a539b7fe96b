#include "dtype/element_block.hpp"

#include <purview/dimensions/select.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/assembly/chunked.hpp>

#include <algorithm>
#include <complex>
#include <string>
#include <type_traits>

namespace purview::inline v0_1 {

OperandBoxes::OperandBoxes(const Operand& x)
    : x_(x),
      thread_safe_(Evaluation(x).is_thread_safe()),
      depth_(nested_depth(reader_depth_below(x), "chunked")) {
    require_host_reads("chunked", x);
}

void OperandBoxes::read(const ChunkGrid& grid, ShapeSpan at, void* out) const {
    Operand box = x_;
    Shape extents;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
        const index_t begin = at[axis] * grid.chunk[axis];
        extents.push_back(std::min(grid.chunk[axis], grid.shape[axis] - begin));
        if (extents[axis] != grid.shape[axis])
            box.dims = dimensions::select(box.dims, static_cast<index_t>(axis),
                                          Range(begin, begin + extents[axis]));
    }
    if (extents == grid.chunk) return read_all(box, out);

    // Row by row, as the rows of the chunk are longer, or more, than those of the box.
    const DType dtype = x_.dtype();
    const index_t size = dtype.size_bytes();
    const index_t count = checked_size(extents, "chunked");
    ElementBlock elements(dtype, count);
    read_all(box, elements.data());
    const std::size_t last = extents.size() - 1;
    const index_t row = extents[last];
    Shape place(extents.size());
    for (index_t done = 0; done < count; done += row) {
        index_t to = 0;
        for (std::size_t axis = 0; axis <= last; ++axis) to = to * grid.chunk[axis] + place[axis];
        dtype.descriptor().copy(elements.at(done), static_cast<std::byte*>(out) + to * size, row);
        for (std::size_t axis = last; axis-- > 0;) {
            if (++place[axis] < extents[axis]) break;
            place[axis] = 0;
        }
    }
}

ChunkGrid chunked_grid(const Operand& x, ShapeSpan chunk) {
    ChunkGrid grid{to_shape(x.dims.max_shape()), to_shape(chunk)};
    for (std::size_t axis = 0; axis < std::min(grid.shape.size(), grid.chunk.size()); ++axis)
        grid.chunk[axis] = std::min(grid.chunk[axis], std::max(grid.shape[axis], index_t{1}));
    return grid;
}

std::vector<StorageId> storages_of_boxes(const OperandBoxes& boxes) {
    return storages_below(boxes.operand());
}

Operand chunked_operand_of(const Operand& x, ShapeSpan chunk) {
    const DType dtype = x.dtype();
    if (dtype == kDType<std::string>) return chunked_operand<std::string>(x, chunk);
    if (dtype == kDType<std::complex<float>>) return chunked_operand<std::complex<float>>(x, chunk);
    if (dtype == kDType<std::complex<double>>)
        return chunked_operand<std::complex<double>>(x, chunk);
    return visit_dtype(dtype, "chunked", [&]<typename T>(std::type_identity<T>) {
        return chunked_operand<T>(x, chunk);
    });
}

} // namespace purview
