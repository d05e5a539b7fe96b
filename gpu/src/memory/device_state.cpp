#include "device_state.hpp"

#include "driver/process.hpp"

#include <purview/base/errors.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace purview::inline v0_1::gpu::detail {

int& OwnersStay::depth() noexcept {
    thread_local int depth = 0;
    return depth;
}

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
    const std::lock_guard lock(streams_mutex_);
    std::erase(streams_, stream);
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
    let_owners_go();
}

void DeviceState::keep_until_done(const StreamPtr& last, std::shared_ptr<void> owner) {
    if (is_left_alone()) { // its device is not to be called any more
        static_cast<void>(new std::shared_ptr<void>(std::move(owner)));
        return;
    }
    EventHandle done = nullptr;
    try {
        const std::lock_guard lock(streams_mutex_); // it does not end meanwhile
        done = driver->record(following(last)->handle);
    } catch (const DeviceError&) { // a device that is lost runs nothing any more
        return;
    }
    {
        const std::lock_guard lock(owners_mutex_);
        owners_.push_back({done, std::move(owner)});
        has_owners_ = true;
    }
    let_done_owners_go();
}

void DeviceState::let_done_owners_go() {
    if (OwnersStay::here()) return;
    std::vector<Kept> done;
    {
        const std::lock_guard lock(owners_mutex_);
        const auto first =
            std::stable_partition(owners_.begin(), owners_.end(), [&](const Kept& k) {
                try {
                    return !driver->has_happened(k.done);
                } catch (const DeviceError&) {
                    return false;
                }
            });
        done.assign(std::make_move_iterator(first), std::make_move_iterator(owners_.end()));
        owners_.erase(first, owners_.end());
        has_owners_ = !owners_.empty();
    }
    for (const Kept& k : done) driver->release_event(k.done);
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
