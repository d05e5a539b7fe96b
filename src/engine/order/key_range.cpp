#include "engine/order/key_range.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/calendar.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>

#include "engine/realise/realised_operand.hpp"
#include "engine/reduce/count_all_true.hpp"
#include "engine/reduce/extremes.hpp"
#include "engine/run/element_runs.hpp"
#include "engine/threads/watch.hpp"

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

std::optional<Operand> whole_steps(const Operand& keys, std::uint64_t from, std::uint64_t by) {
    const auto number = [](std::uint64_t value) {
        return constant_operand(static_cast<std::int64_t>(value));
    };
    const Operand off = binary_operand(Op::subtract, cast_operand(keys, int64, Op::wrapping_cast),
                                       number(from), int64, int64);
    const Operand steps = elementwise<1>(
        Op::map, int64, {off}, quotient_function(Quotient::down, static_cast<std::int64_t>(by)));
    const Operand whole =
        binary_operand(Op::equal, binary_operand(Op::multiply, steps, number(by), int64, int64),
                       off, int64, boolean);
    const WatchedOperation watched("count");
    if (count_all_true(*RealisedOperand(whole)) != keys.dims.size()) return std::nullopt;
    return steps;
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
