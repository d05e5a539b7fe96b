#pragma once

#include "device_state.hpp"
#include "pool.hpp"
#include "stream_state.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace purview::inline v0_1::gpu::detail {

class DeviceTurn;

/// Memory of a device, shared by whoever uses it. It knows the stream of its last use, so that another stream waits for that, and that
/// the memory goes back to that one's free list.
class Buffer {
public:
    /// Use `new_buffer`.
    Buffer(DeviceState& device, Block block, std::size_t bytes, StreamPtr stream) noexcept
        : device_(device), block_(block), bytes_(bytes), last_(std::move(stream)) {}
    /// Memory of others, kept alive by `owner`, which goes once everything begun with it is done;
    /// without one, whoever has it waits for that.
    Buffer(DeviceState& device, Handle handle, std::size_t bytes, StreamPtr stream,
           std::shared_ptr<void> owner) noexcept
        : device_(device),
          block_{handle, 0},
          bytes_(bytes),
          last_(std::move(stream)),
          owner_(std::move(owner)) {}
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    DeviceState& device() const noexcept { return device_; }
    Handle handle() const noexcept { return block_.handle; }
    std::size_t bytes() const noexcept { return bytes_; }
    /// Memory of others may have come in more than once.
    bool overlaps(const Buffer& other) const noexcept;

private:
    friend class DeviceTurn;
    DeviceState& device_;
    Block block_;
    std::size_t bytes_;
    StreamPtr last_; ///< changed in a turn
    std::shared_ptr<void> owner_;
};
using BufferPtr = std::shared_ptr<Buffer>;

/// Uninitialised memory, for the calling thread's stream. Throws `DeviceError` where there is no room.
BufferPtr new_buffer(DeviceState& device, std::size_t bytes);

/// As long as it lives, the calling thread is the one that begins work on a device: it says which memory that uses, and begins it. Short:
/// nothing is waited for, compiled or allocated meanwhile.
class DeviceTurn {
public:
    /// On the calling thread's stream.
    explicit DeviceTurn(DeviceState& device) : DeviceTurn(device, current_stream(device)) {}
    DeviceTurn(DeviceState& device, StreamPtr stream);

    /// What is begun next uses this memory: it comes after whatever uses it on other streams.
    void use(Buffer& buffer);
    StreamHandle stream() const noexcept { return stream_->handle; }

private:
    DeviceState& device_;
    StreamPtr stream_;
    std::unique_lock<std::mutex> lock_;
    std::vector<const StreamState*> waited_; ///< the streams that this one waits for already
};

} // namespace purview
