#include "evaluation/exact_sums.hpp"

#include <purview/base/function_ref.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>

#include "engine/boxes/chunked_parts.hpp"
#include "engine/folds/exact_buckets.hpp"
#include "engine/places/costs.hpp"
#include "engine/realise/entered_operation.hpp"
#include "engine/reduce/reduced_source.hpp"
#include "engine/run/element_runs.hpp"
#include "engine/threads/parallel.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Elements that are computed before they are added.
constexpr index_t kExactBlock = 2048;
/// Groups of so many elements are added by buckets, where a thread has so many: these are made for
/// it, and emptied for each group.
template <typename T>
constexpr index_t kLongExactGroup = sizeof(T) == sizeof(float) ? 128 : 512;
constexpr index_t kWorthBuckets = 4096;
/// Elements for a thread, at least, where several add to one group.
constexpr index_t kExactRange = 1 << 16;

/// Gets the sum of a group; sums of different groups may come on several threads.
using FoundExactSum = FunctionRef<void(index_t group, const ExactAccumulator& sum)>;

/// The sums of ranges of elements, for one thread.
template <typename T>
class RangeOfExactSum {
public:
    /// Of `total` elements in all.
    RangeOfExactSum(const Operand& source, index_t total)
        : runs_(source, kExactBlock),
          shortest_(total < kWorthBuckets ? total + 1 : kLongExactGroup<T>) {}

    ExactAccumulator operator()(index_t begin, index_t count) {
        const index_t end = begin + count;
        if (count < shortest_) {
            ExactAccumulator sum;
            for (; begin < end; begin += kExactBlock) {
                const index_t length = std::min(kExactBlock, end - begin);
                sum.add(std::span<const T>(runs_(begin, length), static_cast<std::size_t>(length)));
            }
            return sum;
        }
        if (!buckets_) buckets_.emplace();
        for (; begin < end; begin += kExactBlock) {
            const index_t length = std::min(kExactBlock, end - begin);
            buckets_->add(runs_(begin, length), length);
        }
        return buckets_->take();
    }
    int threads(index_t count) const { return runs_.threads(count, costs::kExactElement); }

private:
    ElementRuns<T> runs_;
    index_t shortest_; ///< group that goes to buckets
    std::optional<ExactBuckets<T>> buckets_;
};

/// One group after the other, each on all threads.
template <typename T>
void sum_long_groups(const Operand& source, index_t groups, int threads, FoundExactSum found) {
    const index_t group = source.dims.size() / groups;
    for (index_t g = 0; g < groups; ++g) {
        std::mutex mutex;
        ExactAccumulator whole;
        parallel_for(group, kExactRange, threads, [&](index_t begin, index_t end) {
            RangeOfExactSum<T> sum(source, end - begin);
            const ExactAccumulator part = sum(g * group + begin, end - begin);
            const std::lock_guard lock(mutex);
            whole.merge(part);
        });
        found(g, whole);
    }
}

template <typename T>
void sum_each_group(const Operand& source, index_t groups, FoundExactSum found) {
    const index_t size = source.dims.size();
    const index_t group = size / groups;
    const int threads = RangeOfExactSum<T>(source, 0).threads(size);
    constexpr index_t kGroupsForThread = 4;
    if (groups == 1 || (groups < threads * kGroupsForThread && group >= 2 * kExactRange))
        return sum_long_groups<T>(source, groups, threads, found);
    parallel_for(groups, 1, threads, [&](index_t first, index_t last) {
        RangeOfExactSum<T> sum(source, (last - first) * group);
        for (index_t g = first; g < last; ++g) found(g, sum(g * group, group));
    });
}

/// Of a source in which nothing is left to be realised.
void sum_groups(const Operand& source, index_t groups, FoundExactSum found) {
    ArrangedSource arranged;
    // The order of a whole sum may be that of memory.
    const Operand* ordered = &source;
    std::optional<Operand> in_order;
    if (groups == 1 && arrange(source, groups, arranged))
        ordered = &in_order.emplace(arranged.source.operand());
    if (source.dtype() == float32)
        sum_each_group<float>(*ordered, groups, found);
    else
        sum_each_group<double>(*ordered, groups, found);
}

/// Of an expression over arrays of chunks, cell by cell. Returns false, with nothing found, for
/// others. `found` gets the sums at a box of the axes that are kept, whose shape is `kept`.
bool sum_chunks(const Operand& source, index_t groups,
                FunctionRef<void(const Box& box, ShapeSpan kept, const ExactAccumulator*)> found) {
    ChunkedParts parts;
    if (!parts.may_find(source) || !parts.find(source, groups)) return false;
    parts.run(
        "exact sum", sizeof(ExactAccumulator),
        [&](const WalkedCell& cell, index_t count, void* results) {
            const RealisedOperand realised("exact sum", cell.operand);
            auto* const sums = static_cast<ExactAccumulator*>(results);
            sum_groups(*realised, count,
                       [&](index_t g, const ExactAccumulator& sum) { sums[g] = sum; });
        },
        [&](void* into, const void* more, index_t count) {
            auto* const first = static_cast<ExactAccumulator*>(into);
            const auto* const second = static_cast<const ExactAccumulator*>(more);
            for (index_t i = 0; i < count; ++i) first[i].merge(second[i]);
        },
        [&](const Box& box, const void* results) {
            found(box, parts.kept(), static_cast<const ExactAccumulator*>(results));
        });
    return true;
}

/// Sums as `R`, made of each by `result`.
template <typename R>
void sums_as(const Operand& given, index_t groups, R* out, R (*result)(const ExactAccumulator&)) {
    require_not_sparse("exact_sum", given);
    if (groups == 0) return;
    if (given.dims.size() == 0) {
        std::fill_n(out, groups, result(ExactAccumulator()));
        return;
    }
    const auto of_box = [&](const Box& box, ShapeSpan kept, const ExactAccumulator* sums) {
        std::vector<R> results;
        for (index_t i = 0; i < box.size(); ++i) results.push_back(result(sums[i]));
        place_results(box, kept, sizeof(R), results.data(), out);
    };
    if (given.node->reads(Below::blocks) && sum_chunks(given, groups, of_box)) [[unlikely]]
        return;
    const EnteredOperation entered("exact sum", given);
    sum_groups(*entered, groups,
               [&](index_t g, const ExactAccumulator& sum) { out[g] = result(sum); });
}

} // namespace

void accumulate_exactly(const Operand& source, index_t groups, ExactAccumulator* out) {
    sums_as<ExactAccumulator>(source, groups, out, [](const ExactAccumulator& sum) { return sum; });
}

void exact_sums(const Operand& source, index_t groups, void* out) {
    if (source.dtype() == float32)
        sums_as<float>(source, groups, static_cast<float*>(out),
                       [](const ExactAccumulator& sum) { return sum.value<float>(); });
    else
        sums_as<double>(source, groups, static_cast<double*>(out),
                        [](const ExactAccumulator& sum) { return sum.value<double>(); });
}

} // namespace purview
