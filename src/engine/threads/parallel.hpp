#pragma once

#include <purview/base/index.hpp>
#include <purview/evaluation/parallel.hpp>

#include <algorithm>

namespace purview::engine {

/// How many threads are worth their trouble for work that takes one of them so long. Falls to 1 sooner
/// when the other threads have had time to fall asleep.
int worthwhile_threads(double nanoseconds);

/// The same where the other threads are awake. Changes nothing.
int most_worthwhile_threads(double nanoseconds);

/// False where `worthwhile_threads` is always 1.
bool may_use_threads(double nanoseconds) noexcept;

/// Calls `f(begin, end)` for disjoint ranges that make up [0, count), each a multiple of `grain` long but for
/// the last, on this many threads at most. Returns when all are done. If calls throw, the exception
/// of the first range arrives here, and ranges behind it that have not begun are left out.
void parallel_for(index_t count, index_t grain, int threads, PartFunction f);

} // namespace purview::engine
