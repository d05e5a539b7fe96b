#pragma once

#include <purview/gpu/device.hpp>

#include <memory>

namespace purview::inline v0_1::gpu {

namespace detail {
struct OwnedStream;
}

/// An order of work on a device: what is begun on one stream happens one after the other, on several at once. A device
/// has one by itself, which is used unless an `OnStream` says otherwise. Memory may be used on any: the second one waits for the first.
class PURVIEW_GPU_EXPORT Stream {
public:
    /// A new one. Throws `DeviceError`.
    explicit Stream(const Device& device);
    /// Another library's: a `CUstream` (null is CUDA's default one) or a `cl_command_queue` of the same context. It stays
    /// theirs, and has to live as long as this and its copies.
    Stream(const Device& device, void* handle);

    /// Waits for all that was begun on it. Throws `DeviceError` for what failed there.
    void synchronize() const;
    gpu::Device device() const noexcept;
    /// The `CUstream` or `cl_command_queue`.
    void* handle() const noexcept;

private:
    friend class OnStream;
    std::shared_ptr<detail::OwnedStream> owned_;
};

/// The `CUstream` or `cl_command_queue` that what this thread begins on a device goes to, for libraries that wait for it.
PURVIEW_GPU_EXPORT void* current_handle(const Device& device);

/// As long as it lives, what this thread begins on the stream's device is begun on that stream. They end in the opposite order of
/// their beginning.
class PURVIEW_GPU_EXPORT OnStream {
public:
    explicit OnStream(const Stream& stream) noexcept;
    ~OnStream();
    OnStream(const OnStream&) = delete;
    OnStream& operator=(const OnStream&) = delete;

    /// For the library itself: that of the calling thread which began last, and the one before.
    static const OnStream* innermost() noexcept;
    const OnStream* outer() const noexcept { return outer_; }
    const detail::OwnedStream& owned() const noexcept { return *owned_; }

private:
    std::shared_ptr<detail::OwnedStream> owned_;
    const OnStream* outer_;
};

} // namespace purview
