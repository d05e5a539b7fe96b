#pragma once

#include <purview/image/export.hpp>
#include <purview/tensor/tensor.hpp>

#include <cstdint>
#include <string>

namespace purview::inline v0_1 {

/// How large a picture may be, as files come from outside.
struct ImageLimits {
    index_t height = 1 << 16;
    index_t width = 1 << 16;
    index_t bytes = index_t{1} << 30; ///< of all elements in memory
};

/// Reads a PNG file as it is: uint8, or uint16 if it has 16 bits, of shape `[height, width]` if it is grey, else `[height, width, channels]`: 2 (grey
/// and opacity), 3 (red, green, blue) or 4 (and opacity). Palettes become colours, fewer than 8 bits become 8, a transparent colour becomes a
/// channel. In memory of its own. O(pixels).
///
/// Throws `FormatError` that names the path and says what is wrong: no file, no PNG file, broken or cut off anywhere, larger than the
/// limits. Memory is taken only for as much as a file of this size can hold.
PURVIEW_IMAGE_EXPORT AnyTensor load_image(const std::string& path, const ImageLimits& limits = {});

/// Reads a PNG file, whatever it has, as red, green and blue in 8 bits: uint8 `[height, width, 3]`.
/// Opacity is left out. O(pixels). Throws as `load_image` does.
PURVIEW_IMAGE_EXPORT MutableTensor<std::uint8_t> load_rgb(const std::string& path,
                                                          const ImageLimits& limits = {});
/// Reads a PNG file, whatever it has, as red, green, blue and opacity in 8 bits: uint8
/// `[height, width, 4]`. Opacity is 255 where the file has none. O(pixels). Throws as `load_image`
/// does.
PURVIEW_IMAGE_EXPORT MutableTensor<std::uint8_t> load_rgba(const std::string& path,
                                                           const ImageLimits& limits = {});

} // namespace purview
