#pragma once

#include <purview/base/refused.hpp>
#include <purview/image/export.hpp>
#include <purview/tensor/stage.hpp>
#include <purview/tensor/tensor.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

namespace purview::inline v0_1 {

/// What `save_image` does. Throws `DtypeError` for other types.
PURVIEW_IMAGE_EXPORT void save_png(const std::string& path, const AnyTensor& image);

/// Tensors whose elements are the levels of a picture, or known at run time.
template <typename X>
concept ImageTensor =
    TensorLike<X> && !HasDims<X> &&
    (!TypedTensor<X> || std::same_as<typename std::remove_cvref_t<X>::value_type, std::uint8_t> ||
     std::same_as<typename std::remove_cvref_t<X>::value_type, std::uint16_t>);

/// Writes a PNG file: `save_image(path, image)`, or `image | save_image(path)`, of uint8 or uint16 `[height, width]` (grey) or `[height, width,
/// channels]`, with 1 (grey), 2 (grey and opacity), 3 (red, green, blue) or 4 (and opacity) channels. Lazy tensors are evaluated. The file takes the place of
/// another one in one step, as by `save_npy`. O(pixels). Throws `ShapeError` for other shapes and pictures without a pixel, `DtypeError`, and `FormatError`
/// naming the path where it cannot be written.
struct SaveImageFunction {
    template <typename X>
        requires(TensorLike<X> && !HasDims<X> && !ImageTensor<X>)
    PURVIEW_REFUSED(
        "a picture has levels of uint8 or uint16: cast<std::uint8_t>(x) them first, floats from 0 "
        "to 1 as clamp(x, 0, 1) * 255; show(x, path) takes any numbers",
        operator()(const std::string&, const X&) const);
    template <ImageTensor X>
    void operator()(const std::string& path, const X& image) const {
        save_png(path, image);
    }
    auto operator()(std::string path) const {
        return Stage(
            [path = std::move(path)]<ImageTensor X>(const X& image) { save_png(path, image); });
    }
};
inline constexpr SaveImageFunction save_image;

} // namespace purview
