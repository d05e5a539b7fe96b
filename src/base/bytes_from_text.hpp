#pragma once

#include <purview/base/index.hpp>

#include <string_view>

namespace purview::inline v0_1 {

/// The number of bytes that an environment variable says: digits, optionally followed by K, M or G. Throws `Error`
/// naming the variable and its text.
index_t bytes_from_text(std::string_view variable, std::string_view text);

} // namespace purview
