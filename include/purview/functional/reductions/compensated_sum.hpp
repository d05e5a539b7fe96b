#pragma once

#include <purview/functional/reductions/reduce.hpp>

namespace purview::inline v0_1 {

struct CompensatedSumOperation {
    static constexpr const char* kName = "compensated_sum";
    template <typename T>
    using Result = Accumulated<T>;
    static const BuiltInReduction& built_in() { return compensated_sum_reduction(); }
};
template <>
inline constexpr bool kSums<CompensatedSumOperation> = true;

/// The sum with compensation: the rounding error of each addition is kept and added at the end
/// (Knuth's two-sum), as if the sum were computed in twice the precision; `sum` has an error of
/// log2(n) roundings. Integers, NaN and infinities as in `sum`. The same on every machine. 0 for an
/// empty tensor.
inline constexpr ReduceFunction<CompensatedSumOperation> compensated_sum;

} // namespace purview
