#include "engine/boxes/in_order.hpp"

#include "engine/threads/parallel.hpp"
#include "engine/threads/watch.hpp"

#include <algorithm>
#include <atomic>

namespace purview::inline v0_1::engine {
namespace {

void take_turns(index_t count, int threads, FunctionRef<void(index_t)> f) {
    const auto workers = static_cast<index_t>(std::min<index_t>(threads, count));
    if (workers <= 1) {
        for (index_t i = 0; i < count; ++i) f(i);
        return;
    }
    std::atomic<index_t> next{0};
    parallel_for(workers, 1, static_cast<int>(workers), [&](index_t, index_t) {
        const OnOneThread alone; // others have cells of their own
        try {
            for (index_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) f(i);
        } catch (...) {
            next.store(count, std::memory_order_relaxed);
            throw;
        }
    });
}

} // namespace

void in_order(index_t count, int threads, FunctionRef<void(index_t)> f) {
    Watch* const watch = watch_of_thread;
    if (watch == nullptr) return take_turns(count, threads, f);
    const WatchedOperation unnamed("evaluation");
    WatchedStep step(*watch, count);
    step.whole([&] {
        take_turns(count, threads,
                   [&](index_t i) { step.run(i, i + 1, 1, [&](index_t, index_t) { f(i); }); });
    });
    step.finish();
}

} // namespace purview::engine
