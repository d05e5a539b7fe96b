#include "pinned_word.hpp"

#include <exception>

namespace purview::inline v0_1::gpu::detail {

PinnedWord::PinnedWord(DeviceState& device)
    : device_(device), exceptions_(std::uncaught_exceptions()) {
    DeviceState::Words& words = device.words;
    const std::lock_guard lock(words.mutex);
    if (words.free
            .empty()) { // a page more, for good: there are no more of them than are lent at once
        constexpr std::size_t page = 4096;
        words.all += page / bytes;
        words.free.reserve(words.all);
        auto* const made = static_cast<std::byte*>(device.driver->allocate_pinned(page));
        for (std::size_t at = 0; at < page; at += bytes) words.free.push_back(made + at);
    }
    memory_ = words.free.back();
    words.free.pop_back();
}

PinnedWord::~PinnedWord() {
    if (std::uncaught_exceptions() > exceptions_) return;
    const std::lock_guard lock(device_.words.mutex);
    device_.words.free.push_back(memory_);
}

} // namespace purview
