#pragma once

#include "engine/reduce/reduced_source.hpp"

namespace purview::engine {

/// Reduces windows that overlap, or whose elements take turns in memory: axes that are reduced and kept run through the same
/// addresses, as in `max(x(i + a, j + b), {a, b})`. The elements of a window are operands of one expression, each a view of
/// the whole source shifted by its place in the window, so that results are computed side by side, and what windows share is
/// in the first-level cache. Elements of a window are taken in the order of the axes.
///
/// Results go to `out`, one after the other. False if the source is none of these, or windows have more than 128 elements.
bool reduce_windows(Op op, const ReducedSource& source, void* out);

/// The same source with all of its reduced axes but the last one folded, if these have few elements: an expression of views
/// shifted along them, so that what is left is reduced in one walk, without results in between. False where it would not pay.
bool fold_outer_axes(Op op, ReducedSource& source);

/// Reduces a last axis of a few elements, the only one that is reduced: these are operands of one expression, taken in their
/// order, so that results are computed side by side from columns of the source. False where it would not pay.
bool fold_last_axis(Op op, const ReducedSource& source, void* out);

} // namespace purview::engine
