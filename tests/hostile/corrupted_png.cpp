#include "hostile/check.hpp"
#include "hostile/corruption.hpp"

#include <purview/core.hpp>
#include <purview/image/load_image.hpp>
#include <purview/image/save_image.hpp>
#include <support/temporary.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace pv = purview;

namespace {

constexpr int kEach = 250;
constexpr std::size_t kSignature = 8;

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i)
        number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
    return number;
}

/// The checksum of PNG's chunks (ISO/IEC 15948, annex D).
std::uint32_t checksum(const std::string& bytes, std::size_t begin, std::size_t end) {
    std::uint32_t sum = 0xffffffff;
    for (std::size_t i = begin; i < end; ++i) {
        sum ^= static_cast<unsigned char>(bytes[i]);
        for (int bit = 0; bit < 8; ++bit) sum = (sum & 1) != 0 ? sum >> 1 ^ 0xedb88320 : sum >> 1;
    }
    return ~sum;
}

/// With the checksums that its chunks would have, so that what is behind them is reached.
std::string with_checksums(std::string bytes) {
    std::size_t at = kSignature;
    while (at + 12 <= bytes.size()) {
        const std::size_t length = number_at(bytes, at);
        if (length > bytes.size() - at - 12) break;
        const std::size_t end = at + 8 + length;
        const std::uint32_t sum = checksum(bytes, at + 4, end);
        for (std::size_t i = 0; i < 4; ++i) bytes[end + i] = static_cast<char>(sum >> 8 * (3 - i));
        at = end + 4;
    }
    return bytes;
}

/// The same in colours of a palette, one of them transparent.
std::string with_palette(const std::string& grey) {
    const auto chunk = [](const std::string& name, const std::string& data) {
        return std::string(3, '\0') + static_cast<char>(data.size()) + name + data + "....";
    };
    std::string palette;
    for (int i = 0; i < 60; ++i) palette += static_cast<char>(i * 3);
    std::string bytes = grey;
    bytes[25] = 3; // the type of colours, of the header
    bytes.insert(33, chunk("PLTE", palette) + chunk("tRNS", std::string(4, '\x7f')));
    return with_checksums(bytes);
}

void read_whole(const std::string& path) {
    const pv::ImageLimits limits{.height = 4096, .width = 4096, .bytes = 1 << 24};
    const pv::AnyTensor image = pv::load_image(path, limits);
    hostile::check(image.size_bytes() <= limits.bytes && image.extent(0) <= limits.height &&
                       image.extent(1) <= limits.width && image.size() > 0,
                   "pictures are no larger than the limits");
    const double sum = pv::sum(pv::cast<double>(image));
    hostile::check(sum >= 0, "every level can be read");
    const pv::MutableTensor<std::uint8_t> colours = pv::load_rgba(path, limits);
    hostile::check(colours.extent(0) == image.extent(0) && colours.extent(2) == 4,
                   "pictures are of one size");
}

} // namespace

/// Loads PNG files of which some bytes have been changed, with checksums that show it and with such that do not.
int main() {
    const temporary::Folder folder;
    const std::string path = folder / "x.png";
    const auto read = [&path](const std::string& bytes) {
        read_whole(temporary::write_file(path, bytes));
    };
    const auto feed = [&](const std::string& good) {
        hostile::feed(good, read, kEach);
        hostile::feed(good, kEach, read, with_checksums);
    };
    for (const pv::index_t channels : {1, 2, 3, 4}) {
        const auto levels =
            pv::compute_tensor({9, 13, channels}, [](pv::index_t i, pv::index_t j, pv::index_t k) {
                return (i * i * 31 + j * 17 + k * 7) % 20;
            });
        pv::save_image(path, pv::clone(levels | pv::cast<std::uint8_t>));
        const std::string bytes = temporary::content(path);
        feed(bytes);
        if (channels == 1) feed(with_palette(bytes));
        pv::save_image(path, pv::clone(levels * 3000 | pv::cast<std::uint16_t>));
        feed(temporary::content(path));
    }
    return 0;
}
