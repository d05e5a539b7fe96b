#pragma once

#include <purview/gpu/stream.hpp>

#include "driver/driver.hpp"

#include <atomic>
#include <memory>

namespace purview::inline v0_1::gpu::detail {

struct DeviceState;

/// A stream as memory remembers it: it may have ended, and then another one waits for it.
struct StreamState {
    ~StreamState();

    DeviceState& device;
    StreamHandle handle;
    bool borrowed = false;
    std::atomic<bool> ended{false};
    std::shared_ptr<StreamState> next{}; ///< set before `ended`
};
using StreamPtr = std::shared_ptr<StreamState>;

/// The stream that everything begun on `stream` comes before: itself, unless it has ended.
inline const StreamPtr& following(const StreamPtr& stream) noexcept {
    return stream->ended.load(std::memory_order_acquire) ? stream->next : stream;
}

/// What a `Stream` and its copies share: with the last of them the stream ends.
struct OwnedStream {
    explicit OwnedStream(StreamPtr s) noexcept : stream(std::move(s)) {}
    ~OwnedStream();
    OwnedStream(const OwnedStream&) = delete;
    OwnedStream& operator=(const OwnedStream&) = delete;

    StreamPtr stream;
};

/// That of the calling thread: the innermost `OnStream` of this device, or the device's own.
const StreamPtr& current_stream(DeviceState& device);

} // namespace purview
