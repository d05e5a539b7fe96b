#pragma once

#include "lowered.hpp"

#include <string>

namespace purview::inline v0_1::gpu::detail {

/// The text of a kernel of form `softmax`, without what its dialect needs first.
std::string softmax_text(const Lowered& x);

} // namespace purview::gpu::detail
