#pragma once

#include "found_array.hpp"

#include <string>

namespace purview::inline v0_1::archives {

/// Writes what was found as JSON, in place of what is there. Throws `FormatError`.
void write_index(const std::string& path, const Archive& archive);
/// Reads it. Throws `FormatError` naming `path` and what is wrong.
Archive read_index(const std::string& path);

} // namespace purview::archives
