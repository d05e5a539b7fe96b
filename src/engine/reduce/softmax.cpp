#include "engine/reduce/softmax.hpp"

#include "engine/kernels/table/selection.hpp"
#include "engine/places/costs.hpp"
#include "engine/threads/parallel.hpp"
#include "engine/threads/watch.hpp"
#include "evaluation/lane_slabs.hpp"

#include <purview/evaluation/evaluate.hpp>

#include <algorithm>

namespace purview::inline v0_1::engine {
namespace {

/// Elements that are read at a time, about: whole groups (at least one) that stay in the
/// first-level cache.
constexpr index_t kRowBlock = 4096;

/// The softmax of `lanes` consecutive ones, each of `group` elements.
void softmax_of_lanes(const Evaluation& evaluation, index_t from, index_t lanes, index_t group,
                      std::byte* out) {
    const index_t bytes = evaluation.dtype().size_bytes();
    const index_t step = std::max(kRowBlock / group, index_t{1});
    const auto nanoseconds = costs::kSoftmaxElement * static_cast<double>(lanes * group);
    const int threads = evaluation.is_thread_safe() ? worthwhile_threads(nanoseconds) : 1;
    parallel_for(lanes, step, threads, [&](index_t begin, index_t end) {
        for (index_t first = begin; first < end; first += step) {
            const index_t count = std::min(end - first, step);
            std::byte* const at = out + first * group * bytes;
            evaluation.read((from + first) * group, count * group, at);
            kernels().softmax_rows(static_cast<std::size_t>(bytes), at, count, group);
        }
    });
}

/// Whole lanes of arrays of chunks come into memory together, where one has room: otherwise each would read its chunks.
void softmax_of_slabs(const Operand& source, ShapeSpan lanes, ShapeSpan whole, index_t group,
                      std::byte* out) {
    for_each_slab("softmax", source, whole, [&](const Operand& slab, ShapeSpan begin) {
        const Evaluation evaluation(slab, Reads::within_one_operation);
        const ShapeSpan extents = slab.dims.max_shape();
        const index_t run = extents[lanes.size() - 1]; // beside each other in the result, too
        const index_t count = evaluation.size() / group;
        for (index_t from = 0; from < count; from += run) {
            index_t place = 0;
            index_t below = 1;
            index_t rest = from;
            for (std::size_t axis = lanes.size(); axis-- > 0; below *= lanes[axis]) {
                place += (begin[axis] + rest % extents[axis]) * below;
                rest /= extents[axis];
            }
            softmax_of_lanes(evaluation, from, run, group,
                             out + place * group * source.dtype().size_bytes());
        }
    });
}

} // namespace

void softmax_on_cpu(const Operand& source, index_t groups, void* out) {
    const WatchedOperation watched("softmax");
    const index_t size = source.dims.size();
    if (size == 0) return;
    const index_t group = size / groups;
    std::byte* const bytes = static_cast<std::byte*>(out);
    if (groups > 1 && source.node->reads(Below::blocks)) {
        const ShapeSpan shape = source.dims.max_shape();
        std::size_t kept = 0;
        for (index_t before = 1; before < groups; ++kept) before *= shape[kept];
        Shape whole;
        for (std::size_t axis = kept; axis < shape.size(); ++axis)
            whole.push_back(static_cast<index_t>(axis));
        if (slabs_have_room(source, whole))
            return softmax_of_slabs(source, shape.first(kept), whole, group, bytes);
    }
    softmax_of_lanes(Evaluation(source, Reads::within_one_operation), 0, groups, group, bytes);
}

} // namespace purview::engine
