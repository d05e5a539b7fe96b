#pragma once

#include <purview/expression/operations.hpp>

#include <array>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// What a comparison of numbers gives where x is less than y, equals it, and is greater. (Of NaN only
/// `not_equal` is true.)
struct Comparison {
    Op op;
    std::array<bool, 3> holds;
};

inline constexpr auto kComparisons = std::to_array<Comparison>({
    {Op::equal, {false, true, false}},
    {Op::not_equal, {true, false, true}},
    {Op::less, {true, false, false}},
    {Op::less_equal, {true, true, false}},
    {Op::greater, {false, false, true}},
    {Op::greater_equal, {false, true, true}},
});
static_assert(
    [] {
        std::size_t found = 0;
        for (const OperationTraits& traits : kOperations)
            if (is_comparison(traits.op))
                if (found == kComparisons.size() || kComparisons[found++].op != traits.op)
                    return false;
        return found == kComparisons.size();
    }(),
    "a line for each comparison, in order");

constexpr const Comparison& comparison_of(Op op) noexcept {
    for (const Comparison& each : kComparisons)
        if (each.op == op) return each;
    std::unreachable();
}

/// What `x op y` is of numbers whose difference has a sign: -1, 0 or 1.
constexpr bool holds(Op op, int sign) noexcept {
    return comparison_of(op).holds[static_cast<std::size_t>(sign + 1)];
}

/// `y op x` is `x mirrored(op) y`.
constexpr Op mirrored(Op op) noexcept {
    const auto [less, equal, greater] = comparison_of(op).holds;
    for (const Comparison& each : kComparisons)
        if (each.holds == std::array{greater, equal, less}) return each.op;
    std::unreachable();
}

/// Calls `f` with a comparison as a constant.
template <std::size_t number = 0, typename F>
auto visit_comparison(Op op, const F& f) {
    constexpr Op kOp = kComparisons[number].op;
    if constexpr (number + 1 < kComparisons.size())
        if (op != kOp) return visit_comparison<number + 1>(op, f);
    return f(std::integral_constant<Op, kOp>());
}

} // namespace purview
