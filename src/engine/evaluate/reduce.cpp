#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparse_reduction.hpp>

#include "engine/compile/plan_cache.hpp"
#include "engine/contract/contract.hpp"
#include "engine/contract/product_tree.hpp"
#include "engine/evaluate/reduce.hpp"
#include "engine/folds/folds.hpp"
#include "engine/realise/ready.hpp"
#include "engine/reduce/reduce_axes.hpp"
#include "engine/reduce/reduce_gather.hpp"
#include "engine/run/direct_run.hpp"
#include "engine/run/flat_graph.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/run/runner.hpp"
#include "engine/threads/branches.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

namespace purview {
namespace {

using namespace engine;

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

/// The same, of a plan without rows and blocks: many chunks are folded before their lanes are joined.
template <typename Fold>
typename Fold::Type fold_directly(DirectRun& direct, index_t begin, index_t count) {
    using T = typename Fold::Type;
    constexpr index_t kTogether = std::same_as<T, bool> ? 1 : 16; // bools may be decided
    const std::size_t lane_bytes = direct.lane_bytes();
    const auto lanes =
        static_cast<std::size_t>(accumulator_lanes(std::floating_point<T>, lane_bytes));
    const index_t end = begin + count;
    Cascade<Fold> cascade;
    if (end - begin >= Fold::kChunk) {
        alignas(64) std::byte start[kAccumulatorBytes];
        alignas(64) std::byte folded[kTogether * kAccumulatorBytes];
        Fold::reset(start, lane_bytes, lanes);
        T joined = Fold::start();
        while (end - begin >= Fold::kChunk && !Fold::is_decided(joined)) {
            const index_t chunks = std::min(kTogether, (end - begin) / Fold::kChunk);
            direct.fold(begin, Fold::kChunk, chunks, start, folded);
            for (index_t i = 0; i < chunks; ++i) {
                joined = Fold::join(folded + static_cast<std::size_t>(i) * kAccumulatorBytes,
                                    lane_bytes, lanes);
                cascade.add(joined);
            }
            begin += chunks * Fold::kChunk;
        }
        if (begin == end || Fold::is_decided(joined)) return cascade.result();
    }
    Fold::reset(direct.accumulator(), lane_bytes, lanes);
    direct.accumulate(begin);
    cascade.add(Fold::join(direct.accumulator(), lane_bytes, lanes));
    return cascade.result();
}

/// Folds a few operations over memory that is read in order. False for anything else.
template <typename Fold>
bool fold_flat(const Operand& source, typename Fold::Type* out) {
    FlatGraph graph;
    if (!graph.find(source)) return false;
    const Plan* const plan = graph.plan(source, Fold::kOp, Fold::neutral());
    if (plan == nullptr) return false;
    DirectRun direct(*plan, graph.places(), graph.size());
    *out = fold_directly<Fold>(direct, 0, graph.size());
    return true;
}

template <typename Fold>
Purpose purpose_of(index_t groups) {
    return {groups == 1 ? Walk::any_order : Walk::in_order, nullptr, Fold::kOp, Fold::neutral()};
}

/// Folds everything, on several threads.
template <typename Fold>
typename Fold::Type fold_on_threads(const Plan& plan, const Values& values, int threads) {
    if (is_direct(plan))
        return fold_branches<Fold>(plan.size, Fold::kChunk, threads, [&] {
            auto direct = std::make_unique<DirectRun>(plan, places_of(values), plan.size);
            return [direct = std::move(direct)](index_t begin, index_t count) {
                return fold_directly<Fold>(*direct, begin, count);
            };
        });
    return fold_branches<Fold>(plan.size, Fold::kChunk, threads, [&] {
        auto runner = std::make_unique<Runner>(plan, values);
        return [&plan, runner = std::move(runner)](index_t begin, index_t count) {
            return fold_part<Fold>(plan, *runner, begin, count);
        };
    });
}

/// The same by panels. They mix the pieces of several rows, so that no number of them is a branch of the
/// tree: what each piece comes to is kept, and joined in the order in which one thread meets them.
template <typename Fold>
typename Fold::Type fold_panels(const Plan& plan, const Values& values, int threads) {
    using T = typename Fold::Type;
    const index_t length = std::min(Fold::kChunk, plan.block);
    const index_t pieces = (plan.row + length - 1) / length;
    const index_t extent = plan.space.extents[plan.space.rank() - 2];
    const index_t panels = (extent + plan.panel_rows - 1) / plan.panel_rows;
    const index_t planes = plan.size / plan.row / extent;
    const auto row_of = [&](index_t panel) {
        return panel / panels * extent + panel % panels * plan.panel_rows;
    };
    const auto results = std::make_unique<T[]>(static_cast<std::size_t>(planes * extent * pieces));
    parallel_for(planes * panels, 1, threads, [&](index_t first, index_t last) {
        const std::size_t lane_bytes = lane_bytes_of(plan);
        const auto lanes =
            static_cast<std::size_t>(accumulator_lanes(std::floating_point<T>, lane_bytes));
        Runner runner(plan, values);
        T* result = results.get() + row_of(first) * pieces;
        Fold::reset(runner.accumulator(), lane_bytes, lanes);
        runner.run(row_of(first) * plan.row, (row_of(last) - row_of(first)) * plan.row, length,
                   kNoResult, [&](index_t, index_t) {
                       *result++ = Fold::join(runner.accumulator(), lane_bytes, lanes);
                       Fold::reset(runner.accumulator(), lane_bytes, lanes);
                   });
    });
    Cascade<Fold> cascade;
    for (index_t i = 0; i < planes * extent * pieces; ++i)
        cascade.add(results[static_cast<std::size_t>(i)]);
    return cascade.result();
}

template <typename Fold>
void reduce_groups(const Operand& source, index_t groups, typename Fold::Type* out) {
    const Values values(source);
    const std::shared_ptr<const Plan> shared = plan_for(values, purpose_of<Fold>(groups));
    const Plan& plan = *shared;
    const int threads = threads_for(plan, plan.size);
    if (groups == 1 && threads > 1) {
        out[0] = plan.panel_rows > 0 ? fold_panels<Fold>(plan, values, threads)
                                     : fold_on_threads<Fold>(plan, values, threads);
        return;
    }
    if (groups == 1 && is_direct(plan)) {
        DirectRun direct(plan, places_of(values), plan.size);
        out[0] = fold_directly<Fold>(direct, 0, plan.size);
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
                          *static_cast<T*>(out) = fold_directly<Fold>(direct, 0, direct.size());
                      }};
        });
    });
    return result;
}

void reduce(Reduction reduction, const Operand& given, index_t groups, void* out) {
    if (is_sparse(given) && given.dims.size() > 0) [[unlikely]]
        return reduce_sparse(reduction, given, groups)->read_into(0, 1, groups, out);
    const Ready ready(given);
    const Operand& source = *ready;
    if (reduction == Reduction::sum &&
        (groups != 1 || source.node->reads_sparse() || engine::is_nested_product(source)) &&
        contract(source, groups, out))
        return;
    if (reduction == Reduction::sum && sum_gathered_rows(source, groups, out)) return;
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
