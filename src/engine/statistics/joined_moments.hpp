#pragma once

#include <purview/evaluation/moments.hpp>

namespace purview::inline v0_1::engine {

/// The moments of two parts with the same exponent, by Pébay (2008), equations 2.1 to 2.4.
PartMoments joined_by_pebay(const PartMoments& a, const PartMoments& b);
/// Of parts that may have exponents, or no elements, whose sums of powers up to `power` are wanted: the
/// squares of differences of their means may need one.
PartMoments joined(const PartMoments& a, const PartMoments& b, int power);

} // namespace purview::engine
