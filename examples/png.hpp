#pragma once

/// PNG files by libspng. Knows nothing of Purview: it stands for any decoder that hands out memory.

#include <spng.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// Height × width × (red, green, blue), a byte each, in memory that the decoder has allocated.
struct DecodedPng {
    std::shared_ptr<std::uint8_t[]> pixels;
    std::uint32_t height = 0;
    std::uint32_t width = 0;

    std::span<std::uint8_t> bytes() const {
        return {pixels.get(), std::size_t{3} * height * width};
    }
};

class PngContext {
public:
    PngContext(std::filesystem::path path, int flags)
        : path_(std::move(path)), context_(spng_ctx_new(flags), spng_ctx_free) {
        if (context_ == nullptr) throw std::bad_alloc();
    }
    spng_ctx* get() const { return context_.get(); }
    void check(int result) const {
        if (result != SPNG_OK)
            fail(std::string("broken PNG file, or none: ") + spng_strerror(result));
    }
    [[noreturn]] void fail(const std::string& reason) const {
        throw std::runtime_error(path_.string() + ": " + reason);
    }

private:
    std::filesystem::path path_;
    std::unique_ptr<spng_ctx, void (*)(spng_ctx*)> context_;
};

/// Decodes a file of any PNG format. Throws `std::runtime_error` naming path and reason.
inline DecodedPng read_png(const std::filesystem::path& path) {
    const PngContext png(path, 0);
    if (!std::filesystem::exists(path)) png.fail("there is no such file");
    if (!std::filesystem::is_regular_file(path)) png.fail("this is not a file");
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> encoded(std::istreambuf_iterator<char>(file), {});
    if (!file || encoded.empty()) png.fail("cannot be read, or is empty");

    spng_ihdr header{};
    std::size_t size = 0;
    png.check(spng_set_image_limits(png.get(), 20'000, 20'000));
    png.check(spng_set_chunk_limits(png.get(), std::size_t{64} << 20, std::size_t{64} << 20));
    png.check(spng_set_png_buffer(png.get(), encoded.data(), encoded.size()));
    png.check(spng_get_ihdr(png.get(), &header));
    png.check(spng_decoded_image_size(png.get(), SPNG_FMT_RGB8, &size));

    const std::shared_ptr<std::uint8_t[]> pixels(static_cast<std::uint8_t*>(std::malloc(size)),
                                                 std::free);
    if (pixels == nullptr) throw std::bad_alloc();
    png.check(spng_decode_image(png.get(), pixels.get(), size, SPNG_FMT_RGB8, 0));
    png.check(
        spng_decode_chunks(png.get())); // the rest of the file, so that it is known to be whole
    return {pixels, header.height, header.width};
}

/// Writes 8-bit grey (1 channel) or RGB (3). Throws `std::runtime_error` naming path and reason.
inline void write_png(const std::filesystem::path& path, std::span<const std::uint8_t> pixels,
                      std::uint32_t height, std::uint32_t width, int channels) {
    const PngContext png(path, SPNG_CTX_ENCODER);
    spng_ihdr header{};
    header.height = height;
    header.width = width;
    header.bit_depth = 8;
    header.color_type = channels == 1 ? SPNG_COLOR_TYPE_GRAYSCALE : SPNG_COLOR_TYPE_TRUECOLOR;
    png.check(spng_set_ihdr(png.get(), &header));
    png.check(spng_set_option(png.get(), SPNG_ENCODE_TO_BUFFER, 1));
    png.check(spng_encode_image(png.get(), pixels.data(), pixels.size(), SPNG_FMT_PNG,
                                SPNG_ENCODE_FINALIZE));

    int error = SPNG_OK;
    std::size_t size = 0;
    const std::unique_ptr<void, void (*)(void*)> encoded(
        spng_get_png_buffer(png.get(), &size, &error), std::free);
    png.check(error);
    std::ofstream file(path, std::ios::binary);
    file.write(static_cast<const char*>(encoded.get()), static_cast<std::streamsize>(size));
    if (!file.flush()) png.fail("cannot be written");
}
