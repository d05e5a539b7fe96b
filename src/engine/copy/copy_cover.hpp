#pragma once

#include "dimensions/layer.hpp"
#include "engine/copy/copy_box.hpp"

#include <limits>
#include <vector>

namespace purview::inline v0_1::engine {

/// One operand of a copy: memory, and the layer of a `Dimensions` through which it is seen.
template <typename Byte>
struct CopyOperand {
    Byte* data;
    index_t stride_bytes; ///< from one address to the next
    LayerView layer;
};

/// Boxes that make up a copy between layers of the same extents, not finished.
class CopyCover {
public:
    CopyCover(const CopyOperand<const std::byte>& from, const CopyOperand<std::byte>& to);

    /// False if an axis is too long for the list that its index maps would need; the boxes are not
    /// to be used then.
    bool exists() const noexcept { return exists_; }
    CopyBoxes& boxes() noexcept { return boxes_; }
    /// The lists made for the boxes, which point into these and into those of the layers.
    std::vector<std::vector<index_t>>& lists() noexcept { return lists_; }

private:
    /// One operand's side of an axis.
    struct Side {
        index_t stride;
        const AxisMap* map; // null: plain
        bool is_periodic() const noexcept { return map != nullptr && map->period != 0; }
        index_t wraps(index_t extent) const noexcept;
        index_t before_wrap(index_t g) const noexcept {
            return map == nullptr ? std::numeric_limits<index_t>::max()
                                  : dimensions::before_wrap(*map, g);
        }
    };

    void append(const CopyAxis& axis);
    void cover(index_t extent, const Side& from, const Side& to);
    void cut(index_t extent, const Side& from, const Side& to);
    void tile(index_t extent, const Side& from, const Side& to);
    CopySide piece(const Side& side, index_t g, index_t count);
    CopySide listed(const Side& side, index_t g, index_t count);

    CopyBoxes boxes_;
    std::vector<std::vector<index_t>> lists_;
    bool exists_ = true;
};

} // namespace purview::engine
