#pragma once

#include <purview/base/config.hpp>

#include <string>

namespace purview::inline v0_1::file {

/// A name for a temporary file, which differs between processes, between calls, and from names that
/// a crash may have left.
PURVIEW_EXPORT std::string temporary_name();

/// Locks an open file as being written, as long as any process has it open. Returns true if another
/// process has taken it for a leftover before that, and is removing it.
bool is_being_removed(int descriptor) noexcept;

/// Removes temporary files that nobody writes any more from a directory ("" is the current one,
/// others end with a slash): files of this user whose process has ended and which no process has
/// open. Files that cannot be removed stay. At most once a minute per directory; O(number of files
/// in it).
void remove_leftovers(const std::string& directory) noexcept;

} // namespace purview::file
