// Defines purview/expression/gather.hpp.
#include <purview/dimensions/affine_view.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/expression/gather.hpp>

#include "dimensions/layer.hpp"
#include "expression/gather_pieces.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// Sources that are larger when they are repeated, which only strides of 0 make, stay as they are.
constexpr index_t kLargestSource = index_t{1} << 48;

/// The progression that indexes of an axis of this extent follow, round the axis or not: all of its
/// numbers are congruent to them. It begins in [0, extent). Nothing if there is none, or some index is
/// out of range.
std::optional<Progression> round_the_axis(const IndexRuns& runs, index_t extent) {
    Progression line = runs[0].line;
    if (runs.size() > 1 && runs[1].end == 2)
        line.step = read_at(runs[1].line, 1) - read_at(line, 0);
    index_t longest = 1;
    index_t begin = 0;
    for (const IndexRun& run : runs) {
        for (const index_t place : {begin, run.end - 1})
            if (read_at(run.line, place) < -extent || read_at(run.line, place) >= extent) return {};
        if (run.end - begin > longest) {
            longest = run.end - begin;
            line = run.line;
        }
        begin = run.end;
    }
    begin = 0;
    for (const IndexRun& run : runs) {
        const bool steps = run.end - begin == 1 || (run.line.step - line.step) % extent == 0;
        if (!steps || (read_at(run.line, begin) - read_at(line, begin)) % extent != 0) return {};
        begin = run.end;
    }
    return Progression{dimensions::floor_mod(line.first, extent), line.step};
}

} // namespace

void Gather::find_view() {
    const Dimensions& source = operands_[0].dims;
    if (indexes().empty() || std::ranges::find(shape_, 0) != shape_.end() ||
        source.layer_count() > 1)
        return;
    const std::optional<GatherRuns> indexes_in_runs = gather_runs(*this);
    if (!indexes_in_runs) return;
    const auto& [runs, along] = *indexes_in_runs;
    Shape extents = to_shape(source.max_shape());
    Shape origin(extents.size(), 0);
    std::vector<dimensions::AxisFeed> feeds;
    const LayerView layer = source.layer(0);
    index_t size = source.size();
    for (std::size_t a = 0; a < axes_.size(); ++a) {
        const auto number = static_cast<std::size_t>(axes_[a].number);
        if (!axes_[a].computed) {
            feeds.push_back({static_cast<int>(number), static_cast<int>(a), 1});
            continue;
        }
        const index_t extent = extents[a];
        if (extent == 0) return;
        const std::optional<Progression> line = round_the_axis(runs[number], extent);
        if (!line) return;
        const index_t reach = line->step * (runs[number].back().end - 1);
        const index_t rounds_below = reach < 0 ? (extent - 1 - reach) / extent : 0;
        origin[a] = line->first + rounds_below * extent;
        const index_t rounds = std::max(origin[a], origin[a] + reach) / extent + 1;
        if (rounds > 1 && !layer.is_plain(static_cast<int>(a))) return;
        if (size > kLargestSource / rounds) return;
        size *= rounds;
        extents[a] *= rounds;
        if (reach != 0) feeds.push_back({along[number], static_cast<int>(a), line->step});
    }
    Dimensions view = dimensions::affine_view(std::ranges::equal(extents, source.max_shape())
                                                  ? source
                                                  : dimensions::broadcast(source, extents),
                                              shape_, feeds, origin);
    if (view.layer_count() == 1) view_ = std::make_unique<const Dimensions>(std::move(view));
}

} // namespace purview
