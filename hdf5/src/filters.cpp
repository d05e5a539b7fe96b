#include "filters.hpp"

#include <algorithm>

namespace purview::inline v0_1::hdf5 {
namespace {

unsigned byte_at(std::span<const std::byte> in, std::size_t i) {
    return static_cast<unsigned>(in[i]);
}

} // namespace

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

} // namespace purview::hdf5
