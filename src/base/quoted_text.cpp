#include "base/quoted_text.hpp"

namespace purview::inline v0_1::file {

std::string quoted_text(std::string_view text) {
    constexpr std::size_t kMost = 60;
    std::string quoted = "'";
    for (const char c : text.substr(0, kMost)) quoted += c >= ' ' && c <= '~' ? c : '?';
    return quoted + (text.size() > kMost ? "…'" : "'");
}

} // namespace purview::file
