#include "base/utf8.hpp"

#include <cstddef>

namespace purview::inline v0_1 {
namespace {

/// How many bytes follow a first byte of UTF-8, and what the next of them may be.
struct Follows {
    std::size_t count = 0;
    unsigned char low = 0x80, high = 0xBF;
};
constexpr Follows follows(unsigned char first) {
    if (first >= 0xC2 && first <= 0xDF) return {1};
    if (first == 0xE0) return {2, 0xA0, 0xBF};
    if (first == 0xED) return {2, 0x80, 0x9F};
    if (first >= 0xE1 && first <= 0xEF) return {2};
    if (first == 0xF0) return {3, 0x90, 0xBF};
    if (first >= 0xF1 && first <= 0xF3) return {3};
    if (first == 0xF4) return {3, 0x80, 0x8F};
    return {};
}

} // namespace

bool is_utf8(std::string_view text) noexcept {
    for (std::size_t i = 0; i < text.size();) {
        const auto first = static_cast<unsigned char>(text[i++]);
        if (first < 0x80) continue;
        const Follows next = follows(first);
        if (next.count == 0 || text.size() - i < next.count) return false;
        for (std::size_t k = 0; k < next.count; ++k, ++i) {
            const auto byte = static_cast<unsigned char>(text[i]);
            if (byte < (k == 0 ? next.low : 0x80) || byte > (k == 0 ? next.high : 0xBF))
                return false;
        }
    }
    return true;
}

} // namespace purview
