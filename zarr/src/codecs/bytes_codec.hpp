#pragma once

#include <purview/base/index.hpp>

#include <json/forwards.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace purview::inline v0_1::zarr {

/// Makes bytes of bytes, as one codec of a chunk does: a compressor, a filter, a checksum. Reads no
/// byte outside of what it is given, whatever that is. From several threads at a time.
class BytesCodec {
public:
    BytesCodec() = default;
    BytesCodec(const BytesCodec&) = delete;
    BytesCodec& operator=(const BytesCodec&) = delete;
    virtual ~BytesCodec() = default;

    virtual std::string name() const = 0;
    /// The most bytes that so many are encoded to.
    virtual index_t most_encoded(index_t decoded) const = 0;
    /// Whether they are always encoded to as many as that.
    virtual bool is_fixed() const noexcept { return false; }
    /// How many bytes the encoded ones say they decode to; -1 where they do not say.
    virtual index_t claimed(std::span<const std::byte>, const std::string&) const { return -1; }
    /// Writes the decoded bytes; how many, or -1 where they are more than `out` has room for. Throws
    /// `FormatError` beginning with `where`.
    virtual index_t decode(std::span<const std::byte> encoded, std::span<std::byte> out,
                           const std::string& where) const = 0;
    /// False: what it made can only be read.
    virtual bool can_encode() const noexcept { return true; }
    /// What the bytes are encoded to, by what the codec was made with. Throws `CastError` beginning
    /// with `where` for numbers that a filter cannot hold, `FormatError` for more bytes than it takes.
    virtual std::vector<std::byte> encode(std::span<const std::byte> decoded,
                                          const std::string& where) const = 0;
};
using BytesCodecs =
    std::vector<std::shared_ptr<const BytesCodec>>; ///< as they encode, one after the other

/// zstd, gzip, zlib, blosc, lz4 (as numcodecs writes it: the length, then one block) and crc32c, also as
/// `numcodecs.lz4`. How it encodes is what `configuration` says, as far as it does; `width`: bytes of
/// an element. Throws `FormatError` for other names.
std::shared_ptr<const BytesCodec> compressor(const std::string& name,
                                             const Json::Value& configuration, index_t width,
                                             const std::string& where);
/// The checksum of RFC 3720 behind the bytes.
std::shared_ptr<const BytesCodec> crc32c_codec();

/// Writes and reads four bytes, the lowest first.
inline void put_little_32(std::byte* bytes, std::uint32_t value) noexcept {
    for (int i = 0; i < 4; ++i) bytes[i] = static_cast<std::byte>(value >> 8 * i);
}
inline std::uint32_t little_32(const std::byte* bytes) noexcept {
    std::uint32_t value = 0;
    for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<std::uint32_t>(bytes[i]);
    return value;
}

/// The most bytes that a chunk may have on its way between two codecs, or as it is stored: as many as memory may hold.
index_t most_on_the_way();
/// The most bytes that `codecs` make of so many. Saturates.
index_t most_encoded(const BytesCodecs& codecs, index_t decoded);
/// Fills `out` with what `encoded` decodes to. Throws `FormatError` where that has another length.
void decode_bytes(const BytesCodecs& codecs, std::span<const std::byte> encoded,
                  std::span<std::byte> out, const std::string& where);
/// What `encoded` decodes to. Throws `FormatError` where that is more than `most` bytes.
std::vector<std::byte> decode_at_most(const BytesCodecs& codecs, std::span<const std::byte> encoded,
                                      index_t most, const std::string& where);
/// What `decoded` is encoded to by all of them.
std::vector<std::byte> encode_bytes(const BytesCodecs& codecs, std::span<const std::byte> decoded,
                                    const std::string& where);

} // namespace purview::zarr
