#pragma once

#include "expressions/region.hpp"

#include "dimensions/followed_axes.hpp"

#include <optional>

namespace purview::inline v0_1::mpi {

/// The elements that a rank has, as a view of the whole: row-major addresses of the global shape.
Dimensions part_view(const Distribution& d, int rank);
/// They, as a region.
DistributedRegion region_of_part(const Distribution& d, int rank);
/// All elements.
DistributedRegion whole_region(ShapeSpan shape);

/// The part of a view in a box of its coordinates.
Dimensions part_of(const Dimensions& view, const Box& box);
Shape extents_of(const Box& box);

/// Row-major addresses of the global shape to those of a rank's part: for the coordinates that it has.
Dimensions to_local(const Distribution& d, int rank);

/// What a view reads of an array whose addresses are row-major in `shape`: a region of it, which covers what is read.
class SeenPart {
public:
    /// A view that has elements.
    SeenPart(Dimensions view, ShapeSpan shape);

    const Dimensions& view() const noexcept { return view_; }
    const DistributedRegion& region() const noexcept { return region_; }
    /// The axis of the view that alone follows axis k of the array, and how; -1 for none, or several.
    int follower(std::size_t k) const noexcept { return followers_.empty() ? -1 : followers_[k]; }
    bool is_followed() const noexcept { return followed_.has_value(); }
    /// The view over the elements of `fetched` alone, row-major: the region, or one that covers it where
    /// both are intervals.
    Dimensions view_in(const DistributedRegion& fetched) const;

private:
    Dimensions view_;
    Shape shape_;
    DistributedRegion region_;
    std::optional<dimensions::FollowedAxes> followed_;
    std::vector<int> followers_;
};

/// Both as one region, if that is less than the two of them apart: equal ones, or intervals that overlap.
std::optional<DistributedRegion> joined(const DistributedRegion& a, const DistributedRegion& b);

} // namespace purview
