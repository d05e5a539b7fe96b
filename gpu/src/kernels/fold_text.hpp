#pragma once

#include "../driver/driver.hpp"
#include "lowered.hpp"

#include <string>
#include <string_view>

namespace purview::inline v0_1::gpu::detail {

/// Two partial results as one.
std::string joined_text(Reduction reduction, Stored type, std::string_view a, std::string_view b);

/// The text of a kernel of form `fold`, without what its dialect needs first.
std::string fold_text(const Lowered& x, Dialect dialect);

/// The text of a kernel that joins partial results of `type` as a counter carries: `m` of each group, one after the other. Groups of
/// threads take `kJoinedAtOnce` of them; those of a group are taken `width`, a power of two, at a time, to `per` results.
/// Arguments: in, out, m, width, per (32 bits each), units = groups · per (64).
std::string join_text(Reduction reduction, Stored type, Dialect dialect);

} // namespace purview::gpu::detail
