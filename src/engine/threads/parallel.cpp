#include "engine/threads/parallel.hpp"

#include "base/fork_lock.hpp"
#include "engine/places/costs.hpp"
#include "engine/threads/watch.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/threads.hpp>

#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace purview::inline v0_1 {
namespace engine {
namespace {

using Clock = std::chrono::steady_clock;

/// Ranges handed out for each thread, so that one that started late leaves work to others.
constexpr index_t kRangesPerThread = 4;

/// The time (`now()`) when work that was worth several threads last began or ended.
std::atomic<std::int64_t> last_worthwhile{0};

std::int64_t now() { return Clock::now().time_since_epoch().count(); }

/// oneTBB's workers do not exist in the child of a fork, and what they were busy with stays undone
/// there: once a process has had workers, its children work on one thread.
std::atomic<bool> had_workers{false};
std::atomic<bool> lost_workers{false};

std::mutex& arena_mutex() {
    static std::mutex& mutex = *new std::mutex;
    return mutex;
}

constinit thread_local bool stays_on_this_thread = false;

/// What `set_threads`, or PURVIEW_THREADS, asked for: a number of threads, 0 for as many as the
/// caller's arena has, and an arena of as many; null for the caller's arena, and where work stays
/// on one thread.
struct Setting {
    std::atomic<int> count{0};
    std::shared_ptr<tbb::task_arena> arena;

    Setting() {
        follow_environment();
        const int error = ::pthread_atfork(nullptr, nullptr, [] {
            if (had_workers.load(std::memory_order_relaxed))
                lost_workers.store(true, std::memory_order_relaxed);
        });
        if (error != 0) throw std::bad_alloc();
        lock_while_forking<arena_mutex>();
    }
    void follow_environment() {
        const char* const variable = std::getenv("PURVIEW_THREADS");
        if (variable == nullptr || *variable == '\0') return;
        const std::string_view text(variable);
        int wanted = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), wanted);
        if (error != std::errc() || end != text.data() + text.size() || wanted < 0)
            throw Error("PURVIEW_THREADS is '" + std::string(text) + "', not a number of threads");
        set(wanted);
    }
    void set(int wanted) {
        wanted = std::min(wanted, tbb::info::default_concurrency());
        auto made = wanted > 1 ? std::make_shared<tbb::task_arena>(wanted) : nullptr;
        const std::lock_guard lock(arena_mutex());
        std::swap(arena, made); // the old arena is destroyed after the lock is released
        count.store(wanted, std::memory_order_relaxed);
    }
    std::shared_ptr<tbb::task_arena> current() {
        const std::lock_guard lock(arena_mutex());
        return arena;
    }
};

Setting& setting() {
    // If the constructor throws, the next call tries again. Never destroyed: destructors of static
    // objects may evaluate.
    static Setting& only = *new Setting;
    return only;
}

/// The exception of the first range that failed: the same one that a single thread would have met.
class FirstFailure {
public:
    /// False for ranges after one that has failed: their results are not needed.
    bool is_wanted(index_t range) const noexcept {
        return range < range_.load(std::memory_order_relaxed);
    }
    void keep(index_t range, std::exception_ptr exception) noexcept {
        const std::lock_guard lock(mutex_);
        if (!is_wanted(range)) return;
        range_.store(range, std::memory_order_relaxed);
        exception_ = std::move(exception);
    }
    void rethrow() const {
        if (exception_ != nullptr) std::rethrow_exception(exception_);
    }

private:
    std::mutex mutex_;
    std::atomic<index_t> range_{std::numeric_limits<index_t>::max()};
    std::exception_ptr exception_;
};

} // namespace

OnOneThread::OnOneThread() noexcept : before_(std::exchange(stays_on_this_thread, true)) {}
OnOneThread::~OnOneThread() { stays_on_this_thread = before_; }

bool may_use_threads(double nanoseconds) noexcept { return nanoseconds >= costs::kWorthAwake; }

int most_worthwhile_threads(double nanoseconds) {
    if (!may_use_threads(nanoseconds)) return 1;
    return static_cast<int>(std::min<double>(threads(), nanoseconds / (costs::kWorthAwake / 2)));
}

