#include "png_context.hpp"

#include <purview/base/checked.hpp>
#include <purview/image/load_image.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/create.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// Deflate makes at most so many bytes of one.
constexpr index_t kMostOfAByte = 1032;

/// The last chunk of every file, with its checksum.
constexpr char kEnd[] = {'I', 'E', 'N', 'D', '\xae', '\x42', '\x60', '\x82'};

std::vector<char> read_file(const PngContext& png, const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
        png.fail(error ? error.message() : "this is no file");
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) png.fail(errno != 0 ? std::strerror(errno) : "it cannot be opened");
    std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
    if (file.bad()) png.fail("it cannot be read");
    if (bytes.empty()) png.fail("it is empty");
    return bytes;
}

/// In which form libspng decodes.
struct PixelForm {
    int format = SPNG_FMT_PNG;
    index_t channels = 1;
    bool wide = false;
    int flags = 0;
};

/// The form that keeps what the file has.
PixelForm own_form(const spng_ihdr& header, bool has_transparent_colour) {
    const bool wide = header.bit_depth == 16;
    const int transparent = has_transparent_colour ? SPNG_DECODE_TRNS : 0;
    switch (header.color_type) {
    case SPNG_COLOR_TYPE_GRAYSCALE:
        if (has_transparent_colour)
            return {wide ? SPNG_FMT_GA16 : SPNG_FMT_GA8, 2, wide, transparent};
        return {wide ? SPNG_FMT_PNG : SPNG_FMT_G8, 1, wide, 0};
    case SPNG_COLOR_TYPE_GRAYSCALE_ALPHA: return {SPNG_FMT_PNG, 2, wide, 0};
    case SPNG_COLOR_TYPE_TRUECOLOR:
        if (has_transparent_colour)
            return {wide ? SPNG_FMT_RGBA16 : SPNG_FMT_RGBA8, 4, wide, transparent};
        return {SPNG_FMT_PNG, 3, wide, 0};
    case SPNG_COLOR_TYPE_INDEXED:
        return has_transparent_colour ? PixelForm{SPNG_FMT_RGBA8, 4, false, transparent}
                                      : PixelForm{SPNG_FMT_RGB8, 3, false, 0};
    default: return {SPNG_FMT_PNG, 4, wide, 0};
    }
}

class PngFile {
public:
    PngFile(const char* what, const std::string& path, const ImageLimits& limits)
        : png_(what, path, 0), bytes_(read_file(png_, path)), limits_(limits) {
        const auto side = [](index_t limit) {
            return static_cast<std::uint32_t>(std::clamp<index_t>(limit, 1, 0x7fffffff));
        };
        png_.check(spng_set_image_limits(png_.get(), side(limits.width), side(limits.height)));
        // What is no pixel (texts, profiles) may take as much as the file, unpacked.
        constexpr std::size_t kChunks = std::size_t{1} << 26;
        png_.check(spng_set_chunk_limits(png_.get(), kChunks, kChunks));
        png_.check(spng_set_png_buffer(png_.get(), bytes_.data(), bytes_.size()));
        png_.check(spng_get_ihdr(png_.get(), &header_));
    }

    PixelForm form() const {
        spng_trns colour{};
        const int found = spng_get_trns(png_.get(), &colour);
        if (found != SPNG_OK && found != SPNG_ECHUNKAVAIL) png_.check(found);
        return own_form(header_, found == SPNG_OK);
    }

    template <typename T>
    MutableTensor<T> pixels(const PixelForm& form) const {
        const index_t height = header_.height;
        const index_t width = header_.width;
        Shape shape{height, width};
        if (form.channels > 1) shape.push_back(form.channels);
        const index_t size =
            checked_multiply(checked_size(shape, "load_image"), index_t{sizeof(T)}, "load_image");
        if (size > limits_.bytes)
            png_.fail(fmt::format("{} x {} pixels take {} bytes, more than the limit of {}", width,
                                  height, size, limits_.bytes));
        // Of one bit for each pixel, at least.
        if (height * width / 8 / kMostOfAByte > std::ssize(bytes_))
            png_.fail(
                fmt::format("{} bytes cannot hold {} x {} pixels", bytes_.size(), width, height));
        std::size_t decoded = 0;
        png_.check(spng_decoded_image_size(png_.get(), form.format, &decoded));
        if (decoded != static_cast<std::size_t>(size))
            png_.fail(fmt::format("{} bytes of pixels where {} were expected", decoded, size));
        MutableTensor<T> result = empty<T>(shape);
        png_.check(spng_decode_image(png_.get(), as_span(result).data(), decoded, form.format,
                                     form.flags));
        // The rest of the file, so that it is known to be whole. libspng does not look at the checksum of the end.
        png_.check(spng_decode_chunks(png_.get()));
        if (std::ranges::search(bytes_, kEnd).empty()) png_.fail("it is cut off");
        return result;
    }

private:
    PngContext png_;
    std::vector<char> bytes_;
    ImageLimits limits_;
    spng_ihdr header_{};
};

} // namespace

AnyTensor load_image(const std::string& path, const ImageLimits& limits) {
    const PngFile file("load_image", path, limits);
    const PixelForm form = file.form();
    return form.wide ? AnyTensor(file.pixels<std::uint16_t>(form))
                     : AnyTensor(file.pixels<std::uint8_t>(form));
}

MutableTensor<std::uint8_t> load_rgb(const std::string& path, const ImageLimits& limits) {
    return PngFile("load_rgb", path, limits).pixels<std::uint8_t>({SPNG_FMT_RGB8, 3, false, 0});
}

MutableTensor<std::uint8_t> load_rgba(const std::string& path, const ImageLimits& limits) {
    return PngFile("load_rgba", path, limits)
        .pixels<std::uint8_t>({SPNG_FMT_RGBA8, 4, false, SPNG_DECODE_TRNS});
}

} // namespace purview
