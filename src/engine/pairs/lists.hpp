#pragma once

#include <purview/reader/buffer.hpp>

#include <span>
#include <vector>

namespace purview::inline v0_1::engine {

/// Ascending distinct indexes in memory, which `own` keeps alive; `own` is null where they are
/// borrowed.
struct IndexSpan {
    std::span<const index_t> indexes;
    BufferPtr<index_t> own;

    index_t count() const noexcept { return std::ssize(indexes); }
};

/// The first `count` elements of a buffer.
IndexSpan taken(BufferPtr<index_t> buffer, index_t count);
/// The union of two lists. O(a + b).
IndexSpan union_of(const IndexSpan& a, const IndexSpan& b);
/// The union of several lists, joined pairwise, the shortest first: O(total · log(lists)).
IndexSpan union_of(std::vector<IndexSpan> lists);
/// The intersection of two lists. O(a + b), or O(a · log b) where b is much longer.
IndexSpan intersection_of(const IndexSpan& a, const IndexSpan& b);
/// How many indexes from `begin` on are the first of a list, without a gap.
index_t first_missing(std::span<const index_t> indexes, index_t begin);
/// The indexes `a[i]` for which `keep[i]` is not 0.
IndexSpan selected_of(const IndexSpan& a, const std::vector<std::uint8_t>& keep);

} // namespace purview::engine
