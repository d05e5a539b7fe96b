#pragma once

#include <purview/expression/node.hpp>

#include "../memory/buffer.hpp"

#include <string>

namespace purview::inline v0_1::gpu::detail {

/// `softmax_elements` of a source of float32 or float64 that the device can read, to a line of results there or in the host's memory:
/// rows of up to 16,384 elements by one kernel that reads and writes each element once, longer ones by three.
void softmax_on_device(DeviceState& device, index_t groups, const Operand& source,
                       const Operand& destination);

/// How that would be done, for `explain`.
std::string describe_softmax_on_device(DeviceState& device, index_t groups, const Operand& source);

} // namespace purview::gpu::detail
