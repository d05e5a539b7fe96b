// Whatever the bytes of a PNG file, loading it gives a picture within the limits or throws an `Error`, as it is and with its chunks'
// checksums put right; and what was loaded is saved and loaded again as it was.

#include "memory_file.hpp"

#include <purview/image/load_image.hpp>
#include <purview/image/save_image.hpp>
#include <purview/tensor/as_span.hpp>

#include <image/png_bytes.hpp>
#include <support/temporary.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace pv = purview;

namespace {

using fuzz::require;
using fuzz::tried;

constexpr pv::ImageLimits kLimits{.height = 512, .width = 512, .bytes = 1 << 20};

template <typename T>
bool same_pixels(const pv::AnyTensor& x, const pv::AnyTensor& y) {
    return std::ranges::equal(pv::as_span(x.as<T>()), pv::as_span(y.as<T>()));
}

void check(const std::string& path) {
    const auto image = tried([&] { return pv::load_image(path, kLimits); });
    const auto rgb = tried([&] { return pv::load_rgb(path, kLimits); });
    const auto rgba = tried([&] { return pv::load_rgba(path, kLimits); });
    for (const auto& [pixels, channels] : {std::pair(&rgb, 3), std::pair(&rgba, 4)})
        if (*pixels)
            require((*pixels)->shape()[2] == channels && (*pixels)->size() <= kLimits.bytes,
                    "colours are within the limits");
    if (!image) return;
    require(image->size_bytes() <= kLimits.bytes, "a picture is within the limits");
    if (rgb)
        require(rgb->shape()[0] == image->shape()[0] && rgb->shape()[1] == image->shape()[1],
                "colours have the shape of the picture");
    static const temporary::Folder folder;
    static const std::string saved = folder / "saved.png";
    pv::save_image(saved, *image);
    const pv::AnyTensor again = pv::load_image(saved);
    require(again.shape() == image->shape() && again.dtype() == image->dtype(),
            "a picture that is saved keeps its shape and type");
    require(again.dtype() == pv::uint8 ? same_pixels<std::uint8_t>(again, *image)
                                       : same_pixels<std::uint16_t>(again, *image),
            "a picture that is saved and loaded is the same");
}

/// The same file with the checksums that its chunks should have.
std::string with_checksums(std::string bytes) {
    constexpr std::size_t kFrame = 12; // length, type, checksum
    for (std::size_t at = 8; bytes.size() - std::min(at, bytes.size()) >= kFrame;) {
        std::size_t length = 0;
        for (std::size_t i = 0; i < 4; ++i)
            length = length << 8 | static_cast<unsigned char>(bytes[at + i]);
        if (length > bytes.size() - at - kFrame) break;
        const std::string sum =
            png_bytes::big_endian(png_bytes::crc(bytes.substr(at + 4, length + 4)));
        bytes.replace(at + 8 + length, 4, sum);
        at += kFrame + length;
    }
    return bytes;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fuzz::MemoryFile file("image_fuzz");
    file.assign(std::as_bytes(std::span(data, size)));
    check(file.path());
    const std::string right = with_checksums({reinterpret_cast<const char*>(data), size});
    file.assign(std::as_bytes(std::span(right)));
    check(file.path());
    return 0;
}
