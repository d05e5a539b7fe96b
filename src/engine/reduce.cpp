#include <purview/dtype/visit.hpp>
#include <purview/expression/evaluate.hpp>

#include "engine/contract.hpp"
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

/// Where the chunks of a plan's elements begin.
class Chunks {
public:
    Chunks(const Plan& plan, index_t limit)
        : size_(plan.size),
          row_(plan.by_rows ? plan.row : plan.size),
          length_(std::min(limit, plan.block)),
          in_row_((row_ + length_ - 1) / length_) {}

    index_t count() const noexcept { return size_ / row_ * in_row_; }
    index_t begin(index_t chunk) const noexcept {
        return chunk >= count() ? size_ : chunk / in_row_ * row_ + chunk % in_row_ * length_;
    }

private:
    index_t size_;
    index_t row_;
    index_t length_;
    index_t in_row_;
};

/// Folds everything, on several threads: each takes a power of two of chunks at a time, which is a whole
/// branch of the tree that one thread would have built.
template <typename Fold>
typename Fold::Type fold_on_threads(const Plan& plan, const Values& values, int threads) {
    using T = typename Fold::Type;
    constexpr index_t kBranchesPerThread = 8;
    const Chunks chunks(plan, kChunk<T>);
    const index_t share = std::max<index_t>(chunks.count() / (threads * kBranchesPerThread), 1);
    const auto branch = static_cast<index_t>(std::bit_floor(static_cast<std::uint64_t>(share)));
    const index_t branches = (chunks.count() + branch - 1) / branch;
    const auto results = std::make_unique<T[]>(static_cast<std::size_t>(branches));
    parallel_for(branches, 1, threads, [&](index_t first, index_t last) {
        Runner runner(plan, values);
        for (index_t i = first; i < last; ++i) {
            const index_t begin = chunks.begin(i * branch);
            const index_t count = chunks.begin((i + 1) * branch) - begin;
            results[static_cast<std::size_t>(i)] =
                fold_part<Fold>(runner, lane_bytes_of(plan), begin, count);
        }
    });
    Cascade<Fold> cascade;
    const index_t whole = chunks.count() / branch;
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
            out[g] = fold_part<Fold>(runner, lane_bytes_of(plan), g * group, group);
    });
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
