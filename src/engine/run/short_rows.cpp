// Defines engine/run/runner.hpp.

#include "engine/run/runner.hpp"

#include <algorithm>

namespace purview::inline v0_1::engine {
namespace {

/// Visits the elements [begin, begin + count) of a space of at least two axes as rectangles of its
/// two innermost ones: `f(address, rows, columns)`, where a single row may be partial.
template <typename F>
void visit_rectangles(const Space& space, const StridedOperand& operand, index_t begin,
                      index_t count, F&& f) {
    const std::size_t rank = space.rank();
    const index_t columns = space.extents[rank - 1];
    const index_t rows = space.extents[rank - 2];
    while (count > 0) {
        index_t index = begin;
        index_t address = operand.base;
        for (std::size_t axis = rank; axis-- > 0;) {
            address += index % space.extents[axis] * operand.strides[axis];
            index /= space.extents[axis];
        }
        const index_t column = begin % columns;
        const index_t row = begin / columns % rows;
        const bool whole = column == 0 && count >= columns;
        const index_t height = whole ? std::min(rows - row, count / columns) : 1;
        const index_t width = whole ? columns : std::min(columns - column, count);
        f(address, height, width);
        begin += height * width;
        count -= height * width;
    }
}

} // namespace

void gather_rows(const KernelTable& kernels, const Space& space, std::size_t operand,
                 std::size_t element_bytes, index_t stride_bytes, const std::byte* place,
                 index_t begin, index_t count, std::byte* out) {
    const StridedOperand& strided = space.operands[operand];
    const auto size = static_cast<index_t>(element_bytes);
    const index_t from[] = {strided.strides.end()[-2] * stride_bytes,
                            strided.strides.back() * stride_bytes};
    visit_rectangles(space, strided, begin, count,
                     [&](index_t address, index_t rows, index_t columns) {
                         const index_t to[] = {columns * size, size};
                         kernels.copy_2d(element_bytes, place + address * stride_bytes, from, out,
                                         to, rows, columns);
                         out += rows * columns * size;
                     });
}

void scatter_rows(const KernelTable& kernels, const Space& space, std::size_t operand,
                  std::size_t element_bytes, index_t stride_bytes, std::byte* place, index_t begin,
                  index_t count, const std::byte* in) {
    const StridedOperand& strided = space.operands[operand];
    const auto size = static_cast<index_t>(element_bytes);
    const index_t to[] = {strided.strides.end()[-2] * stride_bytes,
                          strided.strides.back() * stride_bytes};
    visit_rectangles(space, strided, begin, count,
                     [&](index_t address, index_t rows, index_t columns) {
                         const index_t from[] = {columns * size, size};
                         kernels.copy_2d(element_bytes, in, from, place + address * stride_bytes,
                                         to, rows, columns);
                         in += rows * columns * size;
                     });
}

} // namespace purview::engine
