#pragma once

#include <purview/base/config.hpp>

#include <string>
#include <string_view>

namespace purview::inline v0_1::json {

/// A text between quotes; a number in as few digits as give it again, or `NaN`, `Infinity`.
PURVIEW_EXPORT std::string text_of(std::string_view text);
PURVIEW_EXPORT std::string text_of(double number);

} // namespace purview::json
