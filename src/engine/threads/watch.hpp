#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/base/index.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/evaluation/progress.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

namespace purview::inline v0_1::engine {

/// What a registration of `on_progress` knows of the operation that its thread is in.
struct Watch {
    using Clock = std::chrono::steady_clock;

    /// Whether so much time has passed that the callback is to be called.
    bool is_due(Clock::time_point now) const noexcept;
    /// Calls the callback; returns whether to go on.
    bool call(double fraction);

    ProgressRegistration::Callback* callback;
    ProgressOptions options;
    const char* what = nullptr; ///< null between operations
    Clock::time_point began;
    Clock::time_point last_call;
    bool was_called = false;
    std::int64_t step = -1;
    bool is_between_steps = false; ///< the last call told of work that is cut into no parts
};

/// Null where nobody is to be told: always, if nothing is registered.
extern constinit thread_local Watch* watch_of_thread;

/// Whether work is to be cut into parts although one thread does it.
inline bool is_watched() noexcept { return watch_of_thread != nullptr; }

/// Names what this thread does until the end of the scope; within another one, changes nothing.
class WatchedOperation {
public:
    explicit WatchedOperation(const char* what) noexcept {
        if (watch_of_thread != nullptr) [[unlikely]]
            begin(what);
    }
    ~WatchedOperation() {
        if (begun_ != nullptr) [[unlikely]]
            begun_->what = nullptr;
    }
    WatchedOperation(const WatchedOperation&) = delete;
    WatchedOperation& operator=(const WatchedOperation&) = delete;

private:
    void begin(const char* what) noexcept;

    Watch* begun_ = nullptr;
};

class WatchedStep;

/// A part of a step, which a thread does with others. Where one of them has failed, the rest is not needed.
struct PartOfStep {
    WatchedStep* step;
    const std::atomic<bool>* failed;
    const PartOfStep* outer;
};
/// Null where this thread does none.
extern constinit thread_local const PartOfStep* part_of_thread;

/// Between pieces of work of some microseconds: within a part of a step, throws `Stopped` where the rest of it is not needed.
void end_if_stopped();

/// What this thread does until the end of the scope is not told of, and not ended.
class Unwatched {
public:
    Unwatched() noexcept;
    ~Unwatched();
    Unwatched(const Unwatched&) = delete;
    Unwatched& operator=(const Unwatched&) = delete;

private:
    Watch* hidden_;
    const PartOfStep* hidden_part_;
};

/// Ends the part of a step that was stopped.
class Stopped final : public Cancelled {
public:
    Stopped() : Cancelled("stopped by the callback of on_progress") {}
};

/// Work on the range [0, count) that is told of. The thread that makes it calls the callback.
class WatchedStep {
public:
    WatchedStep(Watch& watch, index_t count) noexcept;

    /// Calls `f` for parts of [begin, end), as long as nobody stops the step; for use on any
    /// thread. Parts are as many grains as take some milliseconds.
    void run(index_t begin, index_t end, index_t grain, PartFunction f);

    /// Does the work, which calls `run`; what ends it because the step was stopped is caught.
    template <typename F>
    void whole(F work) {
        const Unwatched parts;
        const PartOfStep all{this, &stopped_, nullptr};
        part_of_thread = &all;
        try {
            work();
        } catch (const Stopped&) {}
    }

    /// Within a part, on any thread: reports, and throws `Stopped` if the step was stopped.
    void look(Watch::Clock::time_point now);

    /// When all ranges have returned: throws if the step was stopped, else reports that it is done.
    void finish();

private:
    void report(Watch::Clock::time_point now);
    void call(double fraction) noexcept;

    Watch& watch_;
    index_t count_;
    std::thread::id caller_;
    bool reported_ = false;
    std::atomic<index_t> done_{0};
    std::atomic<bool> stopped_{false};
    std::exception_ptr exception_; ///< written by the calling thread alone
};

} // namespace purview::engine
