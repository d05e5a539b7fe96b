#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

/// PNG files byte by byte, as the specification (ISO/IEC 15948) says, without a library.
namespace png_bytes {

inline std::string big_endian(std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
    return bytes;
}

inline std::uint32_t crc(const std::string& bytes) {
    std::uint32_t state = 0xffffffff;
    for (const char byte : bytes) {
        state ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) state = state >> 1 ^ (state & 1 ? 0xedb88320 : 0);
    }
    return ~state;
}

inline std::string chunk(const std::string& type, const std::string& data) {
    return big_endian(static_cast<std::uint32_t>(data.size())) + type + data +
           big_endian(crc(type + data));
}

/// A zlib stream of one block that is not compressed.
inline std::string stored(const std::string& data) {
    std::uint32_t a = 1;
    std::uint32_t b = 0;
    for (const char byte : data) {
        a = (a + static_cast<unsigned char>(byte)) % 65521;
        b = (b + a) % 65521;
    }
    const auto size = static_cast<std::uint16_t>(data.size());
    std::string bytes{'\x78', '\x01', '\x01'};
    for (const int value : {size & 0xff, size >> 8, ~size & 0xff, ~size >> 8 & 0xff})
        bytes += static_cast<char>(value);
    return bytes + data + big_endian(b << 16 | a);
}

struct Header {
    std::uint32_t width = 1;
    std::uint32_t height = 1;
    char depth = 8;
    char colour_type = 0;
};

/// Of rows that each begin with the byte of their filter; `between` are chunks before the pixels.
inline std::string file(const Header& header, const std::string& rows,
                        const std::string& between = {}) {
    return "\x89PNG\r\n\x1a\n" +
           chunk("IHDR", big_endian(header.width) + big_endian(header.height) + header.depth +
                             header.colour_type + std::string(3, '\0')) +
           between + chunk("IDAT", stored(rows)) + chunk("IEND", "");
}

} // namespace png_bytes
