#pragma once

#include <purview/base/index.hpp>

#include <cstdint>

namespace purview::inline v0_1::engine {

/// Sorts `count` words by the bits [low, low + bits), keeping the order of words that are equal
/// there. `other` is scratch for `count` words. Returns `words` or `other`, whichever holds the
/// result.
std::uint64_t* radix_sort(std::uint64_t* words, std::uint64_t* other, index_t count, int low,
                          int bits, int threads);

} // namespace purview::engine
