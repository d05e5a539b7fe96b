#pragma once

#include <purview/evaluation/lanes.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/tensor/accepting_arrays.hpp>

namespace purview {

struct CompensatedSumOperation {
    static constexpr const char* kName = "compensated_sum";
    template <typename T>
    using Result = Accumulated<T>;

    template <BuiltinType T>
    static void run(ReducedView view, Result<T>* out) {
        if constexpr (std::floating_point<T>)
            compensated_sums(view.operand, view.groups, out);
        else
            FoldOperation<SumFold>::template run<T>(std::move(view), out);
    }
    template <typename T>
    static Operand node(const ReducedView&) {
        static_assert(!BuiltinType<T>, "compensated_sum is not defined for symbols");
        return {};
    }
    PURVIEW_EXPORT static AnyTensor run_any(const ReducedView& view);
};

/// The sum with compensation: the rounding error of each addition is kept and added at the end
/// (Knuth's two-sum), as if the sum were computed in twice the precision; `sum` has an error of
/// log2(n) roundings. Integers, NaN and infinities as in `sum`. The same on every machine. 0 for an
/// empty tensor.
inline constexpr AcceptingArrays<ReduceFunction<CompensatedSumOperation>> compensated_sum;

} // namespace purview
