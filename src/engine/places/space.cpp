#include "engine/places/space.hpp"

#include "base/axis_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// Rows of at most this many elements are exchanged with the axis outside if any source is repeated
/// or strided; longer rows only if all sources are repeated.
constexpr index_t kShortExchangedRow = 4;

void drop_axes_of_one(Space& space, std::span<const Dimensions* const> operands) {
    const ShapeSpan shape = operands[0]->max_shape();
    for (const Dimensions* const dims : operands) space.operands.push_back({dims->base(), {}});
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == 1) continue;
        space.extents.push_back(shape[axis]);
        for (std::size_t k = 0; k < operands.size(); ++k)
            space.operands[k].strides.push_back(operands[k]->strides()[axis]);
    }
}

/// Whether axis b should lie outside of axis a.
bool belongs_outside(const Space& space, std::size_t b, std::size_t a) {
    for (const StridedOperand& operand : space.operands)
        if (const index_t compared = compare_steps(operand.strides[b], operand.strides[a]))
            return compared > 0;
    return false;
}

void swap_space_axes(Space& space, std::size_t a, std::size_t b) {
    std::swap(space.extents[a], space.extents[b]);
    for (StridedOperand& operand : space.operands)
        std::swap(operand.strides[a], operand.strides[b]);
}

void flip_negative_strides(Space& space) {
    for (std::size_t axis = 0; axis < space.rank(); ++axis) {
        if (space.operands[0].strides[axis] >= 0) continue;
        for (StridedOperand& operand : space.operands) {
            operand.base += (space.extents[axis] - 1) * operand.strides[axis];
            operand.strides[axis] = -operand.strides[axis];
        }
    }
}

bool can_merge(const Space& space, std::size_t outer, std::size_t inner) {
    return std::ranges::all_of(space.operands, [&](const StridedOperand& operand) {
        return is_one_axis(operand.strides[outer], operand.strides[inner], space.extents[inner]);
    });
}

void merge_axes(Space& space) {
    if (space.rank() == 0) return;
    std::size_t kept = 0;
    for (std::size_t axis = 1; axis < space.rank(); ++axis) {
        const bool merged = can_merge(space, kept, axis);
        if (!merged) ++kept;
        space.extents[kept] =
            merged ? space.extents[kept] * space.extents[axis] : space.extents[axis];
        for (StridedOperand& operand : space.operands)
            operand.strides[kept] = operand.strides[axis];
    }
    space.extents.resize(kept + 1);
    for (StridedOperand& operand : space.operands) operand.strides.resize(kept + 1);
}

} // namespace

bool Space::is_contiguous(std::size_t operand) const noexcept {
    index_t span = 1;
    for (std::size_t axis = rank(); axis-- > 0; span *= extents[axis])
        if (operands[operand].strides[axis] != span) return false;
    return true;
}

void move_axis(Space& space, std::size_t from, std::size_t to) {
    const auto move = [first = static_cast<std::ptrdiff_t>(from),
                       last = static_cast<std::ptrdiff_t>(to)](Shape& numbers) {
        std::rotate(numbers.begin() + first, numbers.begin() + first + 1,
                    numbers.begin() + last + 1);
    };
    move(space.extents);
    for (StridedOperand& strided : space.operands) move(strided.strides);
}

bool has_scattered_rows(const Space& space) {
    const std::size_t rank = space.rank();
    if (rank < 2 || space.extents[rank - 1] > kLongestExchangedRow ||
        space.extents[rank - 2] < kFewestExchangedRows ||
        std::ranges::count(space.operands[0].strides, 0) > 0)
        return false;
    const std::span<const StridedOperand> sources(space.operands.data() + 1,
                                                  space.operands.size() - 1);
    const auto repeats = [&](const StridedOperand& operand) {
        return operand.strides[rank - 1] == 0 || operand.strides[rank - 2] == 0;
    };
    // Transposing longer rows of a source that is not repeated costs more than reading such rows
    // beside a repeated source.
    if (space.extents[rank - 1] > kShortExchangedRow)
        return !sources.empty() && std::ranges::all_of(sources, repeats);
    return std::ranges::any_of(sources, [&](const StridedOperand& operand) {
        return repeats(operand) || operand.strides[rank - 1] != 1;
    });
}

Space make_space(std::span<const Dimensions* const> operands, Walk walk) {
    Space space;
    drop_axes_of_one(space, operands);
    if (walk == Walk::any_order) {
        order_axes(
            space.rank(),
            [&](std::size_t b, std::size_t a) { return belongs_outside(space, b, a); },
            [&](std::size_t a, std::size_t b) { swap_space_axes(space, a, b); });
        flip_negative_strides(space);
    }
    merge_axes(space);
    return space;
}

} // namespace purview::engine
