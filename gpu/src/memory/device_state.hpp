#pragma once

#include <purview/gpu/device.hpp>

#include "driver/driver.hpp"
#include "pool.hpp"
#include "stream_state.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace purview::inline v0_1::gpu::detail {

/// What was begun on a device, and may have met an error that nobody knows of yet.
class Unsettled {
public:
    Unsettled() = default;
    Unsettled(const Unsettled&) = delete;
    Unsettled& operator=(const Unsettled&) = delete;
    virtual ~Unsettled() = default;

    /// Waits for it, and throws the first error: of what concerns the calling thread, or of all.
    virtual void settle(bool all) = 0;
    /// Lets go what it keeps of that which is done, or, if it waits, of all, and what is kept to be quick; but for errors.
    virtual void let_go(bool waits) noexcept = 0;
};

/// As long as one lives, nothing is let go on this thread that runs code of others: something is locked.
class OwnersStay {
public:
    OwnersStay() noexcept { ++depth(); }
    ~OwnersStay() { --depth(); }
    OwnersStay(const OwnersStay&) = delete;
    OwnersStay& operator=(const OwnersStay&) = delete;
    static bool here() noexcept { return depth() > 0; }

private:
    static int& depth() noexcept;
};

/// All that belongs to a device. Made once, and never destroyed: drivers are left alone at the end of a process.
struct DeviceState {
    DeviceState(std::unique_ptr<Driver> d, int n);

    /// The stream that is used where nobody asks for another.
    const StreamPtr& own_stream();
    StreamPtr add_stream(StreamHandle borrowed_handle, bool borrowed);
    /// The last `Stream` of it is gone: the device's own waits for it.
    void end_stream(const StreamPtr& stream) noexcept;
    void synchronize();

    /// Memory of others that was used: its owner goes when what was begun on the stream is done, at the next `let_owners_go`.
    void keep_until_done(const StreamPtr& last, std::shared_ptr<void> owner);
    /// Called whenever something is begun, while nothing is locked, as owners run code of others.
    void let_owners_go() {
        if (has_owners_.load(std::memory_order_relaxed)) let_done_owners_go();
    }

    const std::unique_ptr<Driver> driver;
    const int number;
    Pool pool;
    /// Held while something is begun, from the first wait for another stream to the launch (`DeviceTurn`).
    std::mutex turn;
    std::atomic<Unsettled*> unsettled{nullptr};
    void settle(bool all) {
        if (Unsettled* const some = unsettled.load(std::memory_order_acquire)) some->settle(all);
    }
    std::atomic<bool> always_wide{false}; ///< for tests: indexes of 64 bits, whatever the sizes

    /// Memory of the host that large copies travel through.
    struct Staging {
        static constexpr std::size_t bytes = std::size_t{4} << 20;
        static constexpr std::size_t from = std::size_t{1} << 20; ///< smaller ones go by themselves
        std::mutex mutex;
        std::array<void*, 2> blocks{};
        std::array<EventHandle, 2> in_use{}; ///< until this has happened; null for free ones
        std::atomic<bool> always{false};     ///< for tests
    } staging;

    /// What `PinnedWord`s are of.
    struct Words {
        std::mutex mutex;
        std::vector<void*> free;
        std::size_t all = 0;
    } words;

private:
    void let_done_owners_go();

    struct Kept {
        EventHandle done;
        std::shared_ptr<void> owner;
    };
    std::atomic<bool> has_owners_{false};
    std::mutex owners_mutex_;
    std::vector<Kept> owners_;
    std::once_flag own_once_;
    StreamPtr own_;
    std::mutex streams_mutex_;
    std::vector<StreamPtr> streams_; ///< those that have not ended
};

/// The devices of this machine, opened by the first call. Where there are none, `why` says so.
struct Devices {
    std::vector<DeviceState*> devices;
    std::vector<std::string> reasons;
};
const Devices& all_devices();

} // namespace purview
