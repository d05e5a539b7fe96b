#pragma once

#include <purview/base/axis_values.hpp>
#include <purview/mpi/communicator.hpp>

#include <memory>
#include <string>
#include <vector>

namespace purview::inline v0_1::mpi {

/// The ranks of a communicator as a box, in row-major order: rank 5 of a grid of [2 3] is at [1 2]. A
/// small value.
class PURVIEW_MPI_EXPORT Grid {
public:
    /// All ranks along one axis.
    explicit Grid(Communicator communicator);
    /// `extents` ranks along each axis, -1: what is left; several of them get as equal a share as can
    /// be. Throws `DistributionError` where the ranks cannot be put so.
    Grid(Communicator communicator, AxisValues extents);

    const Communicator& communicator() const noexcept { return communicator_; }
    ShapeSpan extents() const noexcept { return extents_; }
    /// Where a rank is.
    Shape place_of(int rank) const;

    friend bool operator==(const Grid& a, const Grid& b) noexcept {
        return a.communicator_ == b.communicator_ && to_shape(a.extents_) == to_shape(b.extents_);
    }

private:
    Communicator communicator_;
    Shape extents_;
};

/// The coordinates [begin, end) along each axis.
struct Box {
    Shape begin;
    Shape end;
    friend bool operator==(const Box&, const Box&) = default;
    /// "[5, 10) x [0, 4)".
    friend PURVIEW_MPI_EXPORT std::ostream& operator<<(std::ostream& out, const Box& box);
};

/// Which rank has which elements of a tensor: axis a of the tensor is divided along axis a of a grid, axes
/// beyond those of the grid are not. An immutable value, a handle.
class PURVIEW_MPI_EXPORT Distribution {
public:
    ShapeSpan shape() const noexcept;
    const Grid& grid() const noexcept;
    const Communicator& communicator() const noexcept { return grid().communicator(); }
    /// Whether each rank has a box.
    bool is_blocks() const noexcept;

    /// What a rank has. Throws `DistributionError` where a cyclic distribution gives it no box, and
    /// `IndexError` for a rank that there is not.
    Box box(int rank) const;
    Box box() const { return box(communicator().rank()); }
    /// The coordinates along an axis that a rank has, ascending. O(how many they are).
    std::vector<index_t> coordinates(int rank, index_t axis) const;
    /// The shape of a rank's part.
    Shape local_shape(int rank) const;
    Shape local_shape() const { return local_shape(communicator().rank()); }

    /// The same shape, on equal grids of one communicator, divided at the same places.
    friend PURVIEW_MPI_EXPORT bool operator==(const Distribution& a,
                                              const Distribution& b) noexcept;
    /// "[10 4] on a grid of [2]: 2 blocks of 5 x 4".
    friend PURVIEW_MPI_EXPORT std::string to_string(const Distribution& d);
    friend PURVIEW_MPI_EXPORT std::ostream& operator<<(std::ostream& out, const Distribution& d);

    // For the library.
    struct State;
    explicit Distribution(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}
    const State& state() const noexcept { return *state_; }

private:
    std::shared_ptr<const State> state_;
};

/// Contiguous blocks whose lengths along an axis differ by one at most, longer ones first. Blocks are
/// empty where there are fewer elements than ranks. Throws `DistributionError` for a grid of more axes
/// than the shape, `ShapeError` for a negative extent.
PURVIEW_MPI_EXPORT Distribution blocks(AxisValues shape, const Grid& grid);
/// Blocks of the sizes that are given for each axis of the grid. Throws `DistributionError` where they
/// do not add up to the extent, or are not as many as ranks.
PURVIEW_MPI_EXPORT Distribution blocks(AxisValues shape, const Grid& grid,
                                       const std::vector<std::vector<index_t>>& sizes);
/// Blocks whose ends are multiples of `chunk` along the axes of the grid, or ends of the shape: as many whole chunks for each rank
/// as can be, so that no chunk of a stored array is read by two. Throws `ShapeError` for chunks of another rank, or not from 1 on.
PURVIEW_MPI_EXPORT Distribution blocks_of_chunks(AxisValues shape, const Grid& grid,
                                                 AxisValues chunk);
/// Blocks of `block_sizes` elements dealt out in turn along each axis of the grid, as ScaLAPACK's: of
/// axis a, coordinate c belongs to place (c / block) mod ranks. A rank's part are its elements, in order.
PURVIEW_MPI_EXPORT Distribution cyclic(AxisValues shape, const Grid& grid, AxisValues block_sizes);

} // namespace purview
