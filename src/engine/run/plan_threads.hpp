#pragma once

#include "engine/compile/plan.hpp"
#include "engine/threads/parallel.hpp"

namespace purview::inline v0_1::engine {

/// How many threads `for_each_part` would use now.
int threads_for(const Plan& plan, index_t count);
/// `threads_for` if the other threads are awake. Notes nothing for later calls.
int most_threads_for(const Plan& plan, index_t count);

/// Calls `work(begin, end)` for ranges that make up [0, count) of a plan's elements, from several
/// threads if that is worth it and all its readers allow it.
void for_each_part(const Plan& plan, index_t count, PartFunction work);

} // namespace purview::engine
