#pragma once

#include <purview/base/index.hpp>

#include <string>

namespace purview::inline v0_1 {

/// The memory limit that a process begins with: `PURVIEW_MEMORY_LIMIT`, else a quarter of `available_memory()`. Throws
/// `Error` if that variable is not a number of bytes.
index_t initial_memory_limit();

/// The bytes of memory of this machine, or of the cgroup that this process is in, whichever is less.
index_t available_memory();

/// The least limit of memory that the cgroups of a process set, of version 1 or 2; the greatest number if none does.
/// `membership` is the text of /proc/self/cgroup, `root` where cgroups are mounted (/sys/fs/cgroup).
index_t cgroup_memory(const std::string& membership, const std::string& root);

} // namespace purview
