// Defines engine/run/runner.hpp.

#include "engine/run/runner.hpp"

#include <algorithm>
#include <array>

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

/// The planes of the two innermost axes of a space of more axes, such as pixels of three colours
/// that are repeated: each of a few elements, which are moved as one row.
class SmallPlanes {
public:
    SmallPlanes(const Space& space, const StridedOperand& operand, index_t stride_bytes,
                std::size_t element_bytes)
        : space_(space), operand_(operand), stride_bytes_(stride_bytes), bytes_(element_bytes) {
        const std::size_t rank = space.rank();
        if (rank < 3 || element_bytes > 8 || space.extents[rank - 1] > kMostColumns / 2) return;
        const index_t columns = space.extents[rank - 1];
        const index_t size = space.extents[rank - 2] * columns;
        if (size > kMostColumns) return;
        size_ = size;
        for (index_t i = 0; i < size; ++i) {
            in_[static_cast<std::size_t>(i)] = (i / columns * operand.strides[rank - 2] +
                                                i % columns * operand.strides[rank - 1]) *
                                               stride_bytes;
            out_[static_cast<std::size_t>(i)] = i * static_cast<index_t>(element_bytes);
        }
    }

    bool are_small() const noexcept { return size_ > 0; }
    index_t size() const noexcept { return size_; }

    /// Copies whole planes. `place` is address 0 of the operand.
    void gather(const KernelTable& kernels, const std::byte* place, index_t begin, index_t count,
                std::byte* out) const {
        const std::size_t along = space_.rank() - 3;
        const index_t steps[] = {0, operand_.strides[along] * stride_bytes_};
        const index_t packed[] = {0, size_ * static_cast<index_t>(bytes_)};
        while (count > 0) {
            index_t index = begin / size_;
            const index_t first = index % space_.extents[along];
            index_t address = operand_.base;
            for (std::size_t axis = along + 1; axis-- > 0;) {
                address += index % space_.extents[axis] * operand_.strides[axis];
                index /= space_.extents[axis];
            }
            const index_t some = std::min(space_.extents[along] - first, count / size_);
            kernels.copy_short_rows(bytes_, place + address * stride_bytes_, steps, in_.data(), out,
                                    packed, out_.data(), 1, some, size_);
            begin += some * size_;
            count -= some * size_;
            out += some * packed[1];
        }
    }

private:
    const Space& space_;
    const StridedOperand& operand_;
    index_t stride_bytes_;
    std::size_t bytes_;
    index_t size_ = 0; ///< 0: they are not small
    std::array<index_t, kMostColumns> in_{};
    std::array<index_t, kMostColumns> out_{};
};

} // namespace

void gather_rows(const KernelTable& kernels, const Space& space, std::size_t operand,
                 std::size_t element_bytes, index_t stride_bytes, const std::byte* place,
                 index_t begin, index_t count, std::byte* out) {
    const auto rectangles = [&](index_t first, index_t some) {
        visit_rectangles(space, space.operands[operand], stride_bytes, element_bytes, first, some,
                         [&](index_t address, const index_t* steps, index_t at,
                             const index_t* packed, index_t rows, index_t columns) {
                             kernels.copy_2d(element_bytes, place + address, steps, out + at,
                                             packed, rows, columns);
                         });
        out += some * static_cast<index_t>(element_bytes);
    };
    const SmallPlanes planes(space, space.operands[operand], stride_bytes, element_bytes);
    if (!planes.are_small() || count < 2 * planes.size()) return rectangles(begin, count);
    if (const index_t before = planes.size() - 1 - (begin + planes.size() - 1) % planes.size()) {
        rectangles(begin, before);
        begin += before;
        count -= before;
    }
    const index_t whole = count / planes.size() * planes.size();
    planes.gather(kernels, place, begin, whole, out);
    out += whole * static_cast<index_t>(element_bytes);
    if (count > whole) rectangles(begin + whole, count - whole);
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
