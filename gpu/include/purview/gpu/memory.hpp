#pragma once

#include <purview/gpu/device.hpp>

#include <cstddef>
#include <cstdint>

namespace purview::inline v0_1::gpu {

/// Bytes of a device's memory that this process holds, as they were allocated: sizes are rounded up.
struct Memory {
    std::size_t used = 0;  ///< what tensors hold
    std::size_t kept = 0;  ///< what was freed, and is kept for the next ones
    std::size_t peak = 0;  ///< the most that was ever used
    std::size_t limit = 0; ///< what `set_memory_limit` has set; 0 is none
};

PURVIEW_GPU_EXPORT Memory memory(const Device& device);

/// Gives back to the driver what is kept.
PURVIEW_GPU_EXPORT void trim(const Device& device);

/// From now on no more than `bytes` are used and kept together: whoever asks for more gets a `DeviceError`. 0 is no limit.
PURVIEW_GPU_EXPORT void set_memory_limit(const Device& device, std::size_t bytes);

/// What was done on a device since the process began.
struct Statistics {
    std::uint64_t kernels_built = 0; ///< compiled from source
    std::uint64_t launches = 0;      ///< of kernels
    std::uint64_t bytes_in = 0;      ///< copied there from the host
    std::uint64_t bytes_out = 0;     ///< copied from there to the host
};

PURVIEW_GPU_EXPORT Statistics statistics(const Device& device);

} // namespace purview
