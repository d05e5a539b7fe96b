#include "engine/reduce/fold_plan.hpp"

#include "engine/compile/plan_cache.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/threads/branches.hpp"
#include "engine/threads/watch.hpp"
#include "engine/ways/way.hpp"

#include <algorithm>
#include <memory>

namespace purview::inline v0_1::engine {
namespace {

using FoldCascade = Cascade<FoldOfKind>;

constexpr auto kNoResult = [](index_t, index_t) -> std::byte* { return nullptr; };

std::size_t lane_bytes_of(const Plan& plan) {
    return std::get<TileStep>(plan.steps.back()).program.lane_bytes;
}

/// Folds everything, on several threads, each by a run of its own.
template <typename MakeRun>
FoldValue fold_on_threads(const FoldKind& kind, index_t size, int threads, MakeRun make_run) {
    return fold_branches(
        size, kind.chunk, threads,
        [&] {
            using Run = decltype(make_run());
            return [&kind, run = std::unique_ptr<Run>(new Run(make_run()))](index_t begin,
                                                                            index_t count) {
                return fold_part(kind, *run, begin, count);
            };
        },
        FoldOfKind{&kind});
}

/// As `fold_on_threads`, for a plan that is walked by panels. A panel mixes pieces of several rows,
/// so that no range of panels is a branch of the tree of chunks: the result of each piece is
/// stored, and the results are joined in the order in which one thread computes them.
FoldValue fold_panels(const FoldKind& kind, const Plan& plan, const Values& values, int threads) {
    const index_t length = std::min(kind.chunk, plan.block);
    const index_t pieces = (plan.row + length - 1) / length;
    const index_t extent = plan.space.extents[plan.space.rank() - 2];
    const index_t panels = (extent + plan.panel_rows - 1) / plan.panel_rows;
    const index_t planes = plan.size / plan.row / extent;
    const auto row_of = [&](index_t panel) {
        return panel / panels * extent + panel % panels * plan.panel_rows;
    };
    const auto results =
        std::make_unique<FoldValue[]>(static_cast<std::size_t>(planes * extent * pieces));
    parallel_for(planes * panels, 1, threads, [&](index_t first, index_t last) {
        const std::size_t lane_bytes = lane_bytes_of(plan);
        const std::size_t lanes = kind.lanes(lane_bytes);
        Runner runner(plan, values);
        FoldValue* result = results.get() + row_of(first) * pieces;
        kind.reset(runner.accumulator());
        runner.run(row_of(first) * plan.row, (row_of(last) - row_of(first)) * plan.row, length,
                   kNoResult, [&](index_t, index_t) {
                       *result++ = kind.join(runner.accumulator(), lane_bytes, lanes);
                       kind.reset(runner.accumulator());
                   });
    });
    FoldCascade cascade(FoldOfKind{&kind});
    for (index_t i = 0; i < planes * extent * pieces; ++i)
        cascade.add(results[static_cast<std::size_t>(i)]);
    return cascade.result();
}

} // namespace

Purpose fold_purpose(const FoldKind& kind, index_t groups) {
    return {groups == 1 ? Walk::any_order : Walk::in_order, nullptr, kind.op, kind.neutral};
}

FoldValue fold_part(const FoldKind& kind, Runner& runner, index_t begin, index_t count) {
    const Plan& plan = runner.plan();
    const std::size_t lane_bytes = lane_bytes_of(plan);
    const std::size_t lanes = kind.lanes(lane_bytes);
    FoldCascade cascade(FoldOfKind{&kind});
    if (plan.panel_rows > 0) {
        // The runner walks whole panels; the lanes are joined after each piece.
        kind.reset(runner.accumulator());
        runner.run(begin, count, kind.chunk, kNoResult, [&](index_t, index_t) {
            cascade.add(kind.join(runner.accumulator(), lane_bytes, lanes));
            kind.reset(runner.accumulator());
        });
        return cascade.result();
    }
    bool decided = false;
    for (const index_t end = begin + count; begin < end && !decided; begin += kind.chunk) {
        kind.reset(runner.accumulator());
        runner.run(begin, std::min(kind.chunk, end - begin), kind.chunk, kNoResult, kNothingAfter);
        const FoldValue joined = kind.join(runner.accumulator(), lane_bytes, lanes);
        cascade.add(joined);
        decided = kind.may_be_decided() && kind.is_decided(joined);
    }
    return cascade.result();
}

FoldValue fold_part(const FoldKind& kind, DirectRun& direct, index_t begin, index_t count) {
    // Up to kMostTogether chunks are folded before their lanes are joined; folds of bools may be
    // decided after each chunk.
    constexpr index_t kMostTogether = 16;
    const index_t together = kind.may_be_decided() ? 1 : kMostTogether;
    const std::size_t lane_bytes = direct.lane_bytes();
    const std::size_t lanes = kind.lanes(lane_bytes);
    const index_t end = begin + count;
    const auto fold_rest = [&] {
        direct.accumulate(begin, kind.start_lanes);
        return kind.join(direct.accumulator(), lane_bytes, lanes);
    };
    if (count < kind.chunk) return fold_rest();
    FoldCascade cascade(FoldOfKind{&kind});
    alignas(64) std::byte folded[kMostTogether * kAccumulatorBytes];
    bool decided = false;
    while (end - begin >= kind.chunk && !decided) {
        const index_t chunks = std::min(together, (end - begin) / kind.chunk);
        direct.fold(begin, kind.chunk, chunks, kind.start_lanes, folded);
        for (index_t i = 0; i < chunks; ++i) {
            const FoldValue joined = kind.join(
                folded + static_cast<std::size_t>(i) * kAccumulatorBytes, lane_bytes, lanes);
            cascade.add(joined);
            decided = kind.may_be_decided() && kind.is_decided(joined);
        }
        begin += chunks * kind.chunk;
    }
    return begin == end || decided ? cascade.result() : cascade.result(fold_rest());
}

bool FlatFold::find(Reduction reduction, const Operand& source) {
    if (!graph_.find(source)) return false;
    kind_ = &fold_kind(reduction, source.dtype());
    plan_ = graph_.plan(source, kind_->op, kind_->neutral);
    return plan_ != nullptr;
}

void FlatFold::run(std::byte* out) const {
    count_way(Way::flat);
    DirectRun direct(*plan_, graph_.places(), graph_.size());
    kind_->store(fold_part(*kind_, direct, 0, graph_.size()), out);
}

void fold_equal_groups(const FoldKind& kind, const Operand& source, index_t groups,
                       std::byte* out) {
    const Values values(source);
    const std::shared_ptr<const Plan> shared = plan_for(values, fold_purpose(kind, groups));
    const Plan& plan = *shared;
    const int threads = threads_for(plan, plan.size);
    const auto make_direct = [&] { return DirectRun(plan, places_of(values), plan.size); };
    const auto make_runner = [&] { return Runner(plan, values); };
    if (groups == 1 && (threads > 1 || is_watched()))
        return kind.store(plan.panel_rows > 0 ? fold_panels(kind, plan, values, threads)
                          : is_direct(plan)
                              ? fold_on_threads(kind, plan.size, threads, make_direct)
                              : fold_on_threads(kind, plan.size, threads, make_runner),
                          out);
    if (groups == 1 && is_direct(plan)) {
        DirectRun direct = make_direct();
        return kind.store(fold_part(kind, direct, 0, plan.size), out);
    }
    const index_t group = plan.size / groups;
    const index_t size = kind.dtype.size_bytes();
    parallel_for(groups, 1, threads, [&](index_t first, index_t last) {
        Runner runner(plan, values);
        for (index_t g = first; g < last; ++g)
            kind.store(fold_part(kind, runner, g * group, group), out + g * size);
    });
}

} // namespace purview::engine
