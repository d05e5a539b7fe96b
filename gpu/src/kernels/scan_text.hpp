#pragma once

#include "../driver/driver.hpp"
#include "lowered.hpp"

#include <string>

namespace purview::inline v0_1::gpu::detail {

/// The text of a kernel of form `scan`, without what its dialect needs first.
std::string scan_text(const Lowered& x, Dialect dialect);

/// The text of a kernel that joins what is before each part of a lane to its elements: of all parts but the first ones, `width` threads
/// for each, neighbours in memory. Arguments: elements, the scanned totals, length, inner, part, parts, width, threads (64 bits each).
std::string carry_text(Reduction reduction, Stored type, Dialect dialect);

} // namespace purview::gpu::detail
