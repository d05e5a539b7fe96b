#pragma once

#include <purview/base/index.hpp>

#include "engine/pairs/entry_sort.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace purview::engine {

/// An axis of a view whose first `once` coordinates are repeated up to its extent. `once_stride` is
/// the axis's stride in the row-major order of the smaller view, which has `once` coordinates along
/// each axis; `stride` that in the whole view.
struct RepeatedAxis {
    index_t extent;
    index_t once;
    index_t once_stride;
    index_t stride;
};

/// How a view repeats a smaller one: turns the ascending entries of the smaller view into those of
/// the whole view, which are written in ascending order.
class RepeatedEntries {
public:
    /// `axes` are ordered from the slowest to the fastest; those behind the last one that repeats
    /// may be left out.
    explicit RepeatedEntries(std::vector<RepeatedAxis> axes) : axes_(std::move(axes)) {
        while (!axes_.empty() && axes_.back().extent == axes_.back().once) axes_.pop_back();
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
            least *= static_cast<double>(axis.extent / axis.once);
        if (least > static_cast<double>(kMostEntries)) throw_too_many_entries(what);
        spell_out(0, {0, std::ssize(indexes), shift, 0}, indexes.data(), [&](const Range& range) {
            count += range.end - range.begin;
            if (count > kMostEntries) throw_too_many_entries(what);
        });
        return count;
    }

    /// Writes as many indexes as `count` tells, and the payload of each.
    template <typename T>
    void write(std::span<const index_t> indexes, index_t shift, const T* payloads, index_t* out,
               T* out_payloads) const {
        if (indexes.empty()) return;
        spell_out(0, {0, std::ssize(indexes), shift, 0}, indexes.data(), [&](const Range& range) {
            const index_t further = range.base - range.once_base;
            out = std::transform(indexes.data() + range.begin, indexes.data() + range.end, out,
                                 [=](index_t index) { return index + further; });
            out_payloads = std::copy(payloads + range.begin, payloads + range.end, out_payloads);
        });
    }

private:
    /// A range of entries that agree in the coordinates so far, and the sums of coordinate times
    /// stride of these: in the smaller view (`once_base`, plus the shift) and in the whole one
    /// (`base`).
    struct Range {
        index_t begin;
        index_t end;
        index_t once_base;
        index_t base;
    };

    /// Calls `f` for ranges of entries in the ascending order of the whole view. Along the
    /// innermost axis that repeats, each repetition is one range.
    template <typename F>
    void spell_out(std::size_t axis, const Range& range, const index_t* indexes, const F& f) const {
        if (axis == axes_.size()) return f(range);
        const auto& [extent, once, once_stride, stride] = axes_[axis];
        const bool innermost = axis + 1 == axes_.size();
        for (index_t first = 0; first < extent; first += once) {
            // The last repetition may be incomplete.
            const index_t behind = range.once_base + std::min(once, extent - first) * once_stride;
            index_t end = range.end;
            while (end > range.begin && first + once > extent && indexes[end - 1] >= behind) --end;
            if (innermost) {
                f(Range{range.begin, end, range.once_base, range.base + first * stride});
                continue;
            }
            for (index_t p = range.begin; p < end;) {
                const index_t at = (indexes[p] - range.once_base) / once_stride;
                const index_t next = range.once_base + (at + 1) * once_stride;
                Range inner{p, p, next - once_stride, range.base + (first + at) * stride};
                while (inner.end < end && indexes[inner.end] < next) ++inner.end;
                spell_out(axis + 1, inner, indexes, f);
                p = inner.end;
            }
        }
    }

    std::vector<RepeatedAxis> axes_;
};

} // namespace purview::engine