int worthwhile_threads(double nanoseconds) {
    const int most = most_worthwhile_threads(nanoseconds);
    if (most == 1) return 1;
    // Of short pieces of work that follow each other, the first runs on one thread, as the other
    // threads may be asleep; the next ones, begun less than costs::kStaysAwake later, use several.
    const std::int64_t begun = now();
    const std::int64_t before = last_worthwhile.exchange(begun, std::memory_order_relaxed);
    return nanoseconds < costs::kWorthAsleep && begun - before > costs::kStaysAwake ? 1 : most;
}

namespace {

/// For work that somebody wants to be told of: ranges are done in parts, which are counted.
void for_each_watched_part(Watch& watch, index_t count, index_t grain, int threads,
                           PartFunction f) {
    const WatchedOperation unnamed("evaluation");
    WatchedStep step(watch, count);
    step.whole([&] {
        parallel_for(count, grain, threads,
                     [&](index_t begin, index_t end) { step.run(begin, end, grain, f); });
    });
    step.finish();
}

} // namespace

void parallel_for(index_t count, index_t grain, int threads, PartFunction f) {
    if (Watch* const watch = watch_of_thread; watch != nullptr && count > 0) [[unlikely]]
        return for_each_watched_part(*watch, count, grain, threads, f);
    if (count <= grain || threads <= 1 || stays_on_this_thread) {
        if (count > 0) f(0, count);
        return;
    }
    const PartOfStep* const outer = part_of_thread; // this is done within it
    std::atomic<bool> failed{false};
    const index_t grains = (count + grain - 1) / grain;
    const index_t ranges = std::min(grains, threads * kRangesPerThread);
    // One leads into the work that oneTBB runs, and one out of it: what was done before a release
    // is visible after the acquire, also to tools that check for data races.
    std::atomic<bool> begun{false};
    std::atomic<index_t> ended{0};
    FirstFailure failure;
    // A context of its own, so that no range is left out where the caller's task group is
    // cancelled. The workers take over the caller's floating-point environment.
    tbb::task_group_context context(tbb::task_group_context::isolated,
                                    tbb::task_group_context::default_traits |
                                        tbb::task_group_context::fp_settings);
    had_workers.store(true, std::memory_order_relaxed);
    begun.store(true, std::memory_order_release);
    const auto run = [&] {
        tbb::parallel_for(
            tbb::blocked_range<index_t>(0, ranges, 1),
            [&](const tbb::blocked_range<index_t>& part) {
                static_cast<void>(begun.load(std::memory_order_acquire));
                for (index_t i = part.begin(); i < part.end(); ++i) {
                    if (!failure.is_wanted(i)) continue;
                    const index_t begin = grains * i / ranges * grain;
                    const index_t end = std::min(count, grains * (i + 1) / ranges * grain);
                    const PartOfStep own{outer != nullptr ? outer->step : nullptr, &failed, outer};
                    const Unwatched range;
                    if (outer != nullptr) part_of_thread = &own;
                    try {
                        f(begin, end);
                    } catch (const Stopped&) { // by the failure of another range, which is kept
                        if (!failed.load(std::memory_order_relaxed))
                            failure.keep(i, std::current_exception());
                    } catch (...) {
                        failure.keep(i, std::current_exception());
                        failed.store(true, std::memory_order_relaxed);
                    }
                }
                ended.fetch_add(1, std::memory_order_release); // each call gets one range
            },
            tbb::simple_partitioner(), context);
    };
    if (const std::shared_ptr<tbb::task_arena> arena = setting().current(); arena != nullptr)
        arena->execute([&] { tbb::this_task_arena::isolate(run); });
    else
        tbb::this_task_arena::isolate(
            run); // a user's reader may evaluate, and must not get our work
    const index_t done = ended.load(std::memory_order_acquire);
    last_worthwhile.store(now(), std::memory_order_relaxed);
    failure.rethrow();
    if (done != ranges) throw Error("parallel work ended early: somebody cancelled it");
}

} // namespace engine

void parallel_ranges(index_t count, index_t grain, double nanoseconds, PartFunction f) {
    engine::parallel_for(count, grain, engine::worthwhile_threads(nanoseconds), f);
}

void set_threads(int count) {
    if (count < 0)
        throw Error("set_threads: " + std::to_string(count) + " is not a number of threads");
    engine::setting().set(count);
}

int threads() {
    if (engine::lost_workers.load(std::memory_order_relaxed)) return 1;
    const int count = engine::setting().count.load(std::memory_order_relaxed);
    return count > 0 ? count : tbb::this_task_arena::max_concurrency();
}

} // namespace purview
