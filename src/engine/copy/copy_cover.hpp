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
    /// Returns false, with no boxes, if an axis is too long for the list that its index maps would
    /// need.
    bool find(const CopyOperand<const std::byte>& from, const CopyOperand<std::byte>& to);

    CopyBoxes boxes;

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
    bool cover(index_t extent, const Side& from, const Side& to);
    void cut(index_t extent, const Side& from, const Side& to);
    void tile(index_t extent, const Side& from, const Side& to);
    CopySide piece(const Side& side, index_t g, index_t count);
    CopySide listed(const Side& side, index_t g, index_t count);

    std::vector<std::vector<index_t>> lists_; ///< that boxes point into, beside those of layers
};

} // namespace purview::engine
