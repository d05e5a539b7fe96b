#pragma once

#include "buffer.hpp"

#include <cstddef>

namespace purview::inline v0_1::gpu::detail {

/// Copies from memory of the host, on the calling thread's stream; afterwards that memory may be changed.
void copy_in(Buffer& to, std::size_t offset, const void* from, std::size_t bytes);

/// Copies into memory of the host, on the calling thread's stream, and waits for it.
void copy_out(void* to, Buffer& from, std::size_t offset, std::size_t bytes);

/// Copies what does not overlap, without waiting.
void copy_within(Buffer& to, std::size_t to_offset, Buffer& from, std::size_t from_offset,
                 std::size_t bytes);

} // namespace purview
