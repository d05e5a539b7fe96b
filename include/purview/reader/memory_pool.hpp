#pragma once

#include <purview/base/config.hpp>
#include <purview/base/index.hpp>

namespace purview::inline v0_1 {

/// Allocations of at least this many bytes come directly from the operating system, in huge pages,
/// and are kept for reuse when they are freed. Smaller ones come from the heap, and are kept from
/// 32 KiB on, up to 64 MiB.
inline constexpr index_t kLargeBytes = index_t{4} << 20;

/// The most bytes that may be kept for reuse, in the whole process. Initially the value of the
/// environment variable `PURVIEW_RECYCLED_MEMORY` (bytes, or `512K`, `64M`, `2G`; 0 keeps nothing),
/// else 1 GiB or an eighth of the machine's memory, whichever is less; 0 under the address
/// sanitizer. Throws `Error` when that variable is not such a number. Thread-safe, as are the three
/// functions below.
PURVIEW_EXPORT index_t recycled_memory_limit();

/// Sets this limit, and releases at once what is kept beyond it, longest unused first; 0 switches
/// recycling off. Throws `ShapeError` when `bytes` is negative.
PURVIEW_EXPORT void set_recycled_memory_limit(index_t bytes);

/// How many bytes are kept for reuse now, not counting memory in use. The operating system may take
/// back the pages of large blocks that are kept if it needs them.
PURVIEW_EXPORT index_t recycled_memory();

/// Releases all memory kept for reuse. Memory in use stays, and may be kept when it is freed.
PURVIEW_EXPORT void trim_recycled_memory();

} // namespace purview
