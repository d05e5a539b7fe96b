#pragma once

#include <purview/base/config.hpp>
#include <purview/base/index.hpp>

namespace purview {

/// Elements of at least this many bytes get memory of their own from the operating system, in huge
/// pages, which is kept for the next when its last owner goes. Smaller ones lie on the heap.
inline constexpr index_t kLargeBytes = index_t{4} << 20;

/// How many bytes may be kept for reuse, in the whole process. At first the value of the environment
/// variable `PURVIEW_RECYCLED_MEMORY` (bytes, or `512K`, `64M`, `2G`; 0 keeps nothing), else 1 GiB or
/// an eighth of the machine's memory, whichever is less; 0 under the address sanitizer. Throws `Error`
/// when that variable is no such number. Thread-safe, as all three below.
PURVIEW_EXPORT index_t recycled_memory_limit();

/// Sets it, and releases at once what is kept beyond it, longest unused first; 0 switches recycling
/// off. Throws `ShapeError` when it is negative.
PURVIEW_EXPORT void set_recycled_memory_limit(index_t bytes);

/// How many bytes are kept for reuse now; memory in use does not count. While they are kept, the
/// operating system may take the pages back if it needs them.
PURVIEW_EXPORT index_t recycled_memory();

/// Releases all that is kept. Memory in use stays, and may be kept when it is freed.
PURVIEW_EXPORT void trim_recycled_memory();

} // namespace purview
