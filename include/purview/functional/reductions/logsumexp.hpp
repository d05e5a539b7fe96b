#pragma once

#include <purview/functional/reductions/reduce.hpp>

namespace purview::inline v0_1 {

struct LogSumExpOperation {
    static constexpr const char* kName = "logsumexp";
    static constexpr bool kOfSymbols = true;
    template <typename T>
    using Result = Averaged<T>;
    static const BuiltInReduction& built_in() { return logsumexp_reduction(); }
};

/// The logarithm of the sum of exponentials, `log(sum(exp(x)))`, which neither overflows nor vanishes:
/// -inf of nothing but -inf, and of no elements; inf if an element is; NaN if one is. float64 for
/// integers. Reads the elements twice (their maximum first); O(n) exponentials.
inline constexpr ReduceFunction<LogSumExpOperation> logsumexp;

} // namespace purview
