#pragma once

#include <purview/dimensions/dimensions.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace purview::inline v0_1::saved {

/// Writes shapes and views for `GraphWriter`.
template <typename Out>
class ViewWriter {
protected:
    explicit ViewWriter(Out& out) : out_(out) {}

    void write_extents(ShapeSpan shape) {
        out_.open(shape.size());
        for (const index_t extent : shape) out_.extent(extent);
        out_.close();
    }
    void write_list(ShapeSpan values) {
        out_.open(values.size());
        for (const index_t value : values) out_.integer(value);
        out_.close();
    }
    void write(const Dimensions& dims) {
        for (int i = 0; i < dims.layer_count(); ++i) {
            write_layer(dims.layer(i));
            out_.option("of", i + 1 < dims.layer_count());
        }
    }
    void write_layer(const LayerView& layer) {
        write_list(layer.extents);
        const Dimensions plain = Dimensions::row_major(layer.extents);
        if (out_.option("by", !std::ranges::equal(layer.strides, plain.strides())))
            write_list(layer.strides);
        if (out_.option("at", layer.base != 0)) out_.integer(layer.base);
        if (!out_.option("with", !layer.maps.empty())) return;
        for (const AxisMap& map : layer.maps) {
            out_.open(1);
            if (out_.option("period", map.period != 0)) {
                out_.integer(map.period);
                out_.integer(map.step);
                out_.integer(map.phase);
            }
            if (out_.option("list", map.table != nullptr)) {
                std::vector<index_t> indexes(static_cast<std::size_t>(map.table->size()));
                map.table->read(0, indexes);
                write_list(indexes);
                out_.integer(map.scale);
                out_.integer(map.offset);
            }
            out_.close();
        }
    }

    Out& out_;
};

} // namespace purview::saved
