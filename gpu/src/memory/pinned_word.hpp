#pragma once

#include "buffer.hpp"

#include <cstddef>

namespace purview::inline v0_1::gpu::detail {

/// A few bytes of pinned memory of the host, for one number that comes back from a device: lent as long as it lives. What was begun to
/// write there has to be done then, but for exceptions, which leave the word to it.
class PinnedWord {
public:
    static constexpr std::size_t bytes = 64;

    explicit PinnedWord(DeviceState& device);
    ~PinnedWord();
    PinnedWord(const PinnedWord&) = delete;
    PinnedWord& operator=(const PinnedWord&) = delete;

    void* memory() const noexcept { return memory_; }
    /// What kernels know it by; 0 where they do not reach memory of the host.
    Handle handle() const noexcept { return device_.driver->handle_of_pinned(memory_); }
    /// It as memory of the device: for the calling thread's stream.
    BufferPtr buffer() const {
        return std::make_shared<Buffer>(device_, handle(), bytes, current_stream(device_), nullptr);
    }

private:
    DeviceState& device_;
    void* memory_;
    int exceptions_;
};

} // namespace purview
