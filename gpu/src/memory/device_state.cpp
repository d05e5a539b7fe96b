#include "device_state.hpp"

#include "driver/process.hpp"

#include <algorithm>
#include <utility>

namespace purview::inline v0_1::gpu::detail {

DeviceState::DeviceState(std::unique_ptr<Driver> d, int n)
    : driver(std::move(d)), number(n), pool(*driver) {
    driver->number(n);
}

const StreamPtr& DeviceState::own_stream() {
    check_not_forked(driver->label());
    std::call_once(own_once_, [this] { own_ = add_stream(nullptr, false); });
    return own_;
}

StreamPtr DeviceState::add_stream(StreamHandle borrowed_handle, bool borrowed) {
    check_not_forked(driver->label());
    auto stream = std::make_shared<StreamState>(*this, borrowed_handle, borrowed);
    const std::lock_guard lock(streams_mutex_);
    streams_.reserve(streams_.size() + 1);
    if (!borrowed) stream->handle = driver->make_stream();
    streams_.push_back(stream);
    return stream;
}

void DeviceState::end_stream(const StreamPtr& stream) noexcept {
    if (is_left_alone()) return;
    try {
        const StreamPtr& own = own_stream();
        const std::lock_guard lock(turn);
        EventHandle event = nullptr;
        try {
            event = driver->record(stream->handle);
            driver->wait(own->handle, event);
        } catch (...) { // a device that is lost: nothing runs there any more
        }
        if (event != nullptr) driver->release_event(event);
        pool.end(*stream, own);
    } catch (...) { // without a stream of its own, nothing of the device was used
    }
    {
        const std::lock_guard lock(streams_mutex_);
        std::erase(streams_, stream);
    }
    if (!stream->borrowed) driver->release_stream(stream->handle);
}

void DeviceState::synchronize() {
    check_not_forked(driver->label());
    std::vector<StreamPtr> streams;
    {
        const std::lock_guard lock(streams_mutex_);
        streams = streams_;
    }
    for (const StreamPtr& stream : streams)
        if (!stream->ended) driver->synchronize(stream->handle);
}

const Devices& all_devices() {
    static const Devices& all = *[] {
        auto* opened = new Devices;
        for (auto* open : {cuda_devices, opencl_devices}) {
            int number = 0;
            for (auto& driver : open(opened->reasons))
                opened->devices.push_back(new DeviceState(std::move(driver), number++));
        }
        watch_process();
        return opened;
    }();
    return all;
}

} // namespace purview
