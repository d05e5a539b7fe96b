#include "pool.hpp"

#include "driver/process.hpp"
#include "stream_state.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace purview::inline v0_1::gpu::detail {
namespace {
constexpr std::size_t smallest = 512, large = std::size_t{16} << 20,
                      step_of_large = std::size_t{2} << 20;

std::size_t round_up_to(std::size_t n, std::size_t step) { return (n + step - 1) / step * step; }
} // namespace

std::size_t Pool::size_class(std::size_t bytes) {
    if (bytes <= smallest) return smallest;
    if (bytes > static_cast<std::size_t>(-1) / 2) return bytes; // nobody has that
    return round_up_to(bytes, bytes >= large ? step_of_large
                                             : std::max(smallest, std::bit_floor(bytes) / 8));
}

Block Pool::take(std::size_t bytes, const StreamState& stream) {
    const std::size_t size = size_class(bytes);
    const std::lock_guard lock(mutex_);
    Block block = found(size, stream);
    if (block.handle == 0) {
        if (memory_.limit != 0) {
            if (size > memory_.limit || memory_.used > memory_.limit - size) refuse(bytes, size);
            release_until(memory_.limit - size - memory_.used);
        }
        const auto allocated = [&] { // drivers find sizes that nobody has invalid
            return size > driver_.memory_bytes() ? Handle{0} : driver_.allocate(size);
        };
        block = {allocated(), size};
        if (block.handle == 0 && memory_.kept != 0) {
            release_until(0);
            block.handle = allocated();
        }
        if (block.handle == 0) refuse(bytes, size);
    }
    memory_.used += block.bytes;
    memory_.peak = std::max(memory_.peak, memory_.used);
    return block;
}

Block Pool::found(std::size_t size, const StreamState& stream) {
    const auto place = by_size_.lower_bound({&stream, size});
    if (place == by_size_.end() || place->first.first != &stream ||
        place->first.second > size + size / 8)
        return {};
    const Block block = place->second->block;
    free_.erase(place->second);
    by_size_.erase(place);
    memory_.kept -= block.bytes;
    return block;
}

void Pool::give(Block block, const StreamPtr& last) noexcept {
    if (is_forked()) return;
    const std::lock_guard lock(mutex_);
    memory_.used -= block.bytes;
    try {
        const StreamPtr& stream = following(last);
        free_.push_back({block, stream});
        memory_.kept += block.bytes;
        by_size_.emplace(Key{stream.get(), block.bytes}, std::prev(free_.end()));
        if (is_left_alone()) return; // nothing is given back any more
        release_until(
            memory_.limit == 0
                ? most_kept_
                : std::min(most_kept_, memory_.limit - std::min(memory_.limit, memory_.used)));
    } catch (...) { // the device is lost, or the host has no memory to note it
    }
}

void Pool::release_first() {
    const auto first = free_.begin();
    const auto [begin, end] = by_size_.equal_range({first->stream.get(), first->block.bytes});
    const auto place =
        std::find_if(begin, end, [&](const auto& entry) { return entry.second == first; });
    if (place != end) by_size_.erase(place);
    const Free old = std::move(*first);
    free_.erase(first);
    memory_.kept -= old.block.bytes;
    driver_.synchronize(old.stream->handle); // nothing may use it any more
    driver_.release(old.block.handle);
}

void Pool::release_until(std::size_t kept) {
    while (memory_.kept > kept && !free_.empty()) release_first();
}

void Pool::trim() {
    const std::lock_guard lock(mutex_);
    release_until(0);
}

void Pool::end(StreamState& stream, const StreamPtr& next) noexcept {
    const std::lock_guard lock(mutex_);
    stream.next = next;
    stream.ended.store(true, std::memory_order_release);
    for (auto place = by_size_.lower_bound({&stream, 0});
         place != by_size_.end() && place->first.first == &stream;) {
        auto node = by_size_.extract(place++);
        node.key().first = next.get();
        node.mapped()->stream = next;
        by_size_.insert(std::move(node));
    }
}

Memory Pool::memory() {
    const std::lock_guard lock(mutex_);
    return memory_;
}

void Pool::set_limit(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    memory_.limit = bytes;
    if (bytes != 0) release_until(bytes - std::min(bytes, memory_.used));
}

void Pool::set_most_kept(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    most_kept_ = bytes;
    release_until(bytes);
}

void Pool::refuse(std::size_t asked, std::size_t size) {
    const std::string limit =
        memory_.limit == 0 ? "there is no limit" : fmt::format("the limit is {}", memory_.limit);
    throw DeviceError(fmt::format(
        "{}: no room for {} bytes (as {}): {} are used and {} kept here, {}, and the device has {}",
        driver_.label(), asked, size, memory_.used, memory_.kept, limit, driver_.memory_bytes()));
}

} // namespace purview
