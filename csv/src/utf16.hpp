#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace purview::inline v0_1::csv {

enum class ByteOrder : bool { little, big };

/// What UTF-16 became in UTF-8, and where that ended: what follows is no text where `is_whole` is false, half a pair of
/// surrogates or half a unit.
struct Utf16Text {
    std::string text;
    bool is_whole = true;
};
Utf16Text text_of_utf16(std::span<const std::byte> bytes, ByteOrder order);

} // namespace purview::csv
