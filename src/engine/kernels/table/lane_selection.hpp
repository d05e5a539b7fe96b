#pragma once

#include "engine/kernels/table/lane_kernels.hpp"

namespace purview::inline v0_1::engine {

/// The lane kernels of the same target.
const LaneKernels& lane_kernels(const KernelTable& table);
/// The lane kernels of the target of `kernels()`.
const LaneKernels& lane_kernels();

} // namespace purview::engine
