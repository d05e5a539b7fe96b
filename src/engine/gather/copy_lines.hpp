#pragma once

#include <purview/base/index.hpp>

#include <cstddef>

namespace purview::inline v0_1::engine {

/// Copies `count` rows of `bytes` each, which lie in one piece `addresses[i]` elements of `size` bytes behind `memory`; later
/// ones are prefetched where that `is_far`.
void copy_lines(const std::byte* memory, const index_t* addresses, index_t count, index_t size,
                index_t bytes, bool is_far, std::byte* out, bool streaming);

} // namespace purview::engine
