#pragma once

#include <string>

namespace purview::file {

/// A name for a file that is only there while it is written. It differs between processes, between calls, and from
/// what a crash may have left.
std::string temporary_name();

/// Marks the open file as being written, for as long as any process has it open. True if another process
/// has taken it for a leftover before that, and removes it.
bool is_taken_for_leftover(int descriptor) noexcept;

/// Removes the files of such names from a folder ("" is the current one, others end with a slash) that nobody writes
/// any more: those of this user's whose process has gone, and which none has open. What cannot be removed stays.
/// At most once a minute and folder; O(files in it).
void remove_leftovers(const std::string& directory) noexcept;

} // namespace purview::file
