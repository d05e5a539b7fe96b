// Defines purview/gpu/stream.hpp.
#include <purview/gpu/stream.hpp>

#include "device_state.hpp"
#include "stream_state.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <utility>

namespace purview::inline v0_1::gpu {
namespace {
thread_local const OnStream* innermost_stream = nullptr;
}

namespace detail {

StreamState::~StreamState() {
    if (!borrowed && handle != nullptr) device.driver->release_stream(handle);
}

OwnedStream::~OwnedStream() { stream->device.end_stream(stream); }

const StreamPtr& current_stream(DeviceState& device) {
    for (const OnStream* on = OnStream::innermost(); on != nullptr; on = on->outer())
        if (&on->owned().stream->device == &device) return on->owned().stream;
    return device.own_stream();
}

} // namespace detail

Stream::Stream(const gpu::Device& device)
    : owned_(std::make_shared<detail::OwnedStream>(device.state().add_stream(nullptr, false))) {}

Stream::Stream(const gpu::Device& device, void* handle) {
    if (handle == nullptr && device.backend() == "opencl")
        throw DeviceError(
            fmt::format("Stream: {} has no stream of handle 0", device.state().driver->label()));
    owned_ = std::make_shared<detail::OwnedStream>(device.state().add_stream(handle, true));
}

void Stream::synchronize() const {
    detail::DeviceState& state = owned_->stream->device;
    state.driver->synchronize(owned_->stream->handle);
    state.settle(true);
}
Device Stream::device() const noexcept { return gpu::Device(owned_->stream->device); }
void* Stream::handle() const noexcept { return owned_->stream->handle; }

void* current_handle(const gpu::Device& device) {
    return detail::current_stream(device.state())->handle;
}

OnStream::OnStream(const Stream& stream) noexcept
    : owned_(stream.owned_), outer_(innermost_stream) {
    innermost_stream = this;
}
OnStream::~OnStream() { innermost_stream = outer_; }
const OnStream* OnStream::innermost() noexcept { return innermost_stream; }

} // namespace purview
