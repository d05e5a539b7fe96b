#pragma once

#include <purview/base/config.hpp>

#include <string>
#include <string_view>

namespace purview::inline v0_1::file {

/// Text from outside, quoted for a message: in single quotes, at most 60 characters, all of them
/// printable. Exported, because purview::sparse and purview::csv use it too.
PURVIEW_EXPORT std::string quoted_text(std::string_view text);

} // namespace purview::file
