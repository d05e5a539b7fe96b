#include <purview/evaluation/softmax.hpp>

#include "engine/kernels/table/selection.hpp"
#include "engine/threads/parallel.hpp"
#include "engine/threads/watch.hpp"

#include <purview/evaluation/evaluate.hpp>

#include <algorithm>

namespace purview::inline v0_1 {
namespace engine {
namespace {

/// Elements that are read at a time, about: whole groups (at least one) that stay in the
/// first-level cache.
constexpr index_t kRowBlock = 4096;
constexpr double kNanosecondsEach = 0.3;

template <typename R>
void softmax_of(const Evaluation& evaluation, index_t groups, R* out) {
    const index_t group = evaluation.size() / groups;
    const index_t step = std::max(kRowBlock / group, index_t{1});
    const auto nanoseconds = kNanosecondsEach * static_cast<double>(evaluation.size());
    const int threads = evaluation.is_thread_safe() ? worthwhile_threads(nanoseconds) : 1;
    parallel_for(groups, step, threads, [&](index_t begin, index_t end) {
        for (index_t first = begin; first < end; first += step) {
            const index_t count = std::min(end - first, step);
            R* const at = out + first * group;
            evaluation.read(first * group, count * group, at);
            kernels().softmax_rows(sizeof(R), at, count, group);
        }
    });
}

} // namespace
} // namespace engine

void softmax_elements(const Operand& source, index_t groups, void* out) {
    const engine::WatchedOperation watched("softmax");
    const Evaluation evaluation(source, Reads::within_one_operation);
    if (evaluation.size() == 0) return;
    if (source.dtype() == float32)
        engine::softmax_of(evaluation, groups, static_cast<float*>(out));
    else
        engine::softmax_of(evaluation, groups, static_cast<double*>(out));
}

} // namespace purview
