#include "filters.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include <blosc.h>
#include <libdeflate.h>
#include <zstd.h>

namespace purview::inline v0_1::hdf5 {
namespace {

/// Whole elements are put together in a register.
template <typename Word>
void unshuffle_words(const std::byte* in, index_t count, std::byte* out) {
    const auto* const from = reinterpret_cast<const unsigned char*>(in);
    for (index_t i = 0; i < count; ++i) {
        Word word = 0;
        for (index_t k = 0; k < index_t{sizeof(Word)}; ++k)
            word = static_cast<Word>(word | static_cast<Word>(Word{from[k * count + i]} << 8 * k));
        std::memcpy(out + i * index_t{sizeof(Word)}, &word, sizeof(Word));
    }
}

unsigned byte_at(std::span<const std::byte> in, std::size_t i) {
    return static_cast<unsigned>(in[i]);
}

} // namespace

index_t unshuffle(std::span<const std::byte> in, index_t width, std::span<std::byte> out) {
    if (width < 1 || in.size() > out.size()) return -1;
    const index_t count = std::ssize(in) / width;
    switch (width) {
    case 2: unshuffle_words<std::uint16_t>(in.data(), count, out.data()); break;
    case 4: unshuffle_words<std::uint32_t>(in.data(), count, out.data()); break;
    case 8: unshuffle_words<std::uint64_t>(in.data(), count, out.data()); break;
    default:
        for (index_t k = 0; k < width && count > 0; ++k) // a width may be any number
            for (index_t i = 0; i < count; ++i)
                out[static_cast<std::size_t>(i * width + k)] =
                    in[static_cast<std::size_t>(k * count + i)];
    }
    std::copy(in.begin() + count * width, in.end(), out.begin() + count * width);
    return std::ssize(in);
}

std::uint32_t fletcher32(std::span<const std::byte> bytes) noexcept {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    const std::size_t words = bytes.size() / 2;
    for (std::size_t i = 0; i < words;) {
        const std::size_t end = std::min(words, i + 360); // so many that no sum overflows
        for (; i < end; ++i) {
            low += byte_at(bytes, 2 * i) << 8 | byte_at(bytes, 2 * i + 1);
            high += low;
        }
        low = (low & 0xffffU) + (low >> 16);
        high = (high & 0xffffU) + (high >> 16);
    }
    if (bytes.size() % 2 != 0) {
        low += byte_at(bytes, bytes.size() - 1) << 8;
        high += low;
        low = (low & 0xffffU) + (low >> 16);
        high = (high & 0xffffU) + (high >> 16);
    }
    low = (low & 0xffffU) + (low >> 16);
    high = (high & 0xffffU) + (high >> 16);
    return high << 16 | low;
}

index_t check_fletcher32(std::span<const std::byte> in, std::span<std::byte> out) {
    if (in.size() < 4 || in.size() - 4 > out.size()) return -1;
    const auto data = in.first(in.size() - 4);
    std::uint32_t stored = 0;
    for (std::size_t i = 4; i-- > 0;) stored = stored << 8 | byte_at(in, data.size() + i);
    const std::uint32_t sum = fletcher32(data);
    // HDF5 before 1.6.3 swapped the bytes of each half on some machines, and reads both.
    const std::uint32_t swapped = (sum & 0x00ff00ffU) << 8 | (sum >> 8 & 0x00ff00ffU);
    if (stored != sum && stored != swapped) return -1;
    std::copy(data.begin(), data.end(), out.begin());
    return std::ssize(data);
}

index_t decode_lzf(std::span<const std::byte> in, std::span<std::byte> out) {
    std::size_t from = 0;
    std::size_t to = 0;
    while (from < in.size()) {
        const unsigned control = byte_at(in, from++);
        if (control < 32) { // so many bytes, and one, as they are
            const std::size_t count = control + 1;
            if (in.size() - from < count || out.size() - to < count) return -1;
            std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(from), count,
                        out.begin() + static_cast<std::ptrdiff_t>(to));
            from += count;
            to += count;
            continue;
        }
        std::size_t count = control >> 5;
        if (count == 7) {
            if (from == in.size()) return -1;
            count += byte_at(in, from++);
        }
        count += 2;
        if (from == in.size()) return -1;
        const std::size_t back = ((control & 31U) << 8 | byte_at(in, from++)) + 1;
        if (back > to || out.size() - to < count) return -1;
        for (std::size_t i = 0; i < count; ++i, ++to) out[to] = out[to - back]; // may overlap
    }
    return static_cast<index_t>(to);
}

index_t decode_zlib(std::span<const std::byte> in, std::span<std::byte> out) {
    struct Free {
        void operator()(libdeflate_decompressor* d) const { ::libdeflate_free_decompressor(d); }
    };
    thread_local std::unique_ptr<libdeflate_decompressor, Free> decompressor;
    if (decompressor == nullptr) decompressor.reset(::libdeflate_alloc_decompressor());
    if (decompressor == nullptr) throw std::bad_alloc();
    std::size_t count = 0;
    const libdeflate_result result = ::libdeflate_zlib_decompress(
        decompressor.get(), in.data(), in.size(), out.data(), out.size(), &count);
    return result == LIBDEFLATE_SUCCESS ? static_cast<index_t>(count) : -1;
}

index_t decode_zstd(std::span<const std::byte> in, std::span<std::byte> out) {
    struct Free {
        void operator()(ZSTD_DCtx* context) const { ::ZSTD_freeDCtx(context); }
    };
    thread_local std::unique_ptr<ZSTD_DCtx, Free> context;
    if (context == nullptr) context.reset(::ZSTD_createDCtx());
    if (context == nullptr) throw std::bad_alloc();
    const std::size_t count =
        ::ZSTD_decompressDCtx(context.get(), out.data(), out.size(), in.data(), in.size());
    return ::ZSTD_isError(count) ? -1 : static_cast<index_t>(count);
}

index_t decode_blosc(std::span<const std::byte> in, std::span<std::byte> out) {
    // The library knows no input length: what the header says has to be there.
    std::size_t decoded = 0;
    if (in.size() < BLOSC_MIN_HEADER_LENGTH ||
        ::blosc_cbuffer_validate(in.data(), in.size(), &decoded) != 0 || decoded > out.size())
        return -1;
    if (decoded == 0) return 0;
    // On one thread; blosc_decompress takes a lock of the whole process.
    const int count = ::blosc_decompress_ctx(in.data(), out.data(), out.size(), 1);
    return count == static_cast<index_t>(decoded) ? count : -1;
}

} // namespace purview::hdf5
