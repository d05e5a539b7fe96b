#pragma once

#include <purview/evaluation/work.hpp>

#include "../memory/buffer.hpp"

#include <string>

namespace purview::inline v0_1::gpu::detail {

/// Running folds along the lanes of `source`, which the device can read, to `destination`, which lies there or in the host's memory: its
/// elements one after the other. Integers and extremes have the host's bits. Throws what `assign_on_device` throws.
void scan_on_device(DeviceState& device, const work::Scan& scan, const Operand& source,
                    const Operand& destination);

/// How that would be done, for `explain`.
std::string describe_scan_on_device(DeviceState& device, const work::Scan& scan,
                                    const Operand& source);

} // namespace purview::gpu::detail
