#pragma once

// The concepts, traits and customisation points of ranges and iterators, without <ranges> and <iterator>,
// which cost every user a tenth of a second to compile: <span> has constructors from contiguous and sized
// ranges and iterators, and so brings all of them in each standard library.

#include <span>

namespace purview {

/// Whether a type is a tensor: a range of its elements, but read as what it is, not through iterators.
template <typename X>
inline constexpr bool kIsTensor = false;

} // namespace purview
