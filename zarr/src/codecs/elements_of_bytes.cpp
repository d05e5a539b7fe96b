// Defines codecs/codec_chain.hpp.
#include "codecs/codec_chain.hpp"

#include "reader/byte_swapped.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

namespace purview::inline v0_1::zarr {
namespace {

/// Texts, each behind its length, and all behind their number.
void read_lengths(std::span<const std::byte> raw, index_t count, std::string* out,
                  const std::string& where) {
    if (raw.size() < 4 || little_32(raw.data()) != static_cast<std::uint64_t>(count))
        throw FormatError(fmt::format("{}: vlen-utf8: has not {} texts", where, count));
    raw = raw.subspan(4);
    for (index_t i = 0; i < count; ++i) {
        const std::uint32_t length = raw.size() < 4 ? 0 : little_32(raw.data());
        if (raw.size() < 4 || raw.size() - 4 < length)
            throw FormatError(
                fmt::format("{}: vlen-utf8: text {} of {} is cut short", where, i, count));
        out[i].assign(reinterpret_cast<const char*>(raw.data() + 4), length);
        raw = raw.subspan(4 + std::size_t{length});
    }
    if (!raw.empty())
        throw FormatError(
            fmt::format("{}: vlen-utf8: {} bytes follow the last text", where, raw.size()));
}

void append_utf8(std::string& text, std::uint32_t point, const std::string& where) {
    if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
        throw FormatError(fmt::format("{}: {:#x} is no code point", where, point));
    if (point < 0x80) {
        text += static_cast<char>(point);
        return;
    }
    const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    constexpr std::array<std::uint32_t, 4> kLead{0, 0xc0, 0xe0, 0xf0};
    text += static_cast<char>(kLead[static_cast<std::size_t>(more)] | point >> 6 * more);
    for (int i = more; i-- > 0;) text += static_cast<char>(0x80U | (point >> 6 * i & 0x3fU));
}

/// The code point at the front of `text`, which is cut off; nothing where it is no UTF-8.
std::optional<std::uint32_t> next_point(std::string_view& text) {
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t more = first < 0x80   ? 0
                             : first < 0xc2 ? 4
                             : first < 0xe0 ? 1
                             : first < 0xf0 ? 2
                             : first < 0xf5 ? 3
                                            : 4;
    if (more == 4 || text.size() <= more) return std::nullopt;
    std::uint32_t point = more == 0 ? first : first & (0x3fU >> more);
    for (std::size_t i = 1; i <= more; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((byte & 0xc0U) != 0x80) return std::nullopt;
        point = point << 6 | (byte & 0x3fU);
    }
    constexpr std::array<std::uint32_t, 4> kLeast{0, 0x80, 0x800, 0x10000};
    if (point < kLeast[more] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
        return std::nullopt;
    text.remove_prefix(more + 1);
    return point;
}

/// The code points of a text. Throws `CastError` naming its number.
std::u32string points_of(std::string_view text, index_t number, const std::string& where) {
    std::u32string points;
    while (!text.empty()) {
        const std::optional<std::uint32_t> point = next_point(text);
        if (!point) throw CastError(fmt::format("{}: text {} is no UTF-8", where, number));
        points += static_cast<char32_t>(*point);
    }
    return points;
}

/// Throws unless a text of as many bytes is read again as it is.
void require_room(std::size_t bytes, bool ends_with_zero, const StoredType& type, index_t number,
                  const std::string& where) {
    if (bytes > static_cast<std::size_t>(type.bytes))
        throw CastError(fmt::format("{}: text {} has {} bytes, and an element {}", where, number,
                                    bytes, type.bytes));
    if (ends_with_zero)
        throw CastError(fmt::format("{}: text {} ends with a zero, which is cut off where elements "
                                    "have {} bytes each",
                                    where, number, type.bytes));
}

std::vector<std::byte> write_lengths(const std::string* texts, index_t count,
                                     const std::string& where) {
    constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
    std::size_t bytes = 4;
    for (index_t i = 0; i < count; ++i) {
        if (texts[i].size() > kMost || static_cast<std::size_t>(count) > kMost)
            throw CastError(fmt::format("{}: vlen-utf8: text {} of {} has {} bytes, and both are "
                                        "counted in 32 bits",
                                        where, i, count, texts[i].size()));
        bytes += 4 + texts[i].size();
    }
    std::vector<std::byte> raw(bytes);
    std::byte* to = raw.data();
    const auto put = [&](std::size_t value) {
        put_little_32(to, static_cast<std::uint32_t>(value));
        to += 4;
    };
    put(static_cast<std::size_t>(count));
    for (index_t i = 0; i < count; ++i) {
        for (std::string_view rest = texts[i]; !rest.empty();)
            if (!next_point(rest))
                throw CastError(fmt::format("{}: text {} is no UTF-8", where, i));
        put(texts[i].size());
        std::memcpy(to, texts[i].data(), texts[i].size());
        to += texts[i].size();
    }
    return raw;
}

/// Elements of a width known here: a box of two axes at a time, in tiles, so that neither of them is
/// walked across lines of the cache alone.
template <std::size_t width>
void permute(const std::byte* stored, ShapeSpan shape, ShapeSpan strides, std::byte* out) {
    struct Bytes {
        std::byte value[width];
    };
    const auto* const from = reinterpret_cast<const Bytes*>(stored);
    auto* to = reinterpret_cast<Bytes*>(out);
    const auto rank = shape.size();
    const index_t rows = rank > 1 ? shape[rank - 2] : 1;
    const index_t columns = shape[rank - 1];
    const index_t down = rank > 1 ? strides[rank - 2] : 0;
    const index_t along = strides[rank - 1];
    Shape at(rank, 0);
    index_t begin = 0;
    while (true) {
        constexpr index_t kTile = 32;
        for (index_t row = 0; row < rows; row += kTile)
            for (index_t column = 0; column < columns; column += kTile)
                for (index_t i = row; i < std::min(rows, row + kTile); ++i)
                    for (index_t j = column; j < std::min(columns, column + kTile); ++j)
                        to[i * columns + j] = from[begin + i * down + j * along];
        to += rows * columns;
        std::size_t axis = rank > 2 ? rank - 2 : 0;
        while (axis > 0) {
            --axis;
            begin += strides[axis];
            if (++at[axis] < shape[axis]) break;
            begin -= strides[axis] * shape[axis];
            at[axis] = 0;
            if (axis == 0) return;
        }
        if (rank <= 2) return;
    }
}

} // namespace

void elements_of_bytes(const StoredType& type, std::span<std::byte> raw, index_t count, void* out,
                       const std::string& where) {
    auto* const texts = static_cast<std::string*>(out);
    if (type.encoding == Encoding::lengths) return read_lengths(raw, count, texts, where);
    if (type.swapped && type.ordered > 1)
        swap_bytes(raw.data(), std::ssize(raw) / type.ordered, type.ordered);
    switch (type.encoding) {
    case Encoding::booleans: // in C++ true is 1, in a file any byte but 0
        for (std::byte& value : raw) value = std::byte{value != std::byte{}};
        break;
    case Encoding::byte_texts:
        for (index_t i = 0; i < count; ++i) {
            texts[i].assign(reinterpret_cast<const char*>(raw.data() + i * type.bytes),
                            static_cast<std::size_t>(type.bytes));
            texts[i].erase(texts[i].find_last_not_of('\0') + 1);
        }
        break;
    case Encoding::code_points:
        for (index_t i = 0; i < count; ++i) {
            const std::byte* const first = raw.data() + i * type.bytes;
            const auto point = [&](index_t k) {
                std::uint32_t value = 0;
                std::memcpy(&value, first + 4 * k, 4);
                return value;
            };
            index_t length = type.bytes / 4;
            while (length > 0 && point(length - 1) == 0) --length;
            texts[i].clear();
            for (index_t k = 0; k < length; ++k) append_utf8(texts[i], point(k), where);
        }
        break;
    case Encoding::numbers:
    case Encoding::lengths: break;
    }
}

std::vector<std::byte> bytes_of_elements(const StoredType& type, const void* elements,
                                         index_t count, const std::string& where) {
    const auto* const texts = static_cast<const std::string*>(elements);
    if (type.encoding == Encoding::lengths) return write_lengths(texts, count, where);
    std::vector<std::byte> raw(static_cast<std::size_t>(count * type.bytes));
    for (index_t i = 0; i < count && type.encoding == Encoding::byte_texts; ++i) {
        require_room(texts[i].size(), texts[i].ends_with('\0'), type, i, where);
        std::memcpy(raw.data() + i * type.bytes, texts[i].data(), texts[i].size());
    }
    for (index_t i = 0; i < count && type.encoding == Encoding::code_points; ++i) {
        const std::u32string points = points_of(texts[i], i, where);
        require_room(4 * points.size(), points.ends_with(U'\0'), type, i, where);
        std::memcpy(raw.data() + i * type.bytes, points.data(), 4 * points.size());
    }
    if (type.dtype != kDType<std::string>) std::memcpy(raw.data(), elements, raw.size());
    if (type.swapped && type.ordered > 1)
        swap_bytes(raw.data(), std::ssize(raw) / type.ordered, type.ordered);
    return raw;
}

void permute_elements(const std::byte* stored, ShapeSpan shape, std::span<const int> order,
                      index_t width, std::byte* out) {
    Shape strides(shape.begin(), shape.end());
    index_t stride = 1;
    for (std::size_t k = order.size(); k-- > 0;) {
        const auto axis = static_cast<std::size_t>(order[k]);
        strides[axis] = stride;
        stride *= shape[axis];
    }
    if (stride == 0) return;
    switch (width) {
    case 1: return permute<1>(stored, shape, strides, out);
    case 2: return permute<2>(stored, shape, strides, out);
    case 4: return permute<4>(stored, shape, strides, out);
    case 8: return permute<8>(stored, shape, strides, out);
    default: return permute<16>(stored, shape, strides, out);
    }
}

} // namespace purview::zarr
