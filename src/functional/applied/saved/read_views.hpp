#pragma once

#include <purview/dimensions/dimensions.hpp>
#include <purview/reader/buffer.hpp>

#include "dimensions/layer.hpp"
#include "functional/applied/saved/node_builder.hpp"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace purview::inline v0_1::saved {

/// Shapes and views of what `GraphReader` reads.
template <typename In>
class ViewReader {
protected:
    explicit ViewReader(In& in) : in_(in) {}

    Shape read_shape() {
        Shape shape;
        for (in_.open(); in_.more();) shape.push_back(in_.integer());
        return shape;
    }
    Dimensions read_dims(index_t size) {
        std::vector<dimensions::Layer> layers;
        do {
            layers.push_back(read_layer());
        } while (in_.option("of"));
        return builder_.dims(std::move(layers), size);
    }
    dimensions::Layer read_layer() {
        dimensions::Layer layer;
        layer.extents = read_shape();
        const bool has_strides = in_.option("by");
        layer.strides = has_strides ? read_shape() : row_major_strides(layer.extents);
        if (layer.strides.size() != layer.extents.size())
            builder_.fail("a view has not one stride for each axis");
        if (in_.option("at")) layer.base = in_.integer();
        if (!in_.option("with")) return layer;
        for (const index_t extent : layer.extents) layer.maps.push_back(read_map(extent));
        return layer;
    }
    Shape row_major_strides(ShapeSpan extents) {
        if (extents.size() > static_cast<std::size_t>(kMaxRank))
            builder_.fail("a view has too many axes");
        builder_.size(extents);
        const Dimensions plain = Dimensions::row_major(extents);
        return to_shape(plain.strides());
    }
    AxisMap read_map(index_t extent) {
        AxisMap map;
        in_.open();
        if (!in_.more()) return map;
        if (in_.option("period")) {
            map.period = in_.integer();
            if (map.period < 1) builder_.fail("an axis has a period below 1");
            map.step = in_.integer();
            map.phase = in_.integer();
        }
        if (in_.option("list")) {
            std::vector<index_t> indexes;
            for (in_.open(); in_.more();) indexes.push_back(in_.integer());
            map.table = std::make_shared<const IndexList>(std::move(indexes));
            map.scale = in_.integer();
            map.offset = in_.integer();
        }
        if (in_.more()) builder_.fail("the map of an axis is malformed");
        builder_.check(map, extent);
        return map;
    }

    In& in_;
    NodeBuilder builder_;
};

} // namespace purview::saved
