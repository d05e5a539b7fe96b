#pragma once

#include <purview/base/index.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include <blosc.h>
#include <libdeflate.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace purview::inline v0_1::chunks {

// Decoders of chunks. They read and write no byte outside of what they are given, whatever that is, and return how many
// bytes they have written, or one of these two. The core compiles none of them: who includes this links the libraries.
constexpr index_t kNoRoom = -1; ///< the bytes decode to more than `out` has room for
constexpr index_t kDamaged = -2;

template <auto release>
struct ReleasedBy {
    template <typename T>
    void operator()(T* made) const {
        release(made);
    }
};

/// What `make` gives, once in each thread. Throws `std::bad_alloc` where it gives nothing.
template <auto make, auto release>
auto* of_this_thread() {
    thread_local std::unique_ptr<std::remove_pointer_t<decltype(make())>, ReleasedBy<release>> made;
    if (made == nullptr) made.reset(make());
    if (made == nullptr) throw std::bad_alloc();
    return made.get();
}

/// One stream of zlib or one member of gzip, which has `used` so many of the bytes.
inline index_t decode_deflated(bool is_gzip, std::span<const std::byte> in,
                               std::span<std::byte> out, std::size_t& used) {
    std::byte none{};
    std::size_t count = 0;
    const auto decompress =
        is_gzip ? ::libdeflate_gzip_decompress_ex : ::libdeflate_zlib_decompress_ex;
    const libdeflate_result result = decompress(
        of_this_thread<::libdeflate_alloc_decompressor, ::libdeflate_free_decompressor>(),
        in.data(), in.size(), out.empty() ? &none : out.data(), out.size(), &used, &count);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) return kNoRoom;
    return result == LIBDEFLATE_SUCCESS ? static_cast<index_t>(count) : kDamaged;
}

/// `damage`: what the library says of damaged bytes.
inline index_t decode_zstd(std::span<const std::byte> in, std::span<std::byte> out,
                           const char*& damage) {
    std::byte none{};
    const std::size_t count =
        ::ZSTD_decompressDCtx(of_this_thread<::ZSTD_createDCtx, ::ZSTD_freeDCtx>(),
                              out.empty() ? &none : out.data(), out.size(), in.data(), in.size());
    if (!::ZSTD_isError(count)) return static_cast<index_t>(count);
    if (::ZSTD_getErrorCode(count) == ZSTD_error_dstSize_tooSmall) return kNoRoom;
    damage = ::ZSTD_getErrorName(count);
    return kDamaged;
}

/// How many bytes a buffer of Blosc says that it decodes to; `kDamaged` where it is not as long as it says: the library
/// knows no input length.
inline index_t size_in_blosc(std::span<const std::byte> in) {
    std::size_t decoded = 0;
    const bool is_whole = in.size() >= BLOSC_MIN_HEADER_LENGTH &&
                          ::blosc_cbuffer_validate(in.data(), in.size(), &decoded) == 0;
    return is_whole ? static_cast<index_t>(decoded) : kDamaged;
}

inline index_t decode_blosc(std::span<const std::byte> in, std::span<std::byte> out) {
    const index_t decoded = size_in_blosc(in);
    if (decoded > std::ssize(out)) return kNoRoom;
    if (decoded <= 0) return decoded;
    // On one thread; blosc_decompress takes a lock of the whole process.
    const int count = ::blosc_decompress_ctx(in.data(), out.data(), out.size(), 1);
    return count == decoded ? count : kDamaged;
}

/// Elements are put together in registers, in vectors of words.
template <typename Word, index_t kWidth = sizeof(Word)>
void unshuffle_words(const std::byte* in, index_t count, std::byte* out) {
    const auto* const from = reinterpret_cast<const unsigned char*>(in);
    for (index_t i = 0; i < count; ++i)
        for (index_t first = 0; first < kWidth; first += index_t{sizeof(Word)}) {
            Word word = 0;
            for (index_t k = 0; k < index_t{sizeof(Word)}; ++k)
                word = static_cast<Word>(word | Word{from[(first + k) * count + i]} << 8 * k);
            std::memcpy(out + i * kWidth + first, &word, sizeof(Word));
        }
}

/// The first bytes of all elements of `width` bytes, then the second ones, …; what is left over behind them.
inline index_t unshuffle(std::span<const std::byte> in, index_t width, std::span<std::byte> out) {
    if (in.size() > out.size()) return kNoRoom;
    const index_t count = std::ssize(in) / width;
    switch (width) {
    case 2: unshuffle_words<std::uint16_t>(in.data(), count, out.data()); break;
    case 4: unshuffle_words<std::uint32_t>(in.data(), count, out.data()); break;
    case 8: unshuffle_words<std::uint32_t, 8>(in.data(), count, out.data()); break;
    case 16: unshuffle_words<std::uint32_t, 16>(in.data(), count, out.data()); break;
    default:
        for (index_t k = 0; k < width && count > 0; ++k) { // a width may be any number
            const std::byte* const from = in.data() + k * count;
            std::byte* const to = out.data() + k;
            for (index_t i = 0; i < count; ++i) to[i * width] = from[i];
        }
    }
    std::copy(in.begin() + count * width, in.end(), out.begin() + count * width);
    return std::ssize(in);
}

} // namespace purview::chunks
