// Defines purview/evaluation/sorting.hpp.

#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sorting.hpp>

#include "engine/kernels/table/selection.hpp"
#include "engine/places/cache_sizes.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/places/load.hpp"
#include "engine/realise/prepared_operand.hpp"
#include "engine/run/chunk_fold.hpp"
#include "engine/threads/parallel.hpp"

#include <algorithm>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Nanoseconds for an element, and the fewest elements that are worth a range for a thread.
constexpr double kTakeCost = 2;
constexpr index_t kGroupsGrain = 8192;

} // namespace

void take_groups(const Operand& given, index_t groups, const std::int64_t* indexes, void* out) {
    const PreparedOperand prepared(given);
    const Operand& source = *prepared;
    const index_t size = source.dims.size();
    if (size == 0) return;
    const index_t length = size / groups;
    const index_t bytes = source.dtype().size_bytes();
    const KernelTable& kernels = engine::kernels();
    const std::byte* const elements = line_in_memory(source, BoolBytes::rejected, Alignment::any);
    const auto take = [&](const std::byte* group, index_t begin, index_t count) {
        kernels.copy_indexed(static_cast<std::size_t>(bytes), group, bytes, indexes + begin,
                             static_cast<std::byte*>(out) + begin * bytes, bytes, nullptr, count,
                             length * bytes > kSecondLevelBytes, false);
    };
    const Values values(source);
    const std::shared_ptr<const Plan> plan = plan_for(values, {});
    const int threads =
        plan->thread_safe ? worthwhile_threads(static_cast<double>(size) * kTakeCost) : 1;
    if (groups >= threads) {
        parallel_for(groups, std::max<index_t>(kGroupsGrain / length, 1), threads,
                     [&](index_t first, index_t last) {
                         ElementBlock block(source.dtype(), elements == nullptr ? length : 0);
                         Runner runner(*plan, values);
                         for (index_t g = first; g < last; ++g) {
                             if (elements == nullptr)
                                 runner.run(
                                     g * length, length, kNoLimit,
                                     [&](index_t at, index_t) { return block.at(at - g * length); },
                                     [](index_t, index_t) {});
                             take(elements == nullptr ? block.at(0) : elements + g * length * bytes,
                                  g * length, length);
                         }
                     });
        return;
    }
    ElementBlock block(source.dtype(), elements == nullptr ? length : 0);
    const Evaluation evaluation(source, Reads::within_one_operation);
    for (index_t g = 0; g < groups; ++g) {
        if (elements == nullptr) evaluation.read(g * length, length, block.data());
        const std::byte* const group =
            elements == nullptr ? block.at(0) : elements + g * length * bytes;
        parallel_for(length, kGroupsGrain, threads, [&](index_t first, index_t last) {
            take(group, g * length + first, last - first);
        });
    }
}

} // namespace purview
