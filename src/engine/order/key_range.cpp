#include "engine/order/key_range.hpp"

#include <purview/dtype/visit.hpp>

#include "engine/reduce/extremes.hpp"
#include "engine/run/element_runs.hpp"

#include <algorithm>
#include <numeric>

namespace purview::inline v0_1::engine {

std::pair<std::uint64_t, std::uint64_t> least_and_greatest(const Operand& x) {
    std::pair<std::uint64_t, std::uint64_t> limits;
    visit_dtype(x.dtype(), "group_by_reduce", [&]<typename T>(std::type_identity<T>) {
        if constexpr (std::integral<T> && !std::same_as<T, bool>) limits = extremes_of<T>(x);
    });
    return limits;
}

std::uint64_t common_step(const Operand& keys, std::uint64_t least) {
    const index_t count = std::min(kLookedAt, keys.dims.size());
    std::uint64_t step = 0;
    visit_dtype(keys.dtype(), "group_by_reduce", [&]<typename T>(std::type_identity<T>) {
        if constexpr (std::integral<T> && !std::same_as<T, bool>) {
            ElementRuns<T> runs(keys, kLookedAt);
            const T* const part = runs(0, count);
            for (index_t i = 0; i < count && step != 1; ++i)
                step = std::gcd(step, static_cast<std::uint64_t>(part[i]) - least);
        }
    });
    return step;
}

bool is_in_memory(const Operand& operand) {
    const Leaf* const leaf = leaf_of(operand);
    return leaf != nullptr && leaf->memory();
}

bool may_be_near(const Operand& keys, std::uint64_t apart) {
    return visit_dtype(keys.dtype(), "group_by_reduce", [&]<typename T>(std::type_identity<T>) {
        const T* const all = elements_in_memory<T>(keys);
        if (all == nullptr) return true;
        const auto first = static_cast<std::uint64_t>(all[0]);
        const auto last = static_cast<std::uint64_t>(all[keys.dims.size() - 1]);
        return std::min(last - first, first - last) < apart;
    });
}

} // namespace purview::engine
