#pragma once

#include <purview/base/index.hpp>

namespace purview::inline v0_1::engine {

/// Sorts `count` words (unsigned, of 8 to 64 bits) by the bits [low, low + bits), keeping the order
/// of words that are equal there. `other` is scratch for `count` words. Returns `words` or `other`,
/// whichever holds the result.
template <typename Word>
Word* radix_sort(Word* words, Word* other, index_t count, int low, int bits, int threads);

} // namespace purview::engine
