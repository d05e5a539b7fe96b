#include "engine/reduce/reduce_cells.hpp"

#include "engine/compile/plan_cache.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/run/runner.hpp"

#include <algorithm>

namespace purview::inline v0_1::engine {
namespace {

/// About as many elements of cells make up a range for a thread.
constexpr index_t kPartOfCells = 64 * kBlock;

} // namespace

void reduce_cells(const FoldKind& kind, const Operand& source, Cell cell, std::byte* out) {
    const Values values(source);
    const std::shared_ptr<const Plan> plan = plan_for(values, {});
    const index_t limit = kBlock / cell.size() * cell.size();
    const index_t row_bytes = cell.width * kind.dtype.size_bytes();
    const auto part = [&](index_t first, index_t last) {
        alignas(64) std::byte block[static_cast<std::size_t>(kBlock) * sizeof(FoldValue)];
        Runner(*plan, values)
            .run(
                first, last - first, limit, [&](index_t, index_t) { return block; },
                [&](index_t begin, index_t count) {
                    PURVIEW_ASSERT(begin % cell.size() == 0 && count % cell.size() == 0);
                    kind.fold_cells(block, count / cell.size(), cell,
                                    out + begin / cell.size() * row_bytes);
                });
    };
    parallel_for(plan->size, kPartOfCells / limit * limit, threads_for(*plan, plan->size), part);
}

} // namespace purview::engine
