#pragma once

#include <purview/dimensions/dimensions.hpp>

#include <boost/container/small_vector.hpp>

#include <optional>

namespace purview::inline v0_1::dimensions {

/// How an axis of a view moves through an array.
struct FollowedAxis {
    static constexpr int kNone = -1;

    int axis = kNone; ///< of the array; kNone: it stays in place
    index_t step = 0; ///< along that axis, for each step of the mapped coordinate
    AxisMap map;      ///< of the coordinate, before the step
    bool is_plain() const noexcept { return map.is_plain(); }
    /// Evenly spaced up to where it wraps round: of `roll`, `wrap` and the like.
    bool is_rotated() const noexcept { return map.period > 0 && map.table == nullptr; }
    /// Where along the axis of the array coordinate `g` is, from the beginning of the view on.
    index_t at(index_t g) const noexcept { return step * map(g); }
};

/// A view of an array whose addresses are row-major, each of whose axes runs along one axis of the
/// array, or stays in place: coordinate `begin[k] + Σ axes[r].at(g_r)` along axis k of the array, over
/// the axes r that follow it.
struct FollowedAxes {
    Shape begin;
    boost::container::small_vector<FollowedAxis, 6> axes;
};

/// `view` in this form, and null if it has none: it has several layers, an axis that runs along
/// several of the array's (a diagonal, axes merged by a reshape), a list or rotation along an axis that
/// another one follows too, or very many entries or turns. O(rank²), or O(list) for lists that are
/// used in part.
PURVIEW_EXPORT std::optional<FollowedAxes> followed_axes(const Dimensions& view, ShapeSpan array);

} // namespace purview::dimensions
