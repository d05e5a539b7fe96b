#pragma once

#include <purview/gpu/memory.hpp>

#include "driver/driver.hpp"

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace purview::inline v0_1::gpu::detail {

struct StreamState;
using StreamPtr = std::shared_ptr<StreamState>;

/// Memory that was asked for: `bytes` is its size class.
struct Block {
    Handle handle = 0;
    std::size_t bytes = 0;
};

/// A device's memory. What is freed is kept, for whoever asks next on the stream that used it last: that one runs after whatever
/// uses it now. As much is kept as a quarter of what the device has; what was freed first goes first.
class Pool {
public:
    explicit Pool(Driver& driver) : driver_(driver), most_kept_(driver.memory_bytes() / 4) {}

    /// `bytes` rounded up: an eighth more at most, or 512 bytes; from 16 MiB on multiples of 2 MiB.
    static std::size_t size_class(std::size_t bytes);

    /// Throws `DeviceError` where the device, or the limit, has no room, even after everything kept was given back.
    Block take(std::size_t bytes, const StreamState& stream);
    void give(Block block, const StreamPtr& last) noexcept;
    void trim();
    /// A stream ends: what it has used last is `next`'s from now on, which waits for it.
    void end(StreamState& stream, const StreamPtr& next) noexcept;

    Memory memory();
    void set_limit(std::size_t bytes);
    void set_most_kept(std::size_t bytes);

private:
    struct Free {
        Block block;
        StreamPtr stream;
    };
    using FreeList = std::list<Free>; ///< what was freed first is first
    using Key = std::pair<const StreamState*, std::size_t>;

    Block found(std::size_t size, const StreamState& stream);
    void release_first();
    void release_until(std::size_t kept);
    [[noreturn]] void refuse(std::size_t asked, std::size_t size);

    Driver& driver_;
    std::mutex mutex_;
    FreeList free_;
    std::multimap<Key, FreeList::iterator> by_size_;
    Memory memory_;
    std::size_t most_kept_;
};

} // namespace purview
