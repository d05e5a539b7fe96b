// Defines codecs/bytes_codec.hpp.
#include "codecs/bytes_codec.hpp"

#include "io/chunk_decoders.hpp"
#include "io/npy_descr.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <json/value.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include <blosc.h>
#include <libdeflate.h>
#include <lz4.h>
#include <zstd.h>

namespace purview::inline v0_1::zarr {
namespace {

[[noreturn]] void throw_damaged(const char* codec, const std::string& reason,
                                const std::string& where) {
    throw FormatError(fmt::format("{}: {}: {}", where, codec, reason));
}

/// What a codec is told to compress by, within what it knows: it changes how many bytes there are, not
/// what they decode to, so that nothing is refused.
int number_in(const Json::Value& configuration, const char* name, int otherwise, int least,
              int most) {
    const Json::Value& value = configuration[name];
    if (!value.isInt() || value.asInt() < least || value.asInt() > most) return otherwise;
    return value.asInt();
}

void require_at_most(const char* codec, std::span<const std::byte> bytes, index_t most,
                     const std::string& where) {
    if (std::ssize(bytes) > most)
        throw FormatError(fmt::format("{}: {}: encodes {} bytes at most, and a chunk has {}", where,
                                      codec, most, bytes.size()));
}

/// `bytes`, of which a codec has filled the first `count`.
std::vector<std::byte> cut(std::vector<std::byte> bytes, std::size_t count) {
    bytes.resize(count);
    return bytes;
}

/// What compressors add at most to what cannot be compressed.
class Compressor : public BytesCodec {
public:
    index_t most_encoded(index_t decoded) const override { return decoded + decoded / 16 + 65536; }
};

class Zstd final : public Compressor {
public:
    explicit Zstd(const Json::Value& configuration)
        : level_(number_in(configuration, "level", 3, ::ZSTD_minCLevel(), ::ZSTD_maxCLevel())),
          has_checksum_(configuration["checksum"] == Json::Value(true)) {}
    std::string name() const override { return "zstd"; }
    index_t claimed(std::span<const std::byte> in, const std::string&) const override {
        const unsigned long long size = ::ZSTD_getFrameContentSize(in.data(), in.size());
        if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR) return -1;
        // More frames may follow; that they fit is known when they are decoded.
        if (::ZSTD_findFrameCompressedSize(in.data(), in.size()) != in.size() &&
            size <= static_cast<unsigned long long>(std::numeric_limits<index_t>::max()))
            return -1;
        return static_cast<index_t>(std::min<unsigned long long>(
            size, static_cast<unsigned long long>(std::numeric_limits<index_t>::max())));
    }
    index_t decode(std::span<const std::byte> in, std::span<std::byte> out,
                   const std::string& where) const override {
        const char* damage = nullptr;
        const index_t count = chunks::decode_zstd(in, out, damage);
        if (count == chunks::kDamaged) throw_damaged("zstd", damage, where);
        return count;
    }
    std::vector<std::byte> encode(std::span<const std::byte> in,
                                  const std::string& where) const override {
        ZSTD_CCtx* const context = chunks::of_this_thread<::ZSTD_createCCtx, ::ZSTD_freeCCtx>();
        ::ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level_);
        ::ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, has_checksum_ ? 1 : 0);
        std::vector<std::byte> out(::ZSTD_compressBound(in.size()));
        const std::size_t count =
            ::ZSTD_compress2(context, out.data(), out.size(), in.data(), in.size());
        if (::ZSTD_isError(count)) throw_damaged("zstd", ::ZSTD_getErrorName(count), where);
        return cut(std::move(out), count);
    }

private:
    int level_;
    bool has_checksum_;
};

/// gzip, whose members follow each other, and zlib.
class Deflate final : public Compressor {
public:
    Deflate(bool is_gzip, const Json::Value& configuration)
        : is_gzip_(is_gzip), level_(number_in(configuration, "level", 6, 0, 9)) {}
    std::string name() const override { return is_gzip_ ? "gzip" : "zlib"; }
    index_t decode(std::span<const std::byte> in, std::span<std::byte> out,
                   const std::string& where) const override {
        index_t written = 0;
        do {
            std::size_t used = 0;
            const index_t count = chunks::decode_deflated(
                is_gzip_, in, out.subspan(static_cast<std::size_t>(written)), used);
            if (count == chunks::kDamaged)
                throw_damaged(is_gzip_ ? "gzip" : "zlib", "is damaged or cut short", where);
            if (count < 0) return count;
            written += count;
            in = in.subspan(used);
        } while (is_gzip_ && !in.empty());
        if (!in.empty())
            throw_damaged("zlib", fmt::format("{} bytes follow its end", in.size()), where);
        return written;
    }
    std::vector<std::byte> encode(std::span<const std::byte> in,
                                  const std::string&) const override {
        using Held = std::unique_ptr<libdeflate_compressor,
                                     chunks::ReleasedBy<::libdeflate_free_compressor>>;
        thread_local std::array<Held, 10> of_levels;
        auto& compressor = of_levels[static_cast<std::size_t>(level_)];
        if (compressor == nullptr) compressor.reset(::libdeflate_alloc_compressor(level_));
        if (compressor == nullptr) throw std::bad_alloc();
        const auto bound =
            is_gzip_ ? ::libdeflate_gzip_compress_bound : ::libdeflate_zlib_compress_bound;
        const auto compress = is_gzip_ ? ::libdeflate_gzip_compress : ::libdeflate_zlib_compress;
        std::vector<std::byte> out(bound(compressor.get(), in.size()));
        const std::size_t count =
            compress(compressor.get(), in.data(), in.size(), out.data(), out.size());
        return cut(std::move(out), count);
    }

private:
    bool is_gzip_;
    int level_;
};

