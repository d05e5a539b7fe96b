#include "engine/reduce/count_all_true.hpp"

#include "engine/compile/plan_cache.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/run/runner.hpp"

#include <atomic>
#include <cstring>

namespace purview::inline v0_1::engine {

std::int64_t count_all_true(const Operand& source) {
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
            kNothingAfter);
        std::memcpy(&count, runner.accumulator(), sizeof(count));
        total.fetch_add(count, std::memory_order_relaxed);
    });
    return static_cast<std::int64_t>(total.load(std::memory_order_relaxed));
}

} // namespace purview::engine
