#pragma once

#include <purview/base/index.hpp>

#include <cstdint>

namespace purview::engine {

/// Sorts words by the bits [low, low + bits), keeping the order of those that are equal there. The result
/// is in `words` or in `other`, which has as many places: which one is returned.
std::uint64_t* radix_sort(std::uint64_t* words, std::uint64_t* other, index_t count, int low,
                          int bits, int threads);

} // namespace purview::engine
