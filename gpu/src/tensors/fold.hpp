#pragma once

#include <purview/evaluation/work.hpp>

#include "../memory/buffer.hpp"

#include <string>

namespace purview::inline v0_1::gpu::detail {

/// Folds each of `fold.groups` equal parts of `source`, which the device can read, to an element of `destination`, which lies there or
/// in the host's memory: in the host's order, so that sums of floats have its bits. Throws what `assign_on_device` throws.
void fold_on_device(DeviceState& device, const work::Fold& fold, const Operand& source,
                    const Operand& destination);

/// How that would be done, for `explain`.
std::string describe_fold_on_device(DeviceState& device, const work::Fold& fold,
                                    const Operand& source);

} // namespace purview::gpu::detail
