#include "utf16.hpp"

#include <cstdint>

namespace purview::inline v0_1::csv {
namespace {

constexpr bool is_first_surrogate(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
constexpr bool is_second_surrogate(std::uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

void append(std::string& text, std::uint32_t character) {
    const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
    const auto add_lower = [&](int shift) { add(0x80 | (character >> shift & 0x3F)); };
    if (character < 0x80) {
        add(character);
    } else if (character < 0x800) {
        add(0xC0 | character >> 6);
        add_lower(0);
    } else if (character < 0x10000) {
        add(0xE0 | character >> 12);
        add_lower(6);
        add_lower(0);
    } else {
        add(0xF0 | character >> 18);
        add_lower(12);
        add_lower(6);
        add_lower(0);
    }
}

} // namespace

Utf16Text text_of_utf16(std::span<const std::byte> bytes, ByteOrder order) {
    Utf16Text result;
    result.text.reserve(bytes.size() / 2);
    const std::size_t high = order == ByteOrder::little ? 1 : 0;
    const auto unit_at = [&](std::size_t at) {
        return std::to_integer<std::uint32_t>(bytes[at + high]) << 8 |
               std::to_integer<std::uint32_t>(bytes[at + 1 - high]);
    };
    const std::size_t end = bytes.size() / 2 * 2;
    result.is_whole = end == bytes.size();
    for (std::size_t at = 0; at < end; at += 2) {
        std::uint32_t character = unit_at(at);
        if (is_first_surrogate(character) && at + 2 < end && is_second_surrogate(unit_at(at + 2))) {
            at += 2;
            character = 0x10000 + ((character - 0xD800) << 10 | (unit_at(at) - 0xDC00));
        } else if (is_first_surrogate(character) || is_second_surrogate(character)) {
            result.is_whole = false;
            break;
        }
        append(result.text, character);
    }
    return result;
}

} // namespace purview::csv
