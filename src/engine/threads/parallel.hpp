#pragma once

#include <purview/base/index.hpp>
#include <purview/evaluation/parallel.hpp>

#include <algorithm>

namespace purview::inline v0_1::engine {

/// The number of threads that is worth using for work that takes one thread `nanoseconds`: 1 below
/// 8 µs, and below 100 µs where the other threads have had time to fall asleep. Such work, if it is
/// worth several threads when they are awake, is noted: it keeps the next piece from finding them
/// asleep.
int worthwhile_threads(double nanoseconds);

/// `worthwhile_threads` for threads that are awake. Notes nothing.
int most_worthwhile_threads(double nanoseconds);

/// False where `worthwhile_threads` is always 1.
bool may_use_threads(double nanoseconds) noexcept;

/// What this thread evaluates until the end of the scope stays on it: for parts of work that several
/// threads do side by side.
class OnOneThread {
public:
    OnOneThread() noexcept;
    ~OnOneThread();
    OnOneThread(const OnOneThread&) = delete;
    OnOneThread& operator=(const OnOneThread&) = delete;

private:
    bool before_;
};

/// Calls `f(begin, end)` for disjoint ranges that make up [0, count), on at most `threads` threads.
/// The length of each range but the last is a multiple of `grain`. Returns when all calls are done.
/// If calls throw, the exception of the first range is rethrown, and later ranges that have not
/// begun are left out.
void parallel_for(index_t count, index_t grain, int threads, PartFunction f);

} // namespace purview::engine
