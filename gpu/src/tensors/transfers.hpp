#pragma once

#include <purview/expression/node.hpp>

#include "../memory/buffer.hpp"

namespace purview::inline v0_1::gpu::detail {

/// The elements in new memory of the device, in row-major order.
Operand to_device(const Operand& source, DeviceState& device);
/// The elements in new memory of the host, in row-major order; what lies on a device is computed there.
Operand to_host(const Operand& source);
/// The same to a view of a leaf of the host.
void copy_to_host(const Operand& source, const Operand& destination, const char* what);
/// The device that the leaves below lie on; null for the host.
DeviceState* device_below(const Operand& source);

} // namespace purview::gpu::detail
