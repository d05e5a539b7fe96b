#pragma once

#include <purview/base/config.hpp>

namespace purview::inline v0_1 {

/// Evaluations that begin from now on use at most `count` threads, including the caller's, and no
/// more than the machine has. 0, the default, means as many as oneTBB gives the caller: those of
/// its task arena, or of the machine. Work too small to gain from a second thread stays on the
/// caller's thread. Results do not depend on `count`, except for matrix products by BLAS. The
/// environment variable PURVIEW_THREADS sets the initial value. Every thread computes with the
/// caller's rounding mode and floating-point traps. Nothing that happens to a oneTBB task group
/// that the caller works in, such as its cancellation, stops an evaluation halfway. The child of a
/// `fork` has none of its parent's threads: if the parent has used several, the child evaluates on
/// one. Throws `Error` for a negative count.
PURVIEW_EXPORT void set_threads(int count);

/// The most threads that an evaluation would use if it began now.
PURVIEW_EXPORT int threads();

} // namespace purview
