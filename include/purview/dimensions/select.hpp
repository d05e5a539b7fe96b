#pragma once

#include <purview/dimensions/dimensions.hpp>
#include <purview/dimensions/index.hpp>

#include <span>

namespace purview::inline v0_1::dimensions {

/// Selects along axes, one argument for each: an integer drops the axis, a range strides it, a list
/// picks from it (several lists orthogonally), `all` keeps it, `new_axis` inserts one of size 1,
/// `ellipsis` stands for as many `all` as fit. Missing trailing axes are kept. Reads no element;
/// O(rank), and O(list) for each list, whose entries are checked to lie in [-n, n).
///
/// Never adds a layer: integers and ranges fold into every kind of axis, and the entries of a list
/// are mapped through the axis's index map. Throws `IndexError` for an index out of range, too many
/// arguments, or two ellipses.
PURVIEW_EXPORT Dimensions select(const Dimensions& dims, std::span<const IndexArgument> arguments);

/// Selects one index along one axis, which is dropped: [n, m] → [m] for axis 0. The index and the
/// axis may count from the end.
PURVIEW_EXPORT Dimensions select(const Dimensions& dims, index_t axis, index_t index);

/// Selects a range along one axis, which stays.
PURVIEW_EXPORT Dimensions select(const Dimensions& dims, index_t axis, const Range& range);

/// Selects a list of indexes along one axis, which takes the length of the list.
PURVIEW_EXPORT Dimensions select(const Dimensions& dims, index_t axis,
                                 const IndexSequencePtr& indexes);

} // namespace purview::dimensions
