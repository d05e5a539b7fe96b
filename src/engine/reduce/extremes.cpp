#include "engine/reduce/extremes.hpp"

#include "engine/run/plan_threads.hpp"
#include "engine/run/range_fold.hpp"

#include <algorithm>
#include <mutex>

namespace purview::inline v0_1::engine {

std::pair<FoldValue, FoldValue> extremes_of(const Operand& source) {
    const FoldKind& least = fold_kind(Reduction::minimum, source.dtype());
    const FoldKind& greatest = fold_kind(Reduction::maximum, source.dtype());
    std::pair found{least.start, greatest.start};
    // 32 KiB: the first fold reads a chunk from memory, the second from the first-level cache.
    const index_t chunk = 32768 / source.dtype().size_bytes();
    const auto join = [&](std::pair<FoldValue, FoldValue>& all, FoldValue lower, FoldValue upper) {
        all = {least.combine(all.first, lower), greatest.combine(all.second, upper)};
    };
    const index_t size = source.dims.size();
    std::mutex mutex;
    const int threads = threads_for(RangeFold(least, source).plan(), size);
    parallel_for(size, chunk, threads, [&](index_t begin, index_t end) {
        RangeFold fold_least(least, source);
        RangeFold fold_greatest(greatest, source);
        std::pair part{least.start, greatest.start};
        for (index_t at = begin; at < end; at += chunk) {
            const index_t count = std::min(chunk, end - at);
            join(part, fold_least(at, count), fold_greatest(at, count));
        }
        const std::lock_guard lock(mutex);
        join(found, part.first, part.second);
    });
    return found;
}

} // namespace purview::engine
