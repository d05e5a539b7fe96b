#pragma once

#include "dimensions/layer.hpp"

#include <purview/expression/node.hpp>

#include <cstddef>
#include <optional>

namespace purview::inline v0_1::derivatives {

/// What is to be brought back through a view, and the view.
struct Correlation {
    Operand g;
    dimensions::Layer layer;

    LayerView view() const {
        return {layer.extents, layer.strides, layer.base, {layer.maps.data(), layer.maps.size()}};
    }
};

/// For a view with windows that overlap, y + dy say, and `g` of its shape behind leading axes: the same
/// as a sum over the places in the window, of `g` with zeros around it,
///
///     by(Y) = Σ_dy g(Y - dy, dy)
///
/// as a view in which dy repeats and y is as long as all that the windows read. If `g` is a product, its
/// factors are seen so, each as large as it was: of a convolution, a correlation with the turned
/// kernel. Strides and gaps of windows are known. Nothing for other views, and where a factor without
/// dy would have to be written out for each dy.
std::optional<Correlation> correlation(const Operand& g, std::size_t lead, const LayerView& view);

} // namespace purview::derivatives
