#pragma once

#include <purview/gpu/device.hpp>
#include <purview/named/dim_tensor.hpp>
#include <purview/tensor/any_tensor.hpp>
#include <purview/tensor/create.hpp>

#include <optional>
#include <utility>

namespace purview::inline v0_1::gpu {

/// The elements in new row-major memory of a device, and of the host. Of an operand that is computed: computed where its leaves lie, then
/// copied. Throws `DeviceError` where memory is short, for types that devices do not have (strings, times, complex numbers) and for
/// operands on several devices.
PURVIEW_GPU_EXPORT Operand operand_on_device(const Operand& source, const Device& device);
PURVIEW_GPU_EXPORT Operand operand_on_host(const Operand& source);
/// Where the leaves of an operand lie; nothing for the host.
PURVIEW_GPU_EXPORT std::optional<Device> device_below(const Operand& source);

/// A copy of a tensor, an array or what an expression computes in a device's memory: a tensor that is written and computed with there.
/// O(n). Throws as `operand_on_device`.
template <TypedTensor X>
auto to_device(const X& x, const Device& device) {
    return MutableTensor<typename X::value_type>(operand_on_device(x.operand(), device));
}
inline AnyTensor to_device(const AnyTensor& x, const Device& device) {
    return AnyTensor::writable(operand_on_device(x.operand(), device));
}

/// A copy in the host's memory, of what is computed where it lies. O(n); waits for the device.
template <TypedTensor X>
auto to_host(const X& x) {
    return MutableTensor<typename X::value_type>(operand_on_host(x.operand()));
}
inline AnyTensor to_host(const AnyTensor& x) {
    return AnyTensor::writable(operand_on_host(x.operand()));
}

/// The device that a tensor lies on; nothing for one of the host. Throws `Error` for operands on several.
template <typename X>
std::optional<Device> device_of(const X& x) {
    return device_below(x.operand());
}

} // namespace purview::gpu
