#pragma once

#include <purview/base/index.hpp>

namespace purview::inline v0_1 {

/// In a handler: throws what was caught again; errors of the library name the step, counted from 1, or the steps that
/// were taken together. Those
/// that end an operation from outside, and those that are not the library's, pass as they are.
[[noreturn]] void rethrow_at_steps(index_t first, index_t last);
[[noreturn]] inline void rethrow_at_step(index_t step) { rethrow_at_steps(step, step); }

} // namespace purview
