#include "buffer.hpp"

#include "driver/process.hpp"

#include <purview/base/errors.hpp>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1::gpu::detail {

Buffer::~Buffer() {
    if (block_.bytes != 0) {
        device_.pool.give(block_, last_);
        return;
    }
    if (owner_ == nullptr) return;
    try {
        device_.keep_until_done(last_, std::move(owner_));
    } catch (...) { // no memory to note it: the owner goes now
    }
}

bool Buffer::overlaps(const Buffer& other) const noexcept {
    if (handle() == other.handle()) return &device_ == &other.device_;
    // Handles of OpenCL are no addresses.
    return device_.driver->dialect() == Dialect::cuda &&
           other.device_.driver->dialect() == Dialect::cuda &&
           handle() < other.handle() + other.bytes_ && other.handle() < handle() + bytes_;
}

BufferPtr new_buffer(DeviceState& device, std::size_t bytes) {
    const StreamPtr& stream = current_stream(device);
    const Block block = [&] {
        Unsettled* const kept = device.unsettled;
        if (kept == nullptr) return device.pool.take(bytes, *stream);
        try {
            return device.pool.take(bytes, *stream);
        } catch (const DeviceError&) { // what is kept until it is settled may be enough
            kept->let_go(true);
            return device.pool.take(bytes, *stream);
        }
    }();
    try {
        return std::make_shared<Buffer>(device, block, bytes, stream);
    } catch (...) {
        device.pool.give(block, stream);
        throw;
    }
}

DeviceTurn::DeviceTurn(DeviceState& device, StreamPtr stream)
    : device_(device), stream_(std::move(stream)) {
    check_not_forked(device.driver->label());
    device.let_owners_go();
    lock_ = std::unique_lock(device.turn);
}

void DeviceTurn::use(Buffer& buffer) {
    const StreamPtr& last = following(buffer.last_);
    if (last == stream_) return;
    if (std::ranges::find(waited_, last.get()) == waited_.end()) {
        waited_.push_back(last.get());
        Driver& driver = *device_.driver;
        const EventHandle event = driver.record(last->handle);
        try {
            driver.wait(stream_->handle, event);
        } catch (...) {
            driver.release_event(event);
            throw;
        }
        driver.release_event(event);
    }
    buffer.last_ = stream_;
}

} // namespace purview
