#pragma once

#include <purview/base/index.hpp>
#include <purview/gpu/export.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace purview::inline v0_1::gpu {

namespace detail {
struct DeviceState;
}

/// A device of this machine: cheap to copy, and valid as long as the process.
class PURVIEW_GPU_EXPORT Device {
public:
    /// What its driver calls it: "NVIDIA H100 80GB HBM3".
    const std::string& name() const noexcept;
    /// "cuda" or "opencl".
    std::string_view backend() const noexcept;
    /// Its number among those of its backend, from 0 on.
    int number() const noexcept;
    /// What it has, whoever uses it.
    std::size_t memory_bytes() const noexcept;

    friend bool operator==(const Device&, const Device&) = default;

    /// For the library itself.
    explicit Device(detail::DeviceState& state) noexcept : state_(&state) {}
    detail::DeviceState& state() const noexcept { return *state_; }

private:
    detail::DeviceState* state_;
};

/// Every device of every driver that this machine has: CUDA's, then OpenCL's, graphics cards first. The drivers are
/// opened by the first call. Empty where there is none.
PURVIEW_GPU_EXPORT std::vector<Device> devices();

/// The device that a text names: "cuda" the first one of CUDA, "opencl:1" the second one of OpenCL; an empty one
/// what the environment variable PURVIEW_GPU names, or else the first of `devices()`. Throws `DeviceError`, which lists what
/// there is, for all others.
PURVIEW_GPU_EXPORT Device device(std::string_view name = {});

/// Waits for all that was begun on a device's streams. Throws `DeviceError` for what failed there.
PURVIEW_GPU_EXPORT void synchronize(const Device& device);

} // namespace purview
