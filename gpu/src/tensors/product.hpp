#pragma once

#include <purview/evaluation/work.hpp>

#include "../memory/buffer.hpp"

#include <string>

namespace purview::inline v0_1::gpu::detail {

/// Sums products that are a matrix product, as most of `matmul`, `einsum` and sums over dims are, by the device's BLAS, or by a kernel
/// for what that does not have: to a leaf there, one result after the other. False, with nothing done, for all others: folds are as fast
/// where a factor is a vector.
bool multiply_on_device(DeviceState& device, const work::Fold& fold, const Operand& source,
                        const Operand& out);

/// How that would be done; empty for what is folded.
std::string describe_product_on_device(DeviceState& device, const work::Fold& fold,
                                       const Operand& source);

} // namespace purview::gpu::detail
