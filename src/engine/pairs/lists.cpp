#include "engine/pairs/lists.hpp"

#include <purview/reader/sparse_pairs.hpp>

#include "engine/pairs/merge_walk.hpp"
#include "engine/places/buffers.hpp"

#include <algorithm>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// A list that is this many times longer than the other is searched (`sparse_position`), not
/// walked.
constexpr index_t kSearchedRatio = 32;

} // namespace

IndexSpan taken(BufferPtr<index_t> buffer, index_t count) {
    const auto* const first = static_cast<const index_t*>(buffer->memory().data);
    return {{first, static_cast<std::size_t>(count)}, std::move(buffer)};
}

IndexSpan union_of(const IndexSpan& a, const IndexSpan& b) {
    if (b.count() == 0 || (a.indexes.data() == b.indexes.data() && a.count() == b.count()))
        return a;
    if (a.count() == 0) return b;
    BufferPtr<index_t> result = allocate_uninitialized_buffer<index_t>(a.count() + b.count());
    index_t* const out = data_of(result);
    TwoEnds ends(a.count() + b.count());
    const auto put = [&](index_t index, auto end) {
        out[ends.next(end)] = index;
        ends.keep(end, true);
    };
    const Remaining rest = merge_walk(
        a.indexes, b.indexes, [&](const MergedIndex& merged, auto end) { put(merged.index, end); });
    for (index_t p = rest.a_begin; p < rest.a_end; ++p) put(a.indexes.data()[p], Front{});
    for (index_t p = rest.b_begin; p < rest.b_end; ++p) put(b.indexes.data()[p], Front{});
    const index_t count = ends.close(out);
    return taken(std::move(result), count);
}

IndexSpan union_of(std::vector<IndexSpan> lists) {
    if (lists.empty()) return {};
    while (lists.size() > 1) {
        std::ranges::sort(lists, {}, &IndexSpan::count);
        std::vector<IndexSpan> joined;
        for (std::size_t i = 0; i + 1 < lists.size(); i += 2)
            joined.push_back(union_of(lists[i], lists[i + 1]));
        if (lists.size() % 2 == 1) joined.push_back(lists.back());
        lists.swap(joined);
    }
    return lists[0];
}

IndexSpan intersection_of(const IndexSpan& a, const IndexSpan& b) {
    if (a.count() > b.count()) return intersection_of(b, a);
    if (a.count() == 0 || (a.indexes.data() == b.indexes.data() && a.count() == b.count()))
        return a;
    // With one more place at each end, for an index that is written and not kept.
    const index_t room = a.count() + 2;
    BufferPtr<index_t> result = allocate_uninitialized_buffer<index_t>(room);
    index_t* const out = data_of(result);
    TwoEnds ends(room);
    const auto put = [&](index_t index, auto end, bool kept) {
        out[ends.next(end)] = index;
        ends.keep(end, kept);
    };
    if (b.count() / kSearchedRatio >= a.count()) {
        index_t position = 0;
        for (const index_t index : a.indexes) {
            position = sparse_position(b.indexes, index, position);
            if (position == b.count()) break;
            put(index, Front{}, b.indexes[static_cast<std::size_t>(position)] == index);
        }
    } else {
        merge_walk(a.indexes, b.indexes, [&](const MergedIndex& merged, auto end) {
            put(merged.index, end, (merged.in_a & merged.in_b) != 0);
        });
    }
    const index_t count = ends.close(out);
    return taken(std::move(result), count);
}

index_t first_missing(std::span<const index_t> indexes, index_t begin) {
    index_t count = 0;
    for (const index_t index : indexes) {
        if (index != begin + count) break;
        ++count;
    }
    return count;
}

IndexSpan selected_of(const IndexSpan& a, const std::vector<std::uint8_t>& keep) {
    const auto count = static_cast<index_t>(std::ranges::count_if(keep, [](auto k) { return k; }));
    BufferPtr<index_t> result = allocate_uninitialized_buffer<index_t>(count);
    index_t* out = data_of(result);
    for (std::size_t i = 0; i < keep.size(); ++i)
        if (keep[i] != 0) *out++ = a.indexes[i];
    return taken(std::move(result), count);
}

} // namespace purview::engine
