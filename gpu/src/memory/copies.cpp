#include "copies.hpp"

#include "pinned_word.hpp"

#include <purview/base/index.hpp>
#include <purview/evaluation/parallel.hpp>

#include <algorithm>
#include <cstring>

namespace purview::inline v0_1::gpu::detail {
namespace {

using Staging = DeviceState::Staging;

bool is_staged(DeviceState& device, const void* host, std::size_t bytes) {
    if (device.staging.always) return bytes != 0;
    return bytes >= Staging::from && !device.driver->is_pinned(host);
}

/// memcpy on several threads: one of them is slower than the bus.
void copied(std::byte* to, const std::byte* from, std::size_t bytes) {
    parallel_ranges(static_cast<index_t>(bytes), 256 << 10, 0.1 * static_cast<double>(bytes),
                    [&](index_t begin, index_t end) {
                        std::memcpy(to + begin, from + begin,
                                    static_cast<std::size_t>(end - begin));
                    });
}

/// The two blocks, while a copy has them.
class StagingTurn {
public:
    explicit StagingTurn(DeviceState& device)
        : driver_(*device.driver), staging_(device.staging), lock_(staging_.mutex) {
        for (void*& block : staging_.blocks)
            if (block == nullptr) block = driver_.allocate_pinned(Staging::bytes);
    }
    std::byte* block(std::size_t i) { return static_cast<std::byte*>(staging_.blocks[i % 2]); }
    /// From now on until what was begun on `stream` is done.
    void mark(std::size_t i, StreamHandle stream) {
        staging_.in_use[i % 2] = driver_.record(stream);
    }
    void wait(std::size_t i) {
        EventHandle& event = staging_.in_use[i % 2];
        if (event == nullptr) return;
        driver_.wait_on_host(event);
        driver_.release_event(event);
        event = nullptr;
    }

private:
    Driver& driver_;
    Staging& staging_;
    const OwnersStay stay_;
    std::unique_lock<std::mutex> lock_;
};

} // namespace

void copy_in(Buffer& to, std::size_t offset, const void* from, std::size_t bytes) {
    DeviceState& device = to.device();
    Driver& driver = *device.driver;
    const StreamPtr stream = current_stream(device);
    if (!is_staged(device, from, bytes)) {
        {
            DeviceTurn turn(device, stream);
            turn.use(to);
            driver.copy_in(stream->handle, to.handle(), offset, from, bytes);
        }
        return driver.synchronize(stream->handle);
    }
    StagingTurn blocks(device);
    const auto* source = static_cast<const std::byte*>(from);
    for (std::size_t done = 0, i = 0; done < bytes; ++i) {
        const std::size_t part = std::min(Staging::bytes, bytes - done);
        blocks.wait(i);
        copied(blocks.block(i), source + done, part);
        DeviceTurn turn(device, stream);
        turn.use(to);
        driver.copy_in(stream->handle, to.handle(), offset + done, blocks.block(i), part);
        blocks.mark(i, stream->handle);
        done += part;
    }
}

void copy_out(void* to, Buffer& from, std::size_t offset, std::size_t bytes) {
    if (bytes == 0) return;
    DeviceState& device = from.device();
    Driver& driver = *device.driver;
    const StreamPtr stream = current_stream(device);
    const auto copy_out_to = [&](void* host) {
        {
            DeviceTurn turn(device, stream);
            turn.use(from);
            driver.copy_out(stream->handle, host, from.handle(), offset, bytes);
        }
        driver.synchronize(stream->handle);
    };
    if (!is_staged(device, to, bytes)) {
        if (bytes > PinnedWord::bytes) return copy_out_to(to);
        const PinnedWord word(device); // copies to memory that is not pinned take the driver longer
        copy_out_to(word.memory());
        std::memcpy(to, word.memory(), bytes);
        return;
    }
    StagingTurn blocks(device);
    auto* target = static_cast<std::byte*>(to);
    const std::size_t parts = (bytes + Staging::bytes - 1) / Staging::bytes;
    const auto length = [&](std::size_t i) {
        return std::min(Staging::bytes, bytes - i * Staging::bytes);
    };
    const auto begin = [&](std::size_t i) {
        if (i >= parts) return;
        blocks.wait(i); // of an earlier copy
        DeviceTurn turn(device, stream);
        turn.use(from);
        driver.copy_out(stream->handle, blocks.block(i), from.handle(), offset + i * Staging::bytes,
                        length(i));
        blocks.mark(i, stream->handle);
    };
    begin(0);
    begin(1);
    for (std::size_t i = 0; i < parts; ++i) {
        blocks.wait(i);
        copied(target + i * Staging::bytes, blocks.block(i), length(i));
        begin(i + 2);
    }
}

void copy_within(Buffer& to, std::size_t to_offset, Buffer& from, std::size_t from_offset,
                 std::size_t bytes) {
    DeviceTurn turn(to.device());
    turn.use(to);
    turn.use(from);
    to.device().driver->copy_within(turn.stream(), to.handle(), to_offset, from.handle(),
                                    from_offset, bytes);
}

} // namespace purview
