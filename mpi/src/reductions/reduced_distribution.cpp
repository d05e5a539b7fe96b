#include "reductions/reduced_distribution.hpp"

#include "distributions/axis_parts.hpp"
#include "distributions/derived.hpp"

#include <purview/base/checked.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1::mpi {
namespace {

using AxisFlags = std::vector<bool>;

AxisFlags flags_of(ShapeSpan axes, std::size_t rank) {
    AxisFlags flags(rank, false);
    for (const index_t axis : axes) flags[static_cast<std::size_t>(axis)] = true;
    return flags;
}

/// How many places an axis has, also one beyond those of the grid.
index_t places_of_axis(const Distribution& d, std::size_t a) noexcept {
    return d.state().axes[a].places();
}

/// Axes of the grid that follow each other and become one: the one that is kept, if any, and those beside it
/// that are reduced.
struct AxisRun {
    index_t before = 1; ///< places along those before the one that is kept
    int kept = -1;
    index_t after = 1;

    bool is_alone() const noexcept { return before == 1 && after == 1; }
};

/// A run for each axis that is kept, in order: reduced axes belong to the next one that is kept, or, where
/// there is none, to the last. One run without such an axis, if all are reduced.
std::vector<AxisRun> runs_of(const Distribution& d, const AxisFlags& is_reduced) {
    std::vector<AxisRun> runs;
    index_t before = 1;
    for (std::size_t a = 0; a < is_reduced.size(); ++a) {
        if (is_reduced[a]) {
            before *= places_of_axis(d, a);
        } else {
            runs.push_back({before, static_cast<int>(a)});
            before = 1;
        }
    }
    if (runs.empty())
        runs.push_back({before});
    else
        runs.back().after = before;
    return runs;
}

/// How the kept axis is divided along its run: where the places along reduced axes are 0, as before; others
/// have nothing.
AxisParts parts_of_run(const Distribution& d, const AxisRun& run) {
    const AxisParts* const kept =
        run.kept < 0 ? nullptr : &d.state().axes[static_cast<std::size_t>(run.kept)];
    if (kept != nullptr && run.is_alone()) return *kept;
    std::vector<index_t> ends;
    index_t end = 0;
    for (index_t before = 0; before < run.before; ++before)
        for (index_t place = 0; place < (kept == nullptr ? 1 : kept->places()); ++place)
            for (index_t after = 0; after < run.after; ++after) {
                if (before == 0 && after == 0) end += kept == nullptr ? 1 : kept->count(place);
                ends.push_back(end);
            }
    return AxisParts(std::move(ends));
}

/// Ranks stay where they are: numbers of places in a run are in the order of the ranks.
Distribution reduced_distribution(const Distribution& d, const AxisFlags& is_reduced, bool keep,
                                  ShapeSpan shape) {
    std::vector<AxisParts> parts;
    const std::vector<AxisRun> runs = runs_of(d, is_reduced);
    auto run = runs.begin();
    for (std::size_t a = 0; a < is_reduced.size(); ++a) {
        const bool carries = !is_reduced[a] || (a == 0 && run->kept < 0);
        if (carries)
            parts.push_back(parts_of_run(d, *run++));
        else if (keep)
            parts.emplace_back(std::vector<index_t>{1});
        if (run == runs.end()) --run;
    }
    return divided(d.communicator(), shape, std::move(parts));
}

/// Equal blocks along kept axes that are dealt out, and become one with others.
Distribution to_evaluate_in(const Distribution& d, const AxisFlags& is_reduced) {
    Distribution in = d;
    for (const AxisRun& run : runs_of(d, is_reduced))
        if (run.kept >= 0 && !run.is_alone()) in = in_blocks_along(in, run.kept);
    return in;
}

Shape checked_axes(const char* what, const ChosenAxes& chosen, int rank, AxisOrder order) {
    Shape axes = chosen.positional(what, rank);
    for (index_t& axis : axes) axis = checked_axis(axis, rank, what);
    if (order == AxisOrder::of_operand) std::ranges::sort(axes);
    return axes;
}

} // namespace

AxesOverRanks::AxesOverRanks(const char* what, const Operand& e, const ChosenAxes& chosen,
                             AxisOrder order, const Distribution& given)
    : axes(checked_axes(what, chosen, e.dims.rank(), order)),
      view(reduced_view(what, e, axes, chosen.keep, order)),
      in(given),
      result(given) {
    if (view.shape.empty())
        throw DistributionError(fmt::format(
            "{}: no axis of shape {} is left, and a tensor without axes is not distributed: {}(e) is the number",
            what, purview::to_string(e.dims.max_shape()), what));
    const AxisFlags is_reduced = flags_of(axes, static_cast<std::size_t>(e.dims.rank()));
    in = to_evaluate_in(given, is_reduced);
    result = reduced_distribution(in, is_reduced, chosen.keep, view.shape);
    group = ranks_along(in, axes, in.communicator().rank());
}

} // namespace purview
