#pragma once

#include <purview/base/index.hpp>

#include <cstddef>
#include <span>

namespace purview::inline v0_1::arrow {

/// The float64 nearest to a decimal: an integer in two's complement, at most 32 bytes in this machine's order, over the power
/// `places` of 10.
double decimal_number(std::span<const std::byte> integer, index_t places);

} // namespace purview::arrow
