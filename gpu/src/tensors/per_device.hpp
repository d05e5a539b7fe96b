#pragma once

#include "../memory/device_state.hpp"

#include <map>
#include <mutex>
#include <utility>

namespace purview::inline v0_1::gpu::detail {

/// The `T` of a device: made of it by the first call, and never destroyed.
template <typename T>
T& of_device(DeviceState& device) {
    static std::mutex mutex;
    static auto& all = *new std::map<DeviceState*, T*>;
    thread_local std::pair<DeviceState*, T*> last{nullptr, nullptr};
    if (last.first == &device) return *last.second;
    const std::lock_guard lock(mutex);
    T*& found = all[&device];
    if (found == nullptr) found = new T(device);
    last = {&device, found};
    return *found;
}

} // namespace purview::gpu::detail
