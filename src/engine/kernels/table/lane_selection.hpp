#pragma once

#include "engine/kernels/table/lane_kernels.hpp"
#include "engine/kernels/table/selection.hpp"

namespace purview::inline v0_1::engine {

/// The lane kernels of the target of `kernels()`.
inline const LaneKernels& lane_kernels() { return *kernels().lanes; }

} // namespace purview::engine
