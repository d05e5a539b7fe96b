#pragma once

#include <purview/gpu/device.hpp>
#include <purview/named/dim_tensor.hpp>
#include <purview/tensor/any_tensor.hpp>
#include <purview/tensor/array_like.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/stage.hpp>

#include <optional>
#include <utility>

namespace purview::inline v0_1::gpu {

/// The elements in new row-major memory of a device, and of the host. Of an operand that is computed: computed where its leaves lie, then
/// copied. Throws `DeviceError` where memory is short, for types that devices do not have (strings, times, complex numbers) and for
/// operands on several devices; `KindError` for what is sparse: `to_dense(x)` first.
PURVIEW_GPU_EXPORT Operand operand_on_device(const Operand& source, const Device& device);
PURVIEW_GPU_EXPORT Operand operand_on_host(const Operand& source);
/// Where the leaves of an operand lie; nothing for the host.
PURVIEW_GPU_EXPORT std::optional<Device> device_below(const Operand& source);

/// What `move` makes of the elements of an array, as a tensor that can be written; dims stay.
template <array_like X, typename Move>
auto moved_elements(const X& x, Move move) {
    if constexpr (ForeignArray<X>) {
        return moved_elements(tensor_for_call(x), move);
    } else if constexpr (!TypedTensor<X>) {
        return AnyTensor::writable(move(x.operand()));
    } else if constexpr (HasDims<X>) {
        DimOperand bound = settled(dim_operand(x));
        bound.operand = move(bound.operand);
        return MutableDimTensor<typename X::value_type>(std::move(bound));
    } else {
        return MutableTensor<typename X::value_type>(move(x.operand()));
    }
}

/// `to_device(x, device)`, or a stage, `x | to_device(device)`: a copy of a tensor, an array or what an expression computes in a device's
/// memory: a tensor that is written and computed with there. Dims stay. O(n). Throws as `operand_on_device`.
struct ToDeviceFunction {
    template <array_like X>
    auto operator()(const X& x, const Device& device) const {
        return moved_elements(x, [&](const Operand& o) { return operand_on_device(o, device); });
    }
    auto operator()(const Device& device) const { return make_stage(*this, device); }
};
inline constexpr ToDeviceFunction to_device;

/// `to_host(x)`, or a stage: a copy in the host's memory, of what is computed where it lies. Dims stay. O(n); waits for the device.
struct ToHostFunction : PipelineStage {
    template <array_like X>
    auto operator()(const X& x) const {
        return moved_elements(x, &operand_on_host);
    }
};
inline constexpr ToHostFunction to_host;

/// The device that a tensor lies on; nothing for one of the host. Throws `Error` for operands on several.
template <typename X>
std::optional<Device> device_of(const X& x) {
    if constexpr (HasDims<X>)
        return device_below(settled(dim_operand(x)).operand);
    else
        return device_below(x.operand());
}

} // namespace purview::gpu
