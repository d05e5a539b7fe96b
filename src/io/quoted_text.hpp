#pragma once

#include <purview/base/config.hpp>

#include <string>
#include <string_view>

namespace purview::file {

/// Text from outside for a message: in single quotes, at most 60 characters, all of them printable. purview::sparse and
/// purview::csv quote with it.
PURVIEW_EXPORT std::string quoted_text(std::string_view text);

} // namespace purview::file
