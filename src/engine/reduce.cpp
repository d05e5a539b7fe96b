#include <purview/dtype/visit.hpp>
#include <purview/expression/evaluate.hpp>

#include "engine/contract.hpp"
#include "engine/direct_run.hpp"
#include "engine/flat_graph.hpp"
#include "engine/folds.hpp"
#include "engine/parallel.hpp"
#include "engine/plan_cache.hpp"
#include "engine/reduce.hpp"
#include "engine/reduce_axes.hpp"
#include "engine/runner.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>

namespace purview {
namespace {

using namespace engine;

constexpr auto kNothingAfter = [](index_t, index_t) {};
constexpr auto kNoResult = [](index_t, index_t) -> std::byte* { return nullptr; };

std::size_t lane_bytes_of(const Plan& plan) {
    return std::get<TileStep>(plan.steps.back()).program.lane_bytes;
}

/// Folds the elements [begin, begin + count) of a plan that accumulates, in chunks of `Fold::kChunk`.
template <typename Fold>
typename Fold::Type fold_part(const Plan& plan, Runner& runner, index_t begin, index_t count) {
    using T = typename Fold::Type;
    const std::size_t lane_bytes = lane_bytes_of(plan);
    const auto lanes =
        static_cast<std::size_t>(accumulator_lanes(std::floating_point<T>, lane_bytes));
    Cascade<Fold> cascade;
    if (plan.panel_rows > 0) {
        // Panels are walked as a whole, and joined piece by piece.
        Fold::reset(runner.accumulator(), lane_bytes, lanes);
        runner.run(begin, count, Fold::kChunk, kNoResult, [&](index_t, index_t) {
            cascade.add(Fold::join(runner.accumulator(), lane_bytes, lanes));
            Fold::reset(runner.accumulator(), lane_bytes, lanes);
        });
        return cascade.result();
    }
    T joined = Fold::start();
    for (const index_t end = begin + count; begin < end && !Fold::is_decided(joined);
         begin += Fold::kChunk) {
        Fold::reset(runner.accumulator(), lane_bytes, lanes);
        runner.run(begin, std::min(Fold::kChunk, end - begin), Fold::kChunk, kNoResult,
                   kNothingAfter);
        joined = Fold::join(runner.accumulator(), lane_bytes, lanes);
        cascade.add(joined);
    }
    return cascade.result();
}

/// Folds elements that are a chunk, or less.
template <typename Fold>
typename Fold::Type fold_chunk(DirectRun& direct) {
    using T = typename Fold::Type;
    const std::size_t lane_bytes = direct.lane_bytes();
    const auto lanes =
        static_cast<std::size_t>(accumulator_lanes(std::floating_point<T>, lane_bytes));
    Fold::reset(direct.accumulator(), lane_bytes, lanes);
    direct.accumulate();
    return Fold::join(direct.accumulator(), lane_bytes, lanes);
}

/// Folds a few operations over memory that is read in order. False for anything else.
template <typename Fold>
bool fold_flat(const Operand& source, typename Fold::Type* out) {
    FlatGraph graph;
    if (!graph.find(source) || graph.size() > Fold::kChunk) return false;
    const Plan* const plan = graph.plan(source, Fold::kOp, Fold::neutral());
    if (plan == nullptr) return false;
    DirectRun direct(*plan, graph.places(), graph.size());
    *out = fold_chunk<Fold>(direct);
    return true;
}

template <typename Fold>
Purpose purpose_of(index_t groups) {
    return {groups == 1 ? Walk::any_order : Walk::in_order, nullptr, Fold::kOp, Fold::neutral()};
}

/// Folds everything, on several threads: each takes a power of two of chunks at a time, which is a whole
/// branch of the tree that one thread would have built.
template <typename Fold>
typename Fold::Type fold_on_threads(const Plan& plan, const Values& values, int threads) {
    using T = typename Fold::Type;
    constexpr index_t kBranchesPerThread = 8;
    const index_t chunks = (plan.size + Fold::kChunk - 1) / Fold::kChunk;
    const index_t share = std::max<index_t>(chunks / (threads * kBranchesPerThread), 1);
    const auto branch = static_cast<index_t>(std::bit_floor(static_cast<std::uint64_t>(share)));
    const index_t branches = (chunks + branch - 1) / branch;
    const auto results = std::make_unique<T[]>(static_cast<std::size_t>(branches));
    parallel_for(branches, 1, threads, [&](index_t first, index_t last) {
        Runner runner(plan, values);
        for (index_t i = first; i < last; ++i) {
            const index_t begin = i * branch * Fold::kChunk;
            const index_t count = std::min(branch * Fold::kChunk, plan.size - begin);
            results[static_cast<std::size_t>(i)] = fold_part<Fold>(plan, runner, begin, count);
        }
    });
    Cascade<Fold> cascade;
    const index_t whole = chunks / branch;
    for (index_t i = 0; i < whole; ++i) cascade.add(results[static_cast<std::size_t>(i)]);
    return whole == branches ? cascade.result()
                             : cascade.result(results[static_cast<std::size_t>(whole)]);
}

template <typename Fold>
void reduce_groups(const Operand& source, index_t groups, typename Fold::Type* out) {
    const Values values(source);
    const std::shared_ptr<const Plan> shared = plan_for(values, purpose_of<Fold>(groups));
    const Plan& plan = *shared;
    // Panels mix the chunks of several rows, so that no part of them is a branch of the tree.
    const int threads = plan.panel_rows > 0 ? 1 : threads_for(plan, plan.size);
    if (groups == 1 && threads > 1) {
        out[0] = fold_on_threads<Fold>(plan, values, threads);
        return;
    }
    const index_t group = plan.size / groups;
    parallel_for(groups, 1, threads, [&](index_t first, index_t last) {
        Runner runner(plan, values);
        for (index_t g = first; g < last; ++g)
            out[g] = fold_part<Fold>(plan, runner, g * group, group);
    });
}

} // namespace

FoldPurpose engine::fold_purpose(Reduction reduction, DType dtype, index_t groups) {
    FoldPurpose result;
    visit_dtype(dtype, "reduce", [&]<typename T>(std::type_identity<T>) {
        visit_fold<T>(reduction, [&]<typename Fold>(std::type_identity<Fold>) {
            result = {purpose_of<Fold>(groups), Fold::kChunk};
        });
    });
    return result;
}

FoldEverything engine::fold_everything(Reduction reduction, DType dtype) {
    FoldEverything result;
    visit_dtype(dtype, "reduce", [&]<typename T>(std::type_identity<T>) {
        visit_fold<T>(reduction, [&]<typename Fold>(std::type_identity<Fold>) {
            result = {[](const Plan& plan, Runner& runner, void* out) {
                          *static_cast<T*>(out) = fold_part<Fold>(plan, runner, 0, plan.size);
                      },
                      [](DirectRun& direct, void* out) {
                          *static_cast<T*>(out) = fold_chunk<Fold>(direct);
                      },
                      Fold::kChunk};
        });
    });
    return result;
}

void reduce(Reduction reduction, const Operand& source, index_t groups, void* out) {
    if (reduction == Reduction::sum && groups != 1 && contract(source, groups, out)) return;
    visit_dtype(source.dtype(), "reduce", [&]<typename T>(std::type_identity<T>) {
        visit_fold<T>(reduction, [&]<typename Fold>(std::type_identity<Fold>) {
            auto* const results = static_cast<T*>(out);
            if (source.dims.size() == 0)
                std::fill_n(results, groups, Fold::identity());
            else if (groups == 1 && fold_flat<Fold>(source, results))
                return;
            else
                reduce_axes<Fold>(source, groups, results, &reduce_groups<Fold>);
        });
    });
}

} // namespace purview
