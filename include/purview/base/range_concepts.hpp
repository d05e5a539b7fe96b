#pragma once

// The concepts, traits and customisation points of ranges and iterators, without <ranges> and
// <iterator>, which cost every includer a tenth of a second to compile. <span> includes all of them
// in each standard library, because it has constructors from contiguous sized ranges and from
// iterators.

#include <span>

namespace purview::inline v0_1 {

/// Whether a type is a tensor. A tensor is a range of its elements, but functions read it as a
/// tensor and not through its iterators.
template <typename X>
inline constexpr bool kIsTensor = false;

} // namespace purview
