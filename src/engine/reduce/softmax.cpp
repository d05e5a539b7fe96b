#include "engine/reduce/softmax.hpp"

#include "engine/kernels/table/selection.hpp"
#include "engine/places/costs.hpp"
#include "engine/threads/parallel.hpp"
#include "engine/threads/watch.hpp"

#include <purview/evaluation/evaluate.hpp>

#include <algorithm>

namespace purview::inline v0_1::engine {
namespace {

/// Elements that are read at a time, about: whole groups (at least one) that stay in the
/// first-level cache.
constexpr index_t kRowBlock = 4096;

} // namespace

void softmax_on_cpu(const Operand& source, index_t groups, void* out) {
    const WatchedOperation watched("softmax");
    const Evaluation evaluation(source, Reads::within_one_operation);
    const index_t size = evaluation.size();
    if (size == 0) return;
    const index_t group = size / groups;
    const index_t bytes = source.dtype().size_bytes();
    const index_t step = std::max(kRowBlock / group, index_t{1});
    const auto nanoseconds = costs::kSoftmaxElement * static_cast<double>(size);
    const int threads = evaluation.is_thread_safe() ? worthwhile_threads(nanoseconds) : 1;
    parallel_for(groups, step, threads, [&](index_t begin, index_t end) {
        for (index_t first = begin; first < end; first += step) {
            const index_t count = std::min(end - first, step);
            std::byte* const at = static_cast<std::byte*>(out) + first * group * bytes;
            evaluation.read(first * group, count * group, at);
            kernels().softmax_rows(static_cast<std::size_t>(bytes), at, count, group);
        }
    });
}

} // namespace purview::engine
