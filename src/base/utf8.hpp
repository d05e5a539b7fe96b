#pragma once

#include <purview/base/config.hpp>

#include <string_view>

namespace purview::inline v0_1 {

/// Whether a text is UTF-8 as RFC 3629 has it: no overlong forms, surrogates, or code points beyond U+10FFFF.
bool is_utf8(std::string_view text) noexcept;

} // namespace purview
