#include "codecs/bytes_codec.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/chunk_memory.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace purview::inline v0_1::zarr {
namespace {

[[noreturn]] void throw_too_long(const BytesCodec& codec, index_t most, const std::string& where) {
    throw FormatError(
        fmt::format("{}: {}: decodes to more than {} bytes", where, codec.name(), most));
}

/// Throws where the encoded bytes say that they are more than `most`; otherwise what they say.
index_t checked_claim(const BytesCodec& codec, std::span<const std::byte> encoded, index_t most,
                      const std::string& where) {
    const index_t claimed = codec.claimed(encoded, where);
    if (claimed > most)
        throw FormatError(fmt::format("{}: {}: {} bytes are claimed, and it has {} at most", where,
                                      codec.name(), claimed, most));
    return claimed;
}

/// The decoded bytes of one codec. Memory is taken as the bytes need it, where they do not say what they are.
std::vector<std::byte> decode_one(const BytesCodec& codec, std::span<const std::byte> encoded,
                                  index_t most, const std::string& where) {
    const index_t claimed = checked_claim(codec, encoded, most, where);
    index_t room = claimed >= 0
                       ? claimed
                       : std::min(most, std::max<index_t>(1 << 16, 4 * std::ssize(encoded)));
    while (true) {
        std::vector<std::byte> decoded(static_cast<std::size_t>(room));
        const index_t count = codec.decode(encoded, decoded, where);
        if (count >= 0) {
            decoded.resize(static_cast<std::size_t>(count));
            return decoded;
        }
        if (room == most || claimed >= 0) throw_too_long(codec, room, where);
        room = room > most / 4 ? most : 4 * room;
    }
}

/// What the codecs behind the first one leave for it.
std::vector<std::byte> decode_outer(const BytesCodecs& codecs, std::span<const std::byte> encoded,
                                    index_t most, const std::string& where) {
    std::vector<index_t> mosts{most};
    // Filters that follow each other may make many bytes of few.
    const index_t held = std::max(2 * most, most_on_the_way());
    for (std::size_t i = 0; i + 1 < codecs.size(); ++i)
        mosts.push_back(std::min(most_encoded({codecs[i]}, mosts.back()), held));
    std::vector<std::byte> bytes;
    for (std::size_t i = codecs.size(); i-- > 1;) {
        bytes = decode_one(*codecs[i], encoded, mosts[i], where);
        encoded = bytes;
    }
    return bytes;
}

} // namespace

index_t most_on_the_way() { return std::max(memory_limit(), index_t{1} << 20); }

index_t most_encoded(const BytesCodecs& codecs, index_t decoded) {
    // None makes more than 8 bytes of one.
    constexpr index_t kMost = std::numeric_limits<index_t>::max() / 16;
    for (const auto& codec : codecs)
        if (decoded <= kMost) decoded = codec->most_encoded(decoded);
    return decoded;
}

void decode_bytes(const BytesCodecs& codecs, std::span<const std::byte> encoded,
                  std::span<std::byte> out, const std::string& where) {
    index_t count = std::ssize(encoded);
    if (codecs.empty()) {
        if (count <= std::ssize(out)) std::copy(encoded.begin(), encoded.end(), out.begin());
    } else {
        const std::vector<std::byte> kept = decode_outer(codecs, encoded, std::ssize(out), where);
        if (codecs.size() > 1) encoded = kept;
        checked_claim(*codecs[0], encoded, std::ssize(out), where);
        count = codecs[0]->decode(encoded, out, where);
        if (count < 0) throw_too_long(*codecs[0], std::ssize(out), where);
    }
    if (count != std::ssize(out))
        throw FormatError(
            fmt::format("{}: decodes to {} bytes, and it has {}", where, count, out.size()));
}

std::vector<std::byte> decode_at_most(const BytesCodecs& codecs, std::span<const std::byte> encoded,
                                      index_t most, const std::string& where) {
    if (codecs.empty()) {
        if (std::ssize(encoded) > most)
            throw FormatError(
                fmt::format("{}: has {} bytes, more than {}", where, encoded.size(), most));
        return {encoded.begin(), encoded.end()};
    }
    const std::vector<std::byte> kept = decode_outer(codecs, encoded, most, where);
    if (codecs.size() > 1) encoded = kept;
    return decode_one(*codecs[0], encoded, most, where);
}

std::vector<std::byte> encode_bytes(const BytesCodecs& codecs, std::span<const std::byte> decoded,
                                    const std::string& where) {
    if (codecs.empty()) return {decoded.begin(), decoded.end()};
    std::vector<std::byte> bytes = codecs.front()->encode(decoded, where);
    for (std::size_t i = 1; i < codecs.size(); ++i) bytes = codecs[i]->encode(bytes, where);
    return bytes;
}

} // namespace purview::zarr
