#include "expression/derivatives/led_views.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/compose.hpp>
#include <purview/dimensions/flip.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/rotate.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/reduce.hpp>
#include <purview/expression/scatter.hpp>

#include "dimensions/layer.hpp"
#include "expression/derivatives/numbers.hpp"
#include "expression/derivatives/overlapping_windows.hpp"
#include "expression/derivatives/zeros_around.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace purview::inline v0_1::derivatives {
namespace {

index_t count_of(ShapeSpan shape) {
    return std::accumulate(shape.begin(), shape.end(), index_t{1}, std::multiplies<>());
}

/// One layer of a view behind leading axes: addresses are those of row l of `size` elements.
Dimensions led_layer(ShapeSpan leading, const LayerView& view, index_t size) {
    dimensions::Layer layer(view);
    index_t stride = size;
    for (std::size_t a = leading.size(); a-- > 0;) {
        layer.insert(0, leading[a], stride);
        stride *= leading[a];
    }
    return std::move(layer).finish(nullptr, "gradient");
}

/// A product that is seen through a view, as the product of what it is made of, each seen so: what
/// products of matrices, sparse ones too, are recognised by.
Operand with_view_below(const Operand& x) {
    const auto* const operation = node_as<Elementwise>(*x.node);
    if (operation == nullptr || operation->op() != Op::multiply || x.dims.is_identity()) return x;
    return elementwise<2>(
        Op::multiply, x.dtype(),
        {seen_through(x.dims, operation->operand(0)), seen_through(x.dims, operation->operand(1))});
}

/// The opposite of one layer of a view.
class LayerAdjoint {
public:
    LayerAdjoint(const Operand& g, std::size_t lead, const LayerView& layer, index_t size)
        : g_(g), lead_(lead), layer_(layer), size_(size), base_(layer.base) {}

    Operand run() {
        if (!is_plain()) return scattered();
        if (!is_nested()) {
            const std::optional<Correlation> other = correlation(g_, lead_, layer_);
            return other ? LayerAdjoint(other->g, lead_, other->view(), size_).run() : scattered();
        }
        sum();
        pad();
        return g_; // of the node's elements in another shape
    }

private:
    /// An axis of `g_` and how far its elements lie apart.
    struct Axis {
        std::size_t number;
        index_t extent;
        index_t stride;
    };
    /// An axis of the node's elements, split so that the view has an axis for each; which of its
    /// coordinates are read.
    struct Part {
        index_t extent;
        index_t begin;
        index_t count;
    };

    /// Whether each axis of the view is strided, or was one that was rotated or repeated, which is
    /// undone. Sets `axes_`, all strides of which are positive, and `summed_`.
    bool is_plain() {
        Shape shape;
        for (std::size_t a = 0; a < layer_.extents.size(); ++a) {
            index_t extent = layer_.extents[a];
            index_t stride = layer_.strides[a];
            const AxisMap map = layer_.maps.empty() ? AxisMap{} : layer_.maps[a];
            if (map.table != nullptr) return false;
            if (map.period != 0) {
                const bool ends = map.phase + extent <= map.period;
                if (map.step != 1 || (!ends && extent % map.period != 0)) return false;
                if (ends) {
                    base_ += map.phase * stride;
                } else {
                    rotations_.emplace_back(lead_ + shape.size() + 1, map.phase);
                    summed_.push_back(lead_ + shape.size());
                    shape.push_back(extent / map.period);
                    extent = map.period;
                }
            }
            if (stride == 0 || extent == 1) {
                if (extent != 1) summed_.push_back(lead_ + shape.size());
            } else {
                if (stride < 0) {
                    flipped_.push_back(static_cast<index_t>(lead_ + shape.size()));
                    base_ += (extent - 1) * stride;
                    stride = -stride;
                }
                axes_.push_back({lead_ + shape.size(), extent, stride});
            }
            shape.push_back(extent);
        }
        split_ = std::move(shape);
        return true;
    }

    /// Whether the axes, the widest first, are those of the node's elements in some shape, or ranges
    /// of them. Sets `parts_`.
    bool is_nested() {
        std::ranges::stable_sort(axes_, std::ranges::greater(), &Axis::stride);
        index_t above = size_;
        index_t rest = base_;
        for (const Axis& axis : axes_) {
            if (above % axis.stride != 0) return false;
            const Part part{above / axis.stride, rest / axis.stride, axis.extent};
            if (part.begin + part.count > part.extent) return false;
            parts_.push_back(part);
            rest %= axis.stride;
            above = axis.stride;
        }
        if (above > 1) parts_.push_back({above, rest, 1});
        return true;
    }

