#pragma once

#include <cstdint>

namespace purview::inline v0_1 {

/// How a file is read into a tensor. Mapping costs microseconds whatever the size of the file, and
/// pages are read when they are touched. If the file is truncated meanwhile, touching a page that
/// is gone ends the process (SIGBUS), which no library can catch. `in_memory` has no such hazard.
enum class Access : std::uint8_t {
    read_only,     ///< mapped; the tensor is read-only
    copy_on_write, ///< mapped; writes stay in this tensor, and the file is only read
    read_write,    ///< mapped; writes reach the file, and all other mappings of it
    in_memory,     ///< read once, into new memory: later changes to the file do not show
};

} // namespace purview
