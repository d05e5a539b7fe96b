#pragma once

#include <purview/reader/buffer.hpp>

#include <span>
#include <vector>

namespace purview::engine {

/// Ascending indexes, each once: of its own, or somebody's.
struct IndexSpan {
    std::span<const index_t> indexes;
    BufferPtr<index_t> own;

    index_t count() const noexcept { return std::ssize(indexes); }
};

/// All indexes of both. O(a + b).
IndexSpan union_of(const IndexSpan& a, const IndexSpan& b);
/// All indexes of all, pairwise: O(total · log(lists)).
IndexSpan union_of(std::vector<IndexSpan> lists);
/// The indexes in both. O(a + b), or O(a · log b) where b is much longer.
IndexSpan intersection_of(const IndexSpan& a, const IndexSpan& b);
/// The indexes of `a` whose place in `keep` is not 0.
IndexSpan selected_of(const IndexSpan& a, const std::vector<std::uint8_t>& keep);

} // namespace purview::engine
