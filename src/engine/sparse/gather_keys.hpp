#pragma once

#include <purview/expression/gather.hpp>

#include "engine/pairs/keyed_places.hpp"

#include <boost/container/small_vector.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace purview::inline v0_1::engine {

/// Whether elements change along an axis.
inline bool changes_along(const Dimensions& dims, std::size_t axis) noexcept {
    return dims.max_shape()[axis] > 1 && dims.strides()[axis] != 0;
}

/// A source in which axes along which it repeats its elements are cut to size 1.
Operand unrepeated(const Operand& source);

/// Axes of a gather's result along which the same indexes vary. The coordinates of the source that
/// these axes and indexes decide make up one number, the key, by which entries are looked up.
struct LinkedAxes {
    boost::container::small_vector<std::size_t, 4> axes;    ///< of the result, ascending
    boost::container::small_vector<std::size_t, 2> indexes; ///< their index operands
    index_t extent = 1;                                     ///< of the key
};

/// How each axis of a gather's source is read: as a part of the key of a group of linked axes,
/// along a free axis of the result, or, if it has size 1, at 0.
class GatherAxesPlan {
public:
    static constexpr std::size_t kNone = SIZE_MAX;

    /// Where the coordinate along an axis of the source goes.
    struct Read {
        std::size_t group = kNone; ///< the group whose key it is part of; kNone: into the index in
                                   ///< the result
        index_t stride = 0;        ///< its stride in the key, or in the result
        std::size_t twin = kNone;  ///< an axis in front that is read along the same axis of the
                                   ///< result
    };

    GatherAxesPlan(const Gather& node, ShapeSpan source);

    const Gather& node() const noexcept { return node_; }
    const std::vector<LinkedAxes>& groups() const noexcept { return groups_; }
    /// One for each axis of the source.
    const std::vector<Read>& reads() const noexcept { return reads_; }
    /// Axes of the result along which neither an index nor the source varies.
    const std::vector<std::size_t>& repeated() const noexcept { return repeated_; }
    /// The row-major strides of the result.
    ShapeSpan strides() const noexcept { return strides_; }
    /// The length of blocks of the result's row-major order within which entries come in the order
    /// of the source.
    index_t ordered_run() const noexcept;

    /// The gather as a view of its source, which it is where each index varies along the axis alone
    /// that it reads: a list of rows or columns, in another word. Evaluates the indexes. Nothing
    /// for other gathers, and where an index is out of range.
    std::optional<Dimensions> as_view() const;

    /// The keys of a group that can contribute to addresses in `asked`, and their places: offsets
    /// in the result. Evaluates each index of the group once. Throws `IndexError` for an index out
    /// of range that one of `views`, through which the node is read, reads; `KindError` naming
    /// `what` beyond 2³⁰ keys.
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