class Blosc final : public Compressor {
public:
    Blosc(const Json::Value& configuration, index_t width)
        : level_(number_in(configuration, "clevel", 5, 0, 9)),
          width_(number_in(configuration, "typesize", width <= 255 ? static_cast<int>(width) : 1, 1,
                           255)),
          block_(number_in(configuration, "blocksize", 0, 0, BLOSC_MAX_BUFFERSIZE)) {
        const Json::Value& shuffle = configuration["shuffle"]; // a word in format 3
        const std::string word = shuffle.isString() ? shuffle.asString() : std::string();
        shuffle_ =
            number_in(configuration, "shuffle", width_ == 1 ? BLOSC_BITSHUFFLE : BLOSC_SHUFFLE,
                      BLOSC_NOSHUFFLE, BLOSC_BITSHUFFLE);
        if (word == "noshuffle") shuffle_ = BLOSC_NOSHUFFLE;
        if (word == "shuffle") shuffle_ = BLOSC_SHUFFLE;
        if (word == "bitshuffle") shuffle_ = BLOSC_BITSHUFFLE;
        if (const Json::Value& name = configuration["cname"];
            name.isString() && ::blosc_compname_to_compcode(name.asCString()) >= 0)
            name_ = name.asString();
    }
    std::string name() const override { return "blosc"; }
    index_t claimed(std::span<const std::byte> in, const std::string& where) const override {
        const index_t decoded = chunks::size_in_blosc(in);
        if (decoded < 0)
            throw_damaged("blosc", fmt::format("{} bytes are no whole buffer", in.size()), where);
        return decoded;
    }
    index_t decode(std::span<const std::byte> in, std::span<std::byte> out,
                   const std::string& where) const override {
        const index_t count = chunks::decode_blosc(in, out);
        if (count == chunks::kDamaged) throw_damaged("blosc", "is damaged", where);
        return count;
    }
    std::vector<std::byte> encode(std::span<const std::byte> in,
                                  const std::string& where) const override {
        require_at_most("blosc", in, BLOSC_MAX_BUFFERSIZE, where);
        std::vector<std::byte> out(in.size() + BLOSC_MAX_OVERHEAD);
        const int count = ::blosc_compress_ctx(level_, shuffle_, static_cast<std::size_t>(width_),
                                               in.size(), in.data(), out.data(), out.size(),
                                               name_.c_str(), static_cast<std::size_t>(block_), 1);
        if (count <= 0) throw_damaged("blosc", fmt::format("fails to encode ({})", count), where);
        return cut(std::move(out), static_cast<std::size_t>(count));
    }

private:
    int level_;
    int width_;
    int block_;
    int shuffle_;
    std::string name_ = "lz4";
};

class Lz4 final : public Compressor {
public:
    explicit Lz4(const Json::Value& configuration)
        : acceleration_(number_in(configuration, "acceleration", 1, 1, 65537)) {}
    std::string name() const override { return "lz4"; }
    index_t claimed(std::span<const std::byte> in, const std::string& where) const override {
        if (in.size() < 4) throw_damaged("lz4", "is cut short", where);
        return static_cast<index_t>(little_32(in.data()));
    }
    index_t decode(std::span<const std::byte> in, std::span<std::byte> out,
                   const std::string& where) const override {
        const index_t decoded = claimed(in, where);
        if (decoded > std::ssize(out)) return -1;
        if (in.size() > std::numeric_limits<int>::max() ||
            decoded > std::numeric_limits<int>::max())
            throw_damaged("lz4", "has more than 2 GiB", where);
        std::byte none{};
        const int count =
            ::LZ4_decompress_safe(reinterpret_cast<const char*>(in.data() + 4),
                                  reinterpret_cast<char*>(out.empty() ? &none : out.data()),
                                  static_cast<int>(in.size() - 4), static_cast<int>(decoded));
        if (count != decoded) throw_damaged("lz4", "is damaged", where);
        return count;
    }
    std::vector<std::byte> encode(std::span<const std::byte> in,
                                  const std::string& where) const override {
        require_at_most("lz4", in, LZ4_MAX_INPUT_SIZE, where);
        const int room = LZ4_COMPRESSBOUND(static_cast<int>(in.size()));
        std::vector<std::byte> out(4 + static_cast<std::size_t>(room));
        put_little_32(out.data(), static_cast<std::uint32_t>(in.size()));
        const int count = ::LZ4_compress_fast(reinterpret_cast<const char*>(in.data()),
                                              reinterpret_cast<char*>(out.data() + 4),
                                              static_cast<int>(in.size()), room, acceleration_);
        return cut(std::move(out), 4 + static_cast<std::size_t>(count));
    }

private:
    int acceleration_;
};

} // namespace

std::shared_ptr<const BytesCodec> compressor(const std::string& name,
                                             const Json::Value& configuration, index_t width,
                                             const std::string& where) {
    constexpr std::string_view kPrefix = "numcodecs.";
    const std::string id = name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
    if (id == "zstd") return std::make_shared<Zstd>(configuration);
    if (id == "gzip") return std::make_shared<Deflate>(true, configuration);
    if (id == "zlib") return std::make_shared<Deflate>(false, configuration);
    if (id == "blosc") return std::make_shared<Blosc>(configuration, width);
    if (id == "lz4") return std::make_shared<Lz4>(configuration);
    if (id == "crc32c") return crc32c_codec();
    throw FormatError(fmt::format("{}: codec {} is not understood", where, npy::quoted(name)));
}

} // namespace purview::zarr
