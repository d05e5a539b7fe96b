#pragma once

#include "engine/folds/fold_kind.hpp"
#include "engine/reduce/reduced_source.hpp"

#include <optional>

namespace purview::inline v0_1::engine {

/// Windows that overlap or interleave in memory: a reduced and a kept axis run through the same
/// addresses, as in `max(x(i + a, j + b), {a, b})`. The elements of a window are operands of one
/// expression, each a view of the whole source shifted by its place in the window, so that results
/// are computed side by side, and what windows share is in the first-level cache. Elements of a
/// window are taken in the order of the axes.
struct Windows {
    index_t elements; ///< of each window
    index_t together; ///< that one expression folds
};
/// Nothing if the source has no such windows, or windows have more than 128 elements.
std::optional<Windows> find_windows(const ReducedSource& source);
/// Results go to `out`, one after the other; with `averages`, divided by the number of elements of
/// a window where they are computed.
void fold_windows(const Windows& windows, Op op, const ReducedSource& source, bool averages,
                  void* out);

/// Minima and maxima of windows of floats that overlap along the last axis, at every other element,
/// and have more axes, as in `max(x(2 * i + a, 2 * j + b), {a, b})` of 3 x 3: the lines of a window
/// are folded to one, piece by piece, and then the windows of that one. Each element is so read
/// where it lies, and once for each line of results.
bool has_line_windows(const FoldKind& kind, const ReducedSource& source);
void fold_line_windows(const FoldKind& kind, const ReducedSource& source, std::byte* out);

/// Replaces `source` by one in which all reduced axes but the last are folded, if these have at
/// most 12 elements: an expression of views shifted along them, so that what is left is reduced in
/// one walk, without intermediate results. Returns false, with `source` as it was, where that would
/// not pay.
bool fold_outer_axes(Op op, ReducedSource& source);

/// A last axis of 2 to 12 elements, the only one that is reduced: the elements are operands of one
/// expression, taken in their order, so that results are computed side by side from columns of the
/// source. False where that would not pay.
bool has_short_last_axis(const ReducedSource& source);
void fold_last_axis(Op op, const ReducedSource& source, void* out);

} // namespace purview::engine
