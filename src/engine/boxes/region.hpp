#pragma once

#include <purview/reader/chunks.hpp>

#include "dimensions/followed_axes.hpp"

#include <span>
#include <vector>

namespace purview::inline v0_1::engine {

using dimensions::followed_axes;
using dimensions::FollowedAxes;
using dimensions::FollowedAxis;

/// A box of coordinates: [begin, end) along each axis.
struct Box {
    Shape begin;
    Shape end;

    Shape extents() const;
    index_t size() const noexcept;
    /// In coordinates that begin at `-origin`.
    Box after(ShapeSpan origin) const;
};

/// The bytes of so many elements, up to a petabyte.
index_t bytes_of_elements(index_t count, const Chunks& chunks) noexcept;

/// The coordinates along one axis of an array that a box of a view reads, for i < count.
struct AxisRegion {
    index_t first = 0;
    index_t step = 1; ///< 1 where the axis is mapped
    index_t count = 1;
    const FollowedAxis* mapped = nullptr; ///< a list or a rotation, from its coordinate `begin` on
    index_t begin = 0;

    index_t at(index_t i) const noexcept {
        return first + (mapped != nullptr ? mapped->at(begin + i) : step * i);
    }
};

/// The elements of an array that a box of a view reads, along each axis of the array.
class Region {
public:
    Region(const FollowedAxes& followed, const Box& box);

    std::span<const AxisRegion> axes() const noexcept { return {axes_.data(), axes_.size()}; }
    /// In elements, as far as they can be counted.
    index_t size() const noexcept;
    /// The bytes that it takes to put it together, with what lists take.
    index_t bytes_put_together(const Chunks& chunks) const;

    /// The box of the view over the elements of the region alone, row-major.
    Dimensions view() const;
    /// The box of the view over memory where the region's coordinate `first` along each axis of the
    /// array lies at address `base`, and the next coordinate `strides[k]` further. No axis is mapped.
    Dimensions view_in(ShapeSpan strides, index_t base) const;

private:
    const FollowedAxes& followed_;
    Shape extents_; ///< of the box
    Shape steps_;   ///< of its axes, along those of the array
    Shape starts_;  ///< along each axis of the array: where the box begins, from `first` on
    boost::container::small_vector<AxisRegion, 6> axes_;
};

/// Coordinates along one axis of a region that lie in one chunk: `count` of them, coordinates
/// `from + step·i` in the chunk, positions `to + i` in the region; or those of the lists.
struct AxisPart {
    index_t from = 0;
    index_t step = 1;
    index_t to = 0;
    index_t count = 0;
    std::vector<index_t> from_list{}; ///< empty: not lists
    std::vector<index_t> to_list{};
};
/// All that lie in one chunk: in several parts where a rotation comes to it again.
struct AxisPiece {
    index_t chunk = 0;
    std::vector<AxisPart> parts;
};

/// An axis of a region in pieces, by chunk: each chunk once, ascending.
std::vector<AxisPiece> pieces_of(const AxisRegion& axis, index_t chunk);
/// How many they are.
index_t count_pieces(const AxisRegion& axis, index_t chunk);

} // namespace purview::engine
