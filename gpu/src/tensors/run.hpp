#pragma once

#include <purview/evaluation/work.hpp>

#include "checks.hpp"

#include "../kernels/lowered.hpp"
#include "../memory/buffer.hpp"

#include <string>
#include <vector>

namespace purview::inline v0_1::gpu::detail {

/// The readers of one device, and which buffers of theirs were found.
class DevicePlaces final : public Places {
public:
    explicit DevicePlaces(DeviceState& device) : device_(device) {}

    bool find(const AnyReader& reader, Place& place) const override;
    Place place_of(const Buffer& buffer) const;
    std::vector<Buffer*>& found() const { return found_; }

private:
    DeviceState& device_;
    mutable std::vector<Buffer*> found_;
};

/// How kernels are made for a device.
LowerOptions options_on(DeviceState& device);

/// The buffer of a leaf on a device.
Buffer& buffer_below(const Operand& destination);

/// Whether a leaf below reads memory of a buffer.
bool reads_memory_of(const Operand& source, const Buffer& buffer);

/// The source with a node in memory of its own.
Operand with_memory_of(DeviceState& device, const Operand& source, const NodePtr& node,
                       const char* what);

/// Launches the kernel that `options` make of `source`, whose results go to the memory of `out`, as `to` says, which the source does not
/// read; `also` is memory that it writes beside. What is too much for one kernel is computed before.
void launch_on_device(DeviceState& device, Operand source, const Operand& out, const Dimensions& to,
                      const LowerOptions& options, const char* what, Buffer* also,
                      FunctionRef<CheckedWork()> work);

/// Assigns the elements of `source`, which the device can read, to those of `destination`, a view of a leaf there, of the same shape.
/// Both may be the same memory. Begun on the calling thread's stream. Throws `DeviceError` naming `what` for what has no form on a
/// device, and what the host throws for elements that are errors: at once, or when it is settled (`Checks`).
void assign_on_device(DeviceState& device, const Operand& source, const Operand& destination,
                      const char* what);

/// Has `compute` write results to the destination itself, or to memory of their own that is then assigned, or copied, to where the
/// destination lies.
void to_results_on_device(DeviceState& device, const char* what, DType dtype,
                          const Operand& destination, bool in_place,
                          FunctionRef<void(const Operand& out)> compute);

/// How an assignment would be done, for `explain`.
std::string describe_assignment_on_device(DeviceState& device, const Operand& source,
                                          const Operand& destination);

} // namespace purview::gpu::detail
