#pragma once

#include <cstdint>

namespace purview {

/// How a file becomes a tensor. The mapped forms cost microseconds whatever the size of the file,
/// and read what is touched when it is touched; if somebody truncates the file meanwhile, touching
/// what is gone ends the process (SIGBUS), which no library can catch. `in_memory` has no such hazard.
enum class Access : std::uint8_t {
    read_only,     ///< mapped; the tensor can only be read
    copy_on_write, ///< mapped; writes stay in this tensor, and the file is only read
    read_write,    ///< mapped; writes reach the file, and everybody else who has mapped it
    in_memory,     ///< read into memory of its own, once: later changes to the file do not show
};

} // namespace purview
