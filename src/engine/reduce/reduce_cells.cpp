#include "engine/reduce/reduce_cells.hpp"

#include "engine/compile/plan_cache.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/run/runner.hpp"

#include <cstring>

namespace purview::inline v0_1::engine {
namespace {

/// About as many elements of cells make up a range for a thread.
constexpr index_t kPartOfCells = 64 * kBlock;

} // namespace

void reduce_cells(const FoldKind& kind, const Operand& source, Cell cell, std::byte* out) {
    const Values values(source);
    const std::shared_ptr<const Plan> plan = plan_for(values, {});
    const index_t limit = kBlock / cell.size() * cell.size();
    const index_t bytes = kind.dtype.size_bytes();
    const auto part = [&](index_t first, index_t last) {
        // Blocks end with the rows of the plan too, which may be in the middle of a cell: its
        // elements wait at the begin of the block for the others.
        alignas(64) std::byte block[2 * static_cast<std::size_t>(kBlock) * sizeof(FoldValue)];
        Runner(*plan, values)
            .run(
                first, last - first, limit,
                [&](index_t begin, index_t) { return block + (begin - first) * bytes; },
                [&](index_t begin, index_t count) {
                    const index_t cells = (begin + count - first) / cell.size();
                    kind.fold_cells(block, cells, cell,
                                    out + first / cell.size() * cell.width * bytes);
                    first += cells * cell.size();
                    if (const index_t rest = begin + count - first; rest > 0 && cells > 0)
                        std::memmove(block, block + cells * cell.size() * bytes,
                                     static_cast<std::size_t>(rest * bytes));
                });
    };
    parallel_for(plan->size, kPartOfCells / limit * limit, threads_for(*plan, plan->size), part);
}

} // namespace purview::engine
