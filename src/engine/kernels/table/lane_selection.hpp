#pragma once

#include "engine/kernels/table/lane_kernels.hpp"

namespace purview::engine {

/// Those of the same target.
const LaneKernels& lane_kernels(const KernelTable& table);
/// Those of `kernels()`.
const LaneKernels& lane_kernels();

} // namespace purview::engine
