#include "buffers.hpp"

#include "refuse.hpp"

#include <lz4frame.h>
#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

namespace purview::inline v0_1::ipc {
namespace {

constexpr index_t kHead = sizeof(std::int64_t);
/// More than any block of either codec grows to: what says more is not decoded.
constexpr index_t kMostGrowth = index_t{1} << 17;
constexpr int kZstdLevel = 1; ///< as Arrow's own writers have it

void decode_lz4(std::span<const std::byte> in, std::span<std::byte> out) {
    LZ4F_dctx* context = nullptr;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)) != 0)
        throw std::bad_alloc();
    const std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> held(
        context, &LZ4F_freeDecompressionContext);
    std::size_t done = 0;
    for (std::size_t more = 1; more != 0;) {
        std::size_t in_bytes = in.size();
        std::size_t out_bytes = out.size() - done;
        more =
            LZ4F_decompress(context, out.data() + done, &out_bytes, in.data(), &in_bytes, nullptr);
        if (LZ4F_isError(more) != 0) refuse("LZ4: {}", LZ4F_getErrorName(more));
        if (more != 0 && in_bytes == 0 && out_bytes == 0)
            refuse("LZ4: the buffer ends, or goes on behind {} bytes", out.size());
        done += out_bytes;
        in = in.subspan(in_bytes);
    }
    if (done != out.size()) refuse("LZ4: {} bytes, where {} are said", done, out.size());
}

void decode_zstd(std::span<const std::byte> in, std::span<std::byte> out) {
    const std::size_t done = ZSTD_decompress(out.data(), out.size(), in.data(), in.size());
    if (ZSTD_isError(done) != 0) refuse("zstd: {}", ZSTD_getErrorName(done));
    if (done != out.size()) refuse("zstd: {} bytes, where {} are said", done, out.size());
}

} // namespace

Bytes decompressed(std::span<const std::byte> buffer, format::Codec codec, index_t most) {
    if (buffer.empty()) return {};
    std::int64_t count = 0;
    if (std::ssize(buffer) < kHead) refuse("a compressed buffer of {} bytes", buffer.size());
    std::memcpy(&count, buffer.data(), sizeof(count));
    const std::span<const std::byte> in = buffer.subspan(kHead);
    if (count == -1) return {in, {}};
    if (count < 0 || count > most || count / kMostGrowth > std::ssize(in))
        refuse("a buffer of {} bytes that stands for {}", in.size(), count);
    const auto size = static_cast<std::size_t>(count);
    const std::shared_ptr<std::byte[]> memory(new (std::nothrow) std::byte[size]);
    if (memory == nullptr) refuse("a buffer stands for {} bytes, which cannot be had", count);
    const std::span<std::byte> out(memory.get(), size);
    switch (codec) {
    case format::Codec::Lz4Frame: decode_lz4(in, out); break;
    case format::Codec::Zstd: decode_zstd(in, out); break;
    default: refuse("compression by codec {}", static_cast<int>(codec));
    }
    return {out, memory};
}

std::vector<std::byte> compressed(std::span<const std::byte> bytes, format::Codec codec) {
    const bool is_zstd = codec == format::Codec::Zstd;
    const std::size_t most =
        is_zstd ? ZSTD_compressBound(bytes.size()) : LZ4F_compressFrameBound(bytes.size(), nullptr);
    std::vector<std::byte> out(kHead + most);
    std::byte* const to = out.data() + kHead;
    const std::size_t done =
        is_zstd ? ZSTD_compress(to, most, bytes.data(), bytes.size(), kZstdLevel)
                : LZ4F_compressFrame(to, most, bytes.data(), bytes.size(), nullptr);
    if (is_zstd ? ZSTD_isError(done) != 0 : LZ4F_isError(done) != 0) throw std::bad_alloc();
    std::int64_t count = std::ssize(bytes);
    out.resize(kHead + done);
    if (done >= bytes.size()) {
        count = -1;
        out.assign(kHead + bytes.size(), std::byte{});
        if (!bytes.empty()) std::memcpy(out.data() + kHead, bytes.data(), bytes.size());
    }
    std::memcpy(out.data(), &count, sizeof(count));
    return out;
}

index_t last_offset(const void* offsets, index_t length, index_t width) {
    if (length == 0) return 0;
    const auto* const at = static_cast<const std::byte*>(offsets) + length * width;
    if (width == 8) {
        std::int64_t last = 0;
        std::memcpy(&last, at, sizeof(last));
        return last;
    }
    std::int32_t last = 0;
    std::memcpy(&last, at, sizeof(last));
    return last;
}

} // namespace purview::ipc
