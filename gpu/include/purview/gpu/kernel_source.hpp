#pragma once

#include <purview/gpu/device.hpp>
#include <purview/tensor/any_tensor.hpp>

#include <string>
#include <string_view>

namespace purview::inline v0_1::gpu {

/// The text of the kernel that computes an expression to row-major memory, in the dialect "cuda" or "opencl". Needs no device: tensors in
/// the host's memory are taken as if they lay on one. Of an expression that is cut into several kernels, the texts of these one after the
/// other, each of which begins with a line `// kernel 1`, `// kernel 2` … Throws `DeviceError` for other dialects, which names both, and for
/// what has no form on a device. O(the size of the expression).
PURVIEW_GPU_EXPORT std::string kernel_source(const AnyTensor& x, std::string_view dialect);

} // namespace purview::gpu
