#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/base/index.hpp>

namespace purview::inline v0_1::engine {

/// Calls `f(i)` for each i < count, on at most so many threads: each takes the next one that is left,
/// so that they begin in order. Tells whoever watches of each, and ends between two where that asks
/// for it. If calls throw, the others that have begun are waited for, and one exception is rethrown.
void in_order(index_t count, int threads, FunctionRef<void(index_t)> f);

} // namespace purview::engine
