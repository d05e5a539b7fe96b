#pragma once

#include <purview/expression/gather.hpp>

#include "engine/pairs/keyed_places.hpp"

#include <boost/container/small_vector.hpp>

#include <cstddef>
#include <vector>

namespace purview::engine {

/// Whether elements change along an axis.
inline bool changes_along(const Dimensions& dims, std::size_t axis) noexcept {
    return dims.max_shape()[axis] > 1 && dims.strides()[axis] != 0;
}

/// A source without the axes along which it repeats its elements: these are of size 1 then.
Operand unrepeated(const Operand& source);

/// Axes of a gather's result that indexes change along together, and what they are looked up by: the coordinates of
/// the source there, as one number.
struct LinkedAxes {
    boost::container::small_vector<std::size_t, 4> axes;    ///< of the result, ascending
    boost::container::small_vector<std::size_t, 2> indexes; ///< their index operands
    index_t extent = 1;                                     ///< of the key
};

/// How the axes of a gather's source are read: at a key of some linked axes, along a free axis of the result, or, those of
/// size 1, at 0.
class GatherAxesPlan {
public:
    static constexpr std::size_t kNone = SIZE_MAX;

    /// What becomes of the coordinate of an axis of the source.
    struct Read {
        std::size_t group = kNone; ///< whose key it belongs to; none: it goes to the result
        index_t stride = 0;        ///< in the key, or in the result
        std::size_t twin = kNone;  ///< an axis in front that is read along the same one
    };

    GatherAxesPlan(const Gather& node, ShapeSpan source);

    const Gather& node() const noexcept { return node_; }
    const std::vector<LinkedAxes>& groups() const noexcept { return groups_; }
    /// One for each axis of the source.
    const std::vector<Read>& reads() const noexcept { return reads_; }
    /// Axes of the result that neither an index nor the source changes along.
    const std::vector<std::size_t>& repeated() const noexcept { return repeated_; }
    /// In the row-major order of the result.
    ShapeSpan strides() const noexcept { return strides_; }
    /// Elements that are next to each other in the result and in the order of the source.
    index_t ordered_run() const noexcept;

    /// The keys of a group that may be asked for, and where in the result they stand. Reads its indexes, each once.
    /// `views` are those that the node is seen through: an index out of range that one of them reads is an
    /// `IndexError`.
    KeyedPlaces keys_of(std::size_t group, const AddressRange& asked,
                        const std::vector<Dimensions>& views, const char* what) const;

private:
    void link_axes();
    void read_axes(ShapeSpan source);

    const Gather& node_;
    Shape source_;
    Shape strides_;
    std::vector<LinkedAxes> groups_;
    std::vector<std::size_t> group_of_axis_;  ///< of the result
    std::vector<std::size_t> group_of_index_; ///< of the operands
    std::vector<Read> reads_;
    std::vector<std::size_t> repeated_;
};

} // namespace purview::engine
