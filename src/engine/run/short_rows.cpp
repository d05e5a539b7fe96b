// Defines engine/run/runner.hpp.

#include "engine/run/runner.hpp"

#include <algorithm>

namespace purview::inline v0_1::engine {
namespace {

/// Visits the elements [begin, begin + count) of a space of at least two axes as rectangles of its
/// two innermost ones: `f(address, steps, at, packed, rows, columns)`, where a single row may be
/// partial. In bytes: the address and the steps of the operand, and those of the elements one after
/// the other.
template <typename F>
void visit_rectangles(const Space& space, const StridedOperand& operand, index_t stride_bytes,
                      std::size_t element_bytes, index_t begin, index_t count, F&& f) {
    const std::size_t rank = space.rank();
    const auto size = static_cast<index_t>(element_bytes);
    const index_t steps[] = {operand.strides[rank - 2] * stride_bytes,
                             operand.strides[rank - 1] * stride_bytes};
    index_t at = 0;
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
        const index_t packed[] = {width * size, size};
        f(address * stride_bytes, steps, at, packed, height, width);
        at += height * width * size;
        begin += height * width;
        count -= height * width;
    }
}

} // namespace

void gather_rows(const KernelTable& kernels, const Space& space, std::size_t operand,
                 std::size_t element_bytes, index_t stride_bytes, const std::byte* place,
                 index_t begin, index_t count, std::byte* out) {
    visit_rectangles(space, space.operands[operand], stride_bytes, element_bytes, begin, count,
                     [&](index_t address, const index_t* steps, index_t at, const index_t* packed,
                         index_t rows, index_t columns) {
                         kernels.copy_2d(element_bytes, place + address, steps, out + at, packed,
                                         rows, columns);
                     });
}

void scatter_rows(const KernelTable& kernels, const Space& space, std::size_t operand,
                  std::size_t element_bytes, index_t stride_bytes, std::byte* place, index_t begin,
                  index_t count, const std::byte* in) {
    visit_rectangles(space, space.operands[operand], stride_bytes, element_bytes, begin, count,
                     [&](index_t address, const index_t* steps, index_t at, const index_t* packed,
                         index_t rows, index_t columns) {
                         kernels.copy_2d(element_bytes, in + at, packed, place + address, steps,
                                         rows, columns);
                     });
}

} // namespace purview::engine
