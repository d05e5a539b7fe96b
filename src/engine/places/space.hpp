#pragma once

#include <purview/dimensions/dimensions.hpp>

#include <boost/container/small_vector.hpp>

#include <span>

namespace purview::inline v0_1::engine {

/// One strided operand of an iteration: its base, and a stride for every axis of the space.
struct StridedOperand {
    index_t base = 0;
    Shape strides;
};

/// The axes over which several strided operands are walked together. No axis is of size 1, and none
/// can be merged with the next one. Rank 0 means one element.
struct Space {
    Shape extents;
    boost::container::small_vector<StridedOperand, 4> operands;

    std::size_t rank() const noexcept { return extents.size(); }
    /// Whether the elements of an operand are contiguous, in row-major order of the space.
    bool is_contiguous(std::size_t operand) const noexcept;
};

/// Whether elements are visited in row-major order, or in the order that suits the operands: axes
/// by falling strides of the first operand that tells them apart, no stride of the first operand
/// negative.
enum class Walk : bool { in_order, any_order };

/// The space with the fewest axes for operands of one shape, all strided.
Space make_space(std::span<const Dimensions* const> operands, Walk walk);

/// Moves an axis; those between move by one.
void move_axis(Space& space, std::size_t from, std::size_t to);

/// Rows of at most kLongestExchangedRow elements, at least kFewestExchangedRows of which follow
/// each other, may be exchanged with the axis outside of them, which is then walked as the row
/// (`has_scattered_rows`).
inline constexpr index_t kLongestExchangedRow = 16;
inline constexpr index_t kFewestExchangedRows = 256;

/// Whether the two innermost axes of the space should be exchanged. The first operand is the
/// destination, and has no stride of 0. There are many short rows, along which some source (a later
/// operand) is not contiguous, but repeated along the rows, repeated from one row to the next, or
/// strided. Blocks that span rows would collect such a source element by element; along the axis
/// outside of the rows it is a constant, or read where it lies.
bool has_scattered_rows(const Space& space);

} // namespace purview::engine
