#pragma once

#include <purview/functional/applied/colorize.hpp>
#include <purview/image/export.hpp>
#include <purview/tensor/any_tensor.hpp>

#include <string>

namespace purview::inline v0_1 {

/// Writes a picture of a tensor to a PNG file, to be looked at: `show(t, "out.png")`. Numbers `[height width]` get the colours of a gradient, by default
/// grey values, from the least finite one (black) to the greatest (white), or as `range` says; NaN is transparent, whatever `range.nan` is. uint8 `[height
/// width 3]` and `[height width 4]` are red, green, blue (and opacity), written as they are. O(pixels). Throws `ShapeError` for other shapes and pictures
/// without a pixel, `DtypeError` for elements that are no numbers (complex ones included), `FormatError` naming the path where it cannot be written.
PURVIEW_IMAGE_EXPORT void show(const AnyTensor& tensor, const std::string& path,
                               const Gradient& gradient = gradients::grey,
                               const ColorRange& range = {});

} // namespace purview
