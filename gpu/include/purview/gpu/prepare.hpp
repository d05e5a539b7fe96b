#pragma once

#include <purview/functional/applied/computation.hpp>
#include <purview/gpu/device.hpp>

namespace purview::inline v0_1::gpu {

/// Builds the kernels that a call with tensors on a device needs, in row-major order, and numbers for arguments of rank 0, so that the first
/// call waits for no compiler. Computes nothing; takes the memory of a call meanwhile. Throws `ShapeError` for extents of `any_size`, and
/// what a call would for what has no form there.
PURVIEW_GPU_EXPORT void prepare(const TracedFunction& function, const Device& device);
template <typename Signature>
void prepare(const Computation<Signature>& computation, const Device& device) {
    prepare(*computation.function(), device);
}

} // namespace purview::gpu
