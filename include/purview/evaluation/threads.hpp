#pragma once

#include <purview/base/config.hpp>

namespace purview {

/// Evaluations that begin from now on use at most `count` threads, the caller's included, and no more than
/// the machine has; 0, the default, stands for as many as oneTBB gives the caller: those of its task arena,
/// or of the machine. Work that
/// is too small to gain from a second thread stays on the caller's. Results do not depend on it, but for
/// matrix products by BLAS. The environment variable PURVIEW_THREADS sets it at the start. Every thread
/// computes with the caller's rounding mode and floating-point traps, and nothing that happens to a task group
/// of oneTBB that the caller works in stops an evaluation halfway. The child of a `fork` has none of its parent's threads:
/// if the parent has used several, the child evaluates on one. Throws `Error` for a negative count.
PURVIEW_EXPORT void set_threads(int count);

/// The most threads that an evaluation begun now would use.
PURVIEW_EXPORT int threads();

} // namespace purview
