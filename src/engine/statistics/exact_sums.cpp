// Defines evaluation/reducers.hpp.

#include <purview/base/function_ref.hpp>
#include <purview/evaluation/complex_numbers.hpp>

#include "engine/folds/exact_buckets.hpp"
#include "engine/places/costs.hpp"
#include "engine/reduce/reduced_source.hpp"
#include "engine/run/element_runs.hpp"
#include "engine/threads/parallel.hpp"
#include "evaluation/exact_accumulator.hpp"
#include "evaluation/numbers_only.hpp"
#include "evaluation/reducers.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
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

/// A state is the exact sum of a part; of complex numbers one of each part of theirs.
class ExactSumReducer final : public Reducer {
public:
    ExactSumReducer(const char* name, DType element, bool skips_nan)
        : Reducer(name, element, (is_complex(element) ? 2 : 1) * sizeof(ExactAccumulator)),
          parts_(is_complex(element) ? 2 : 1),
          part_(is_complex(element) ? part_dtype(element) : element),
          skips_nan_(skips_nan) {}

    void clear(std::byte* states, index_t count) const override {
        std::uninitialized_fill_n(sums_at(states), parts_ * count, ExactAccumulator());
    }
    void fold(const FoldedPart& part, std::byte* states) const override {
        add_groups(part.operand, part.groups, [&](index_t at, const ExactAccumulator& sum) {
            std::memcpy(sums_at(states) + at, &sum, sizeof sum);
        });
    }
    void join(std::byte* left, const std::byte* right, index_t count) const override {
        for (index_t i = 0; i < parts_ * count; ++i) sums_at(left)[i].merge(sums_at(right)[i]);
    }
    void finish(const std::byte* states, index_t count, index_t, void* out) const override {
        for (index_t i = 0; i < parts_ * count; ++i) round(sums_at(states)[i], out, i);
    }
    /// No state is kept but of groups that are being added.
    void run(const Operand& source, index_t groups, void* out) const override {
        add_groups(source, groups,
                   [&](index_t at, const ExactAccumulator& sum) { round(sum, out, at); });
    }

private:
    static ExactAccumulator* sums_at(std::byte* states) {
        return reinterpret_cast<ExactAccumulator*>(states);
    }
    static const ExactAccumulator* sums_at(const std::byte* states) {
        return reinterpret_cast<const ExactAccumulator*>(states);
    }
    /// Gets the sum of each group, of complex numbers two: at their places one after the other.
    void add_groups(const Operand& source, index_t groups, FoundExactSum found) const {
        if (parts_ == 1) {
            const Operand x = skips_nan_ ? numbers_only(source, Reduction::sum) : source;
            return sum_groups(x, groups, found);
        }
        for (index_t part = 0; part < 2; ++part)
            sum_groups(
                part == 0 ? real_part(source) : imaginary_part(source), groups,
                [&](index_t group, const ExactAccumulator& sum) { found(2 * group + part, sum); });
    }
    void round(const ExactAccumulator& sum, void* out, index_t at) const {
        if (part_ == float32)
            static_cast<float*>(out)[at] = sum.value<float>();
        else
            static_cast<double*>(out)[at] = sum.value<double>();
    }

    index_t parts_; ///< of an element
    DType part_;
    bool skips_nan_;
};

} // namespace

std::unique_ptr<const Reducer> exact_sum_reducer(const char* name, DType element, bool skips_nan) {
    return std::make_unique<ExactSumReducer>(name, element, skips_nan);
}

} // namespace purview
