// Defines purview/gpu/device.hpp.
#include <purview/gpu/device.hpp>
#include <purview/gpu/memory.hpp>

#include "device_state.hpp"
#include "driver/process.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

namespace purview::inline v0_1::gpu {
namespace {

std::string_view backend_name(const detail::DeviceState& state) {
    return state.driver->dialect() == detail::Dialect::cuda ? "cuda" : "opencl";
}

[[noreturn]] void refuse_device(std::string_view asked, bool by_variable) {
    const detail::Devices& all = detail::all_devices();
    std::vector<std::string> there;
    for (const auto* d : all.devices) there.push_back(d->driver->label());
    const std::string list =
        there.empty() ? "there is none" : fmt::format("there are {}", fmt::join(there, ", "));
    throw DeviceError(fmt::format("device: there is no device '{}'{} ({}{}{})", asked,
                                  by_variable ? ", which PURVIEW_GPU names" : "", list,
                                  all.reasons.empty() ? "" : "; ", fmt::join(all.reasons, "; ")));
}

} // namespace

const std::string& Device::name() const noexcept { return state_->driver->name(); }
std::string_view Device::backend() const noexcept { return backend_name(*state_); }
int Device::number() const noexcept { return state_->number; }
std::size_t Device::memory_bytes() const noexcept { return state_->driver->memory_bytes(); }

std::vector<Device> devices() {
    std::vector<Device> all;
    for (detail::DeviceState* state : detail::all_devices().devices) all.emplace_back(*state);
    return all;
}

Device device(std::string_view name) {
    const auto& all = detail::all_devices().devices;
    const bool by_variable = name.empty();
    if (by_variable) {
        const char* given = std::getenv("PURVIEW_GPU");
        name = given != nullptr ? given : "";
        if (name.empty() && !all.empty()) return Device(*all.front());
    }
    const std::size_t colon = name.find(':');
    const std::string_view digits = colon == std::string_view::npos ? "0" : name.substr(colon + 1);
    int number = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && end == digits.data() + digits.size())
        for (detail::DeviceState* state : all)
            if (state->number == number && backend_name(*state) == name.substr(0, colon))
                return Device(*state);
    refuse_device(name, by_variable && !name.empty());
}

void synchronize(const Device& device) {
    device.state().synchronize();
    device.state().settle(true);
}

Memory memory(const Device& device) {
    if (detail::Unsettled* const all = device.state().unsettled) all->let_go(false);
    return device.state().pool.memory();
}

void trim(const Device& device) {
    detail::check_not_forked(device.state().driver->label());
    if (detail::Unsettled* const all = device.state().unsettled) all->let_go(true);
    device.state().pool.trim();
}

void set_memory_limit(const Device& device, std::size_t bytes) {
    detail::check_not_forked(device.state().driver->label());
    device.state().pool.set_limit(bytes);
}

Statistics statistics(const Device& device) {
    const detail::Counters& c = device.state().driver->counters;
    return {c.kernels_built, c.launches, c.bytes_in, c.bytes_out};
}

} // namespace purview
