#pragma once

#include <purview/expression/node.hpp>

#include "../memory/buffer.hpp"

#include <string>

namespace purview::inline v0_1::gpu::detail {

/// Assigns the elements of `source`, which the device can read, to those of `destination`, a view of a leaf there, of the same shape.
/// Both may be the same memory. Begun on the calling thread's stream. Throws `DeviceError` naming `what` for what has no form on a
/// device, and what the host throws for elements that are errors: it waits for kernels that can meet one.
void assign_there(DeviceState& device, const Operand& source, const Operand& destination,
                  const char* what);

/// How that would be done, for `explain`.
std::string tell_assignment_there(DeviceState& device, const Operand& source,
                                  const Operand& destination);

} // namespace purview::gpu::detail
