#include <purview/dtype/visit.hpp>
#include <purview/expression/evaluate.hpp>

#include "engine/contract.hpp"
#include "engine/folds.hpp"
#include "engine/plan_cache.hpp"
#include "engine/reduce.hpp"
#include "engine/reduce_axes.hpp"
#include "engine/runner.hpp"

#include <algorithm>

namespace purview {
namespace {

using namespace engine;

/// Elements accumulated on lanes before these are joined: fewer where a lane has fewer bits to lose.
template <typename T>
constexpr index_t kChunk = std::same_as<T, float> ? 512 : 8192;

constexpr auto kNoResult = [](index_t, index_t) -> std::byte* { return nullptr; };

/// Folds the elements [begin, begin + count) of a plan that accumulates.
template <typename Fold>
typename Fold::Type fold_part(Runner& runner, std::size_t lane_bytes, index_t begin,
                              index_t count) {
    using T = typename Fold::Type;
    Cascade<Fold> cascade;
    const auto lanes =
        static_cast<std::size_t>(accumulator_lanes(std::floating_point<T>, lane_bytes));
    Fold::reset(runner.accumulator(), lane_bytes, lanes);
    runner.run(begin, count, kChunk<T>, kNoResult, [&](index_t, index_t) {
        cascade.add(Fold::join(runner.accumulator(), lane_bytes, lanes));
        Fold::reset(runner.accumulator(), lane_bytes, lanes);
    });
    return cascade.result();
}

std::size_t lane_bytes_of(const Plan& plan) {
    return std::get<TileStep>(plan.steps.back()).program.lane_bytes;
}

template <typename Fold>
Purpose purpose_of(index_t groups) {
    return {groups == 1 ? Walk::any_order : Walk::in_order, nullptr, Fold::kOp, Fold::neutral()};
}

template <typename Fold>
void reduce_groups(const Operand& source, index_t groups, typename Fold::Type* out) {
    const Values values(source);
    const std::shared_ptr<const Plan> shared = plan_for(values, purpose_of<Fold>(groups));
    const Plan& plan = *shared;
    Runner runner(plan, values);
    const std::size_t lane_bytes = lane_bytes_of(plan);
    const index_t group = plan.size / groups;
    for (index_t g = 0; g < groups; ++g)
        out[g] = fold_part<Fold>(runner, lane_bytes, g * group, group);
}

} // namespace

FoldPurpose engine::fold_purpose(Reduction reduction, DType dtype, index_t groups) {
    FoldPurpose result;
    visit_dtype(dtype, "reduce", [&]<typename T>(std::type_identity<T>) {
        visit_fold<T>(reduction, [&]<typename Fold>(std::type_identity<Fold>) {
            result = {purpose_of<Fold>(groups), kChunk<T>};
        });
    });
    return result;
}

void reduce(Reduction reduction, const Operand& source, index_t groups, void* out) {
    if (reduction == Reduction::sum && contract(source, groups, out)) return;
    visit_dtype(source.dtype(), "reduce", [&]<typename T>(std::type_identity<T>) {
        visit_fold<T>(reduction, [&]<typename Fold>(std::type_identity<Fold>) {
            auto* const results = static_cast<T*>(out);
            if (source.dims.size() == 0)
                std::fill_n(results, groups, Fold::identity());
            else
                reduce_axes<Fold>(source, groups, results, &reduce_groups<Fold>);
        });
    });
}

} // namespace purview
