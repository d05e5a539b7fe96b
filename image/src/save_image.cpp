#include "png_context.hpp"

#include "io/replacement_file.hpp"

#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/image/save_image.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>

#include <cstddef>
#include <cstdlib>
#include <span>

namespace purview::inline v0_1 {
namespace {

constexpr index_t kLongestSide = 0x7fffffff;

int colour_type(index_t channels) {
    switch (channels) {
    case 1: return SPNG_COLOR_TYPE_GRAYSCALE;
    case 2: return SPNG_COLOR_TYPE_GRAYSCALE_ALPHA;
    case 3: return SPNG_COLOR_TYPE_TRUECOLOR;
    default: return SPNG_COLOR_TYPE_TRUECOLOR_ALPHA;
    }
}

[[noreturn]] void refuse_levels(DType dtype) {
    const char* advice = ": cast<std::uint8_t>(x) for levels from 0 to 255";
    if (dtype.is_floating())
        advice = ": cast<std::uint8_t>(round(clamp(x, 0, 1) * 255)) for levels from 0 to 1, "
                 "cast<std::uint8_t>(x) for those from 0 to 255, and show(x, path) for any numbers";
    else if (dtype == boolean)
        advice = ": cast<std::uint8_t>(x) * 255";
    else if (!dtype.is_integer())
        advice = "";
    throw DtypeError(fmt::format("save_image: a picture has levels of uint8 or uint16, not {}{}",
                                 dtype.name(), advice));
}

void encode(const PngContext& png, std::span<const std::byte> pixels, file::ReplacementFile& file) {
    png.check(spng_set_option(png.get(), SPNG_ENCODE_TO_BUFFER, 1));
    png.check(spng_encode_image(png.get(), pixels.data(), pixels.size(), SPNG_FMT_PNG,
                                SPNG_ENCODE_FINALIZE));
    int error = SPNG_OK;
    std::size_t size = 0;
    const std::unique_ptr<void, void (*)(void*)> encoded(
        spng_get_png_buffer(png.get(), &size, &error), std::free);
    png.check(error);
    file.write({static_cast<const std::byte*>(encoded.get()), size});
    file.commit();
}

} // namespace

void save_png(const std::string& path, const AnyTensor& image) {
    const Shape shape = image.shape();
    const index_t channels = shape.size() == 3 ? shape[2] : 1;
    if ((shape.size() != 2 && shape.size() != 3) || channels < 1 || channels > 4 || shape[0] < 1 ||
        shape[1] < 1 || shape[0] > kLongestSide || shape[1] > kLongestSide)
        throw ShapeError(
            fmt::format("save_image: a picture has the shape [height width] or [height "
                        "width channels], with 1 to 4 channels, not {}",
                        to_string(shape)));
    if (image.dtype() != uint8 && image.dtype() != uint16) refuse_levels(image.dtype());
    require_not_sparse("save_image", image.operand());

    const PngContext png("save_image", path, SPNG_CTX_ENCODER);
    spng_ihdr header{};
    header.height = static_cast<std::uint32_t>(shape[0]);
    header.width = static_cast<std::uint32_t>(shape[1]);
    header.bit_depth = image.dtype() == uint8 ? 8 : 16;
    header.color_type = static_cast<std::uint8_t>(colour_type(channels));
    png.check(spng_set_ihdr(png.get(), &header));
    file::ReplacementFile file("save_image", path);
    if (image.dtype() == uint8) {
        const Tensor<std::uint8_t> pixels = contiguous(image.as<std::uint8_t>());
        encode(png, std::as_bytes(as_span(pixels)), file);
    } else {
        const Tensor<std::uint16_t> pixels = contiguous(image.as<std::uint16_t>());
        encode(png, std::as_bytes(as_span(pixels)), file);
    }
}

} // namespace purview
