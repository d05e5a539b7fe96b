#pragma once

#include <purview/base/index.hpp>

#include "engine/pairs/entry_sort.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1::engine {

/// An axis of a view whose first `distinct` coordinates are repeated up to its extent.
/// `distinct_stride` is the axis's stride in the row-major order of the smaller view, which has
/// `distinct` coordinates along each axis; `stride` that in the whole view.
struct RepeatedAxis {
    index_t extent;
    index_t distinct;
    index_t distinct_stride;
    index_t stride;
};

/// How a view repeats a smaller one: turns the ascending entries of the smaller view into those of
/// the whole view, which are written in ascending order.
class RepeatedEntries {
public:
    /// `axes` are ordered from the slowest to the fastest; those behind the last one that repeats
    /// may be left out.
    explicit RepeatedEntries(std::vector<RepeatedAxis> axes) : axes_(std::move(axes)) {
        while (!axes_.empty() && axes_.back().extent == axes_.back().distinct) axes_.pop_back();
    }

    /// The number of entries of the whole view. `indexes` are those of the smaller view plus
    /// `shift`, ascending. Throws `KindError` naming `what` beyond `kMostEntries`.
    index_t count(std::span<const index_t> indexes, index_t shift, const char* what) const {
        index_t count = 0;
        if (indexes.empty()) return count;
        // A lower bound, by the repetitions that are complete: too many entries are found without
        // counting.
        auto least = static_cast<double>(indexes.size());
        for (const RepeatedAxis& axis : axes_)
            least *= static_cast<double>(axis.extent / axis.distinct);
        if (least > static_cast<double>(kMostEntries)) throw_too_many_entries(what);
        for_each_range(0, {0, std::ssize(indexes), shift, 0}, indexes.data(),
                       [&](const Range& range) {
                           count += range.end - range.begin;
                           if (count > kMostEntries) throw_too_many_entries(what);
                       });
        return count;
    }

    /// Writes as many indexes as `count` tells, and the payload of each, which has `size` bytes.
    void write(std::span<const index_t> indexes, index_t shift, const std::byte* payloads,
               std::size_t size, index_t* out, std::byte* out_payloads) const {
        if (indexes.empty()) return;
        for_each_range(
            0, {0, std::ssize(indexes), shift, 0}, indexes.data(), [&](const Range& range) {
                const index_t further = range.base - range.distinct_base;
                out = std::transform(indexes.data() + range.begin, indexes.data() + range.end, out,
                                     [=](index_t index) { return index + further; });
                const auto first = static_cast<std::size_t>(range.begin) * size;
                const auto last = static_cast<std::size_t>(range.end) * size;
                out_payloads = std::copy(payloads + first, payloads + last, out_payloads);
            });
    }

private:
    /// A range of entries that agree in the coordinates so far, and the sums of coordinate times
    /// stride of these: in the smaller view (`distinct_base`, plus the shift) and in the whole one
    /// (`base`).
    struct Range {
        index_t begin;
        index_t end;
        index_t distinct_base;
        index_t base;
    };

    /// Calls `f` for ranges of entries in the ascending order of the whole view. Along the
    /// innermost axis that repeats, each repetition is one range.
    template <typename F>
    void for_each_range(std::size_t axis, const Range& range, const index_t* indexes,
                        const F& f) const {
        if (axis == axes_.size()) return f(range);
        const auto& [extent, distinct, distinct_stride, stride] = axes_[axis];
        const bool innermost = axis + 1 == axes_.size();
        for (index_t first = 0; first < extent; first += distinct) {
            // The last repetition may be incomplete.
            const index_t behind =
                range.distinct_base + std::min(distinct, extent - first) * distinct_stride;
            index_t end = range.end;
            while (end > range.begin && first + distinct > extent && indexes[end - 1] >= behind)
                --end;
            if (innermost) {
                f(Range{range.begin, end, range.distinct_base, range.base + first * stride});
                continue;
            }
            for (index_t p = range.begin; p < end;) {
                const index_t at = (indexes[p] - range.distinct_base) / distinct_stride;
                const index_t next = range.distinct_base + (at + 1) * distinct_stride;
                Range inner{p, p, next - distinct_stride, range.base + (first + at) * stride};
                while (inner.end < end && indexes[inner.end] < next) ++inner.end;
                for_each_range(axis + 1, inner, indexes, f);
                p = inner.end;
            }
        }
    }

    std::vector<RepeatedAxis> axes_;
};

} // namespace purview::engine
