#include "expression/gather_pieces.hpp"

#include <purview/dimensions/affine_view.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

constexpr std::size_t kMostPieces = 16;
/// Pieces that alternate in shorter runs of elements, as the last column and the others do, take longer to put together
/// than to gather (10⁶ float64: 0.48 and 0.37 ms).
constexpr index_t kShortestRun = 256;

/// An index that runs along at most one axis, as an operand of rank 1, and that axis.
std::optional<Operand> as_line(const Operand& index, int& axis) {
    const Dimensions& dims = index.dims;
    if (!dims.is_strided()) return {};
    axis = 0;
    bool runs = false;
    for (int a = 0; a < dims.rank(); ++a) {
        const auto i = static_cast<std::size_t>(a);
        if (dims.strides()[i] == 0 || dims.max_shape()[i] == 1) continue;
        if (std::exchange(runs, true)) return {};
        axis = a;
    }
    const auto along = static_cast<std::size_t>(axis);
    const index_t extent = runs ? dims.max_shape()[along] : 1;
    const index_t stride = runs ? dims.strides()[along] : 0;
    return Operand{index.node,
                   Dimensions::strided(ShapeSpan(&extent, 1), ShapeSpan(&stride, 1), dims.base())};
}

using Cuts = boost::container::small_vector<index_t, 4>; ///< ends of parts of an axis, ascending

/// Adds the places at which a run ends, or its indexes begin to count from the other end.
void add_cuts(const IndexRuns& runs, Cuts& cuts) {
    index_t begin = 0;
    for (const IndexRun& run : runs) {
        const auto is_negative = [&](index_t place) { return read_at(run.line, place) < 0; };
        if (is_negative(begin) != is_negative(run.end - 1)) {
            index_t low = begin;
            index_t high = run.end - 1;
            while (high - low > 1) {
                const index_t middle = low + (high - low) / 2;
                (is_negative(middle) == is_negative(begin) ? low : high) = middle;
            }
            cuts.push_back(high);
        }
        begin = run.end;
        cuts.push_back(begin);
    }
}

/// Whether pieces alternate in runs that are short.
bool are_short(const std::vector<Cuts>& cuts) {
    index_t run = 1;
    std::size_t axis = cuts.size();
    while (axis > 0 && cuts[axis - 1].size() == 1) run *= cuts[--axis].back();
    if (axis == 0) return false;
    index_t shortest = cuts[axis - 1][0];
    for (std::size_t i = 1; i < cuts[axis - 1].size(); ++i)
        shortest = std::min(shortest, cuts[axis - 1][i] - cuts[axis - 1][i - 1]);
    const bool alternate =
        std::any_of(cuts.begin(), cuts.begin() + static_cast<std::ptrdiff_t>(axis) - 1,
                    [](const Cuts& along) { return along.back() > 1; });
    return alternate && shortest * run < kShortestRun;
}

/// The part of the source that is read at one run of each index, in a box of the result.
std::optional<Operand> piece_of(const Gather& gather, const GatherRuns& indexes, const Shape& begin,
                                const Shape& extents) {
    const Dimensions& source = gather.source().dims;
    std::vector<dimensions::AxisFeed> feeds;
    Shape origin;
    for (std::size_t a = 0; a < gather.axes().size(); ++a) {
        const auto number = static_cast<std::size_t>(gather.axes()[a].number);
        const auto feed = [&](int axis, index_t step) {
            feeds.push_back({axis, static_cast<int>(a), step});
        };
        if (!gather.axes()[a].computed) {
            feed(static_cast<int>(number), 1);
            origin.push_back(begin[number]);
            continue;
        }
        const IndexRuns& runs = indexes.runs[number];
        const int along = indexes.along[number];
        const bool moves = runs.back().end > 1;
        const index_t place = moves ? begin[static_cast<std::size_t>(along)] : 0;
        const index_t last = moves ? place + extents[static_cast<std::size_t>(along)] - 1 : 0;
        const Progression line =
            std::ranges::find_if(runs, [&](const IndexRun& run) { return place < run.end; })->line;
        const index_t extent = source.max_shape()[a];
        for (const index_t index : {read_at(line, place), read_at(line, last)})
            if (index < -extent || index >= extent) return {};
        const index_t first = read_at(line, place);
        origin.push_back(first < 0 ? first + extent : first);
        if (last > place) feed(along, line.step);
    }
    Dimensions view = dimensions::affine_view(source, extents, feeds, origin);
    if (view.layer_count() > 1) return {};
    return Operand{gather.source().node, std::move(view)};
}

} // namespace

std::optional<GatherRuns> gather_runs(const Gather& gather) {
    GatherRuns all;
    for (const Operand& index : gather.indexes()) {
        const std::optional<Operand> line = as_line(index, all.along.emplace_back());
        std::optional<IndexRuns> found = line ? index_runs(*line) : std::nullopt;
        if (!found) return {};
        all.runs.push_back(*std::move(found));
    }
    return all;
}

NodePtr gather_pieces(const Gather& gather) {
    const ShapeSpan shape = gather.shape();
    if (gather.indexes().empty() || std::ranges::find(shape, 0) != shape.end() ||
        gather.source().dims.layer_count() > 1)
        return {};
    const std::optional<GatherRuns> indexes = gather_runs(gather);
    if (!indexes) return {};
    std::vector<Cuts> cuts(shape.size());
    for (std::size_t i = 0; i < indexes->runs.size(); ++i)
        if (indexes->runs[i].back().end > 1)
            add_cuts(indexes->runs[i], cuts[static_cast<std::size_t>(indexes->along[i])]);
    std::size_t count = 1;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (cuts[axis].empty()) cuts[axis].push_back(shape[axis]);
        std::ranges::sort(cuts[axis]);
        cuts[axis].erase(std::ranges::unique(cuts[axis]).begin(), cuts[axis].end());
        count *= cuts[axis].size();
        if (count > kMostPieces) return {};
    }
    if (count < 2 || are_short(cuts)) return {};
    std::vector<Operand> pieces;
    std::vector<Shape> begins;
    for (std::size_t number = 0; number < count; ++number) {
        Shape begin;
        Shape extents;
        std::size_t left = number;
        for (const Cuts& along : cuts) {
            const std::size_t part = left % along.size();
            left /= along.size();
            begin.push_back(part == 0 ? 0 : along[part - 1]);
            extents.push_back(along[part] - begin.back());
        }
        std::optional<Operand> piece = piece_of(gather, *indexes, begin, extents);
        if (!piece) return {};
        pieces.push_back(*std::move(piece));
        begins.push_back(std::move(begin));
    }
    return make_node<Piecewise>(gather.name(), std::move(pieces), std::move(begins), shape);
}

} // namespace purview