    /// Brings `g_` to the order of `parts_`, and adds up what the view repeats.
    void sum() {
        g_ = led_reshape(g_, lead_, split_);
        for (const auto& [axis, phase] : rotations_) {
            Shape amounts(static_cast<std::size_t>(g_.dims.rank()), 0);
            amounts[axis] = phase;
            g_.dims = dimensions::rotate(g_.dims, amounts);
        }
        g_.dims = dimensions::flip(g_.dims, flipped_);
        Shape kept;
        for (const Part& part : parts_) kept.push_back(part.count);
        Shape order(lead_);
        std::iota(order.begin(), order.end(), index_t{0});
        for (const Axis& axis : axes_) order.push_back(static_cast<index_t>(axis.number));
        index_t repeats = 1;
        for (const std::size_t axis : summed_) {
            order.push_back(static_cast<index_t>(axis));
            repeats *= g_.dims.max_shape()[axis];
        }
        for (std::size_t a = lead_; a < lead_ + split_.size(); ++a)
            if (std::ranges::find(order, static_cast<index_t>(a)) == order.end())
                order.push_back(static_cast<index_t>(a));
        g_.dims = dimensions::transpose(g_.dims, order);
        const Shape all = led_shape(g_, lead_, kept);
        if (repeats != 1)
            g_ = reduce_operand(Reduction::sum, with_view_below(g_), count_of(all), all);
        else
            g_.dims = dimensions::reshape(g_.dims, all);
    }

    /// Puts zeros around the ranges.
    void pad() {
        const Shape leading = led_shape(g_, lead_, {});
        Shape begin(lead_, 0);
        Shape whole = leading;
        for (const Part& part : parts_) {
            begin.push_back(part.begin);
            whole.push_back(part.extent);
        }
        g_ = zeros_around(g_, begin, whole);
    }

    Operand scattered() const {
        const Shape leading = led_shape(g_, lead_, {});
        const index_t rows = count_of(leading);
        dimensions::Layer once(layer_);
        const Operand values = added_up(once);
        GatherAxes axes;
        for (index_t a = 0; a < values.dims.rank(); ++a) axes.push_back(GatherAxis::along(a));
        Operand flat = scatter_operand(
            values, {},
            {std::move(axes),
             led_layer(
                 leading,
                 {once.extents, once.strides, once.base, {once.maps.data(), once.maps.size()}},
                 size_),
             rows * size_});
        Shape whole = leading;
        whole.push_back(size_);
        flat.dims = dimensions::reshape(flat.dims, whole);
        return flat;
    }

    /// What belongs to the elements of the layer, summed along axes that repeat them, which have one
    /// then.
    Operand added_up(dimensions::Layer& layer) const {
        Operand values = led_reshape(g_, lead_, layer.extents);
        Shape order;
        for (index_t a = 0; a < values.dims.rank(); ++a) order.push_back(a);
        const auto repeats = [&](index_t axis) {
            const auto a = static_cast<std::size_t>(axis) - lead_;
            return axis >= static_cast<index_t>(lead_) && layer.strides[a] == 0 &&
                   layer_.is_plain(static_cast<int>(a));
        };
        const auto repeated = std::ranges::stable_partition(order, std::not_fn(repeats));
        index_t count = 1;
        for (const index_t axis : repeated)
            count *= std::exchange(layer.extents[static_cast<std::size_t>(axis) - lead_], 1);
        if (count == 1) return values;
        values.dims = dimensions::transpose(values.dims, order);
        const Shape all = led_shape(values, lead_, layer.extents);
        return reduce_operand(Reduction::sum, with_view_below(values), count_of(all), all);
    }

    Operand g_;
    std::size_t lead_;
    LayerView layer_;
    index_t size_;
    index_t base_;
    Shape split_; ///< the shape of the layer, repeated axes split into repeats and one period
    std::vector<Axis> axes_;
    std::vector<std::size_t> summed_;
    std::vector<std::pair<std::size_t, index_t>> rotations_;
    Shape flipped_;
    std::vector<Part> parts_;
};

} // namespace

Shape led_shape(const Operand& x, std::size_t lead, ShapeSpan shape) {
    Shape all = to_shape(x.dims.max_shape().first(lead));
    all.insert(all.end(), shape.begin(), shape.end());
    return all;
}

Operand led_reshape(const Operand& x, std::size_t lead, ShapeSpan shape) {
    const Shape all = led_shape(x, lead, shape);
    if (std::ranges::equal(x.dims.max_shape(), all)) return x;
    return {x.node, dimensions::reshape(x.dims, all)};
}

Operand led_view(const Operand& x, std::size_t lead, const Dimensions& view, index_t size) {
    if (lead == 0) return seen_through(view, x);
    if (view.is_identity() && view.size() == size) return led_reshape(x, lead, view.max_shape());
    const Shape leading = led_shape(x, lead, {});
    Operand seen = x;
    index_t below = size;
    for (int i = view.layer_count(); i-- > 0;) {
        seen = seen_through(led_layer(leading, view.layer(i), below), seen);
        below = view.layer(i).size();
    }
    return seen;
}

Operand led_adjoint(const Operand& g, std::size_t lead, const Dimensions& view, ShapeSpan own) {
    const index_t size = count_of(own);
    if (view.size() == 0) return Numbers(g.dtype()).filled(0, led_shape(g, lead, own));
    if (view.is_identity() && view.size() == size) return led_reshape(g, lead, own);
    Operand result = g;
    for (int i = 0; i < view.layer_count(); ++i) {
        const bool last = i + 1 == view.layer_count();
        const index_t below = last ? size : view.layer(i + 1).size();
        result = LayerAdjoint(led_reshape(result, lead, view.layer(i).extents), lead, view.layer(i),
                              below)
                     .run();
    }
    return led_reshape(result, lead, own);
}

} // namespace purview::derivatives
