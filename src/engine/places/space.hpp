#pragma once

#include <purview/dimensions/dimensions.hpp>

#include <span>

namespace purview::engine {

/// One strided operand of an iteration: its base, and a stride for every axis of the space.
struct StridedOperand {
    index_t base = 0;
    Shape strides;
};

/// The axes that several strided operands are walked over together: none of size 1, and none that
/// could be merged with the next. Rank 0 is one element.
struct Space {
    Shape extents;
    boost::container::small_vector<StridedOperand, 4> operands;

    index_t size() const noexcept {
        index_t size = 1;
        for (const index_t extent : extents) size *= extent;
        return size;
    }
    std::size_t rank() const noexcept { return extents.size(); }
    /// Whether an operand's elements lie one after the other in the order of the space.
    bool is_contiguous(std::size_t operand) const noexcept;
};

/// Whether elements are visited in row-major order, or in the order that suits the operands: axes by
/// falling strides of the first operand that tells them apart, none running backwards in the first.
enum class Walk : bool { in_order, any_order };

/// Brings operands of one shape, all strided, to their fewest axes.
Space make_space(std::span<const Dimensions* const> operands, Walk walk);

/// Rows of at most so many elements, so many of which lie one after the other, may be walked the other way round.
inline constexpr index_t kLongestTurned = 16;
inline constexpr index_t kFewestTurned = 256;

/// Whether many short rows follow each other that some operand behind the first, which no two elements share a place of, has
/// not side by side, but repeats along them, or from one to the next, or skips elements. Blocks that span rows would put
/// these together element by element; along the axis outside of the rows such an operand is a constant, or as it lies.
bool has_scattered_rows(const Space& space);

} // namespace purview::engine
