// Defines codecs/bytes_codec.hpp.
#include "codecs/bytes_codec.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace purview::inline v0_1::zarr {
namespace {

/// Tables for eight bytes at a time: entry [k][b] is what byte `b` does k bytes further on.
constexpr auto kCrcTables = [] {
    std::array<std::array<std::uint32_t, 256>, 8> tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1U ? 0x82f63b78U : 0U);
        tables[0][byte] = crc;
    }
    for (std::size_t k = 1; k < 8; ++k)
        for (std::size_t byte = 0; byte < 256; ++byte)
            tables[k][byte] = tables[k - 1][byte] >> 8 ^ tables[0][tables[k - 1][byte] & 0xffU];
    return tables;
}();

std::uint32_t crc32c(std::span<const std::byte> bytes) noexcept {
    std::uint32_t crc = 0xffffffffU;
    const auto at = [&](std::size_t i) { return static_cast<std::uint32_t>(bytes[i]); };
    while (bytes.size() >= 8) {
        const std::uint32_t low = crc ^ (at(0) | at(1) << 8 | at(2) << 16 | at(3) << 24);
        crc = kCrcTables[7][low & 0xffU] ^ kCrcTables[6][low >> 8 & 0xffU] ^
              kCrcTables[5][low >> 16 & 0xffU] ^ kCrcTables[4][low >> 24] ^ kCrcTables[3][at(4)] ^
              kCrcTables[2][at(5)] ^ kCrcTables[1][at(6)] ^ kCrcTables[0][at(7)];
        bytes = bytes.subspan(8);
    }
    for (std::size_t i = 0; i < bytes.size(); ++i)
        crc = crc >> 8 ^ kCrcTables[0][(crc ^ at(i)) & 0xffU];
    return ~crc;
}

class Crc32c final : public BytesCodec {
public:
    std::string name() const override { return "crc32c"; }
    bool is_fixed() const noexcept override { return true; }
    index_t most_encoded(index_t decoded) const override { return decoded + 4; }
    index_t claimed(std::span<const std::byte> in, const std::string& where) const override {
        if (in.size() < 4) throw FormatError(fmt::format("{}: crc32c: is cut short", where));
        return std::ssize(in) - 4;
    }
    index_t decode(std::span<const std::byte> in, std::span<std::byte> out,
                   const std::string& where) const override {
        const index_t count = claimed(in, where);
        if (count > std::ssize(out)) return -1;
        const std::span<const std::byte> bytes = in.first(static_cast<std::size_t>(count));
        const std::uint32_t stored = little_32(in.data() + count);
        if (const std::uint32_t crc = crc32c(bytes); crc != stored)
            throw FormatError(fmt::format(
                "{}: crc32c: the checksum is {:08x}, and {:08x} is stored", where, crc, stored));
        std::copy(bytes.begin(), bytes.end(), out.begin());
        return count;
    }
    std::vector<std::byte> encode(std::span<const std::byte> in,
                                  const std::string&) const override {
        std::vector<std::byte> out(in.size() + 4);
        std::copy(in.begin(), in.end(), out.begin());
        put_little_32(out.data() + in.size(), crc32c(in));
        return out;
    }
};

} // namespace

std::shared_ptr<const BytesCodec> crc32c_codec() { return std::make_shared<Crc32c>(); }

} // namespace purview::zarr
