#pragma once

#include "distributions/axis_parts.hpp"

#include <purview/mpi/distribution.hpp>

#include <vector>

namespace purview::inline v0_1::mpi {

/// Where the elements of a box of a rank's part are in the whole: row-major indexes over some axes, in
/// the order in which these are given.
class PlacesInWhole {
public:
    /// Coordinates [begin, end) of what this rank has along the axes.
    PlacesInWhole(const Distribution& d, int rank, ShapeSpan axes, const Box& box);

    index_t operator()(index_t place_in_box) const;

private:
    struct Axis {
        const AxisParts* parts;
        index_t place; ///< of the rank
        index_t begin;
        index_t count;
    };
    Distribution distribution_; ///< has the parts
    std::vector<Axis> axes_;
};

} // namespace purview
