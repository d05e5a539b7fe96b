// Defines purview/evaluation/statistics.hpp.

#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparse_reduction.hpp>
#include <purview/evaluation/statistics.hpp>
#include <purview/expression/elementwise.hpp>

#include "engine/compile/plan_cache.hpp"
#include "engine/realise/prepared_operand.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/run/runner.hpp"
#include "engine/threads/watch.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Counts true elements on the lanes of the program that computes them, so that none is stored.
std::int64_t count_all(const Operand& source) {
    static constexpr std::uint64_t kFalse = 0;
    const Values values(source);
    const std::shared_ptr<const Plan> plan =
        plan_for(values, {Walk::any_order, nullptr, TileOp::count, &kFalse});
    std::atomic<std::uint64_t> total{0};
    for_each_part(*plan, plan->size, [&](index_t begin, index_t end) {
        Runner runner(*plan, values);
        std::uint64_t count = 0;
        std::memcpy(runner.accumulator(), &count, sizeof(count));
        runner.run(
            begin, end - begin, kNoLimit, [](index_t, index_t) -> std::byte* { return nullptr; },
            [](index_t, index_t) {});
        std::memcpy(&count, runner.accumulator(), sizeof(count));
        total.fetch_add(count, std::memory_order_relaxed);
    });
    return static_cast<std::int64_t>(total.load(std::memory_order_relaxed));
}

} // namespace

void count_true_elements(const Operand& given, index_t groups, std::int64_t* out) {
    const WatchedOperation watched("count");
    const PreparedOperand prepared(given);
    const Operand& source = *prepared;
    if (source.dims.size() == 0)
        std::fill_n(out, groups, std::int64_t{0});
    else if (is_sparse(source))
        count_true_sparse(source, groups)->read_into(0, 1, groups, out);
    else if (groups == 1)
        *out = count_all(source);
    else
        reduce(Reduction::sum, cast_operand(source, int64, Op::cast), groups, out);
}

} // namespace purview
