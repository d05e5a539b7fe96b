#pragma once

#include <purview/functional/reductions/reduce.hpp>

namespace purview::inline v0_1 {

PURVIEW_EXPORT const BuiltInReduction& exact_sum_reduction();
/// The exact sums of the groups of a view of complex64 or complex128, of their parts each.
PURVIEW_EXPORT void exact_sums_of_complex(const ReducedView& view, void* out);

struct ExactSumOperation {
    static constexpr const char* kName = "exact_sum";
    template <typename T>
    using Result = Accumulated<T>;
    static const BuiltInReduction& built_in() { return exact_sum_reduction(); }
    template <KernelComplex T>
    static void run(const ReducedView& view, T* out) {
        exact_sums_of_complex(view, out);
    }
};
template <>
inline constexpr bool kSums<ExactSumOperation> = true;

/// The exact sum, rounded once to the type of the result (to nearest, ties to even): no rounding
/// error adds up, and neither the order of elements nor threads change a bit. `exact_sum(x)` is a
/// number; over axes and Dims, with `keep_dims` and policies for NaN, as in `sum`: `[…, n, …]` →
/// `[…, …]`.
///
/// float16, bfloat16 and float32 give a float32, rounded from the exact sum. Infinite only if the sum itself rounds so: what overflows between
/// does not matter; subnormal numbers are exact. Infinities of both signs give NaN. The sum of
/// nothing but -0 is -0, of no elements 0. Integers and bools as in `sum`; the parts of complex
/// numbers each.
///
/// Eager, O(n): some 1.5 ns for an element, where `sum` waits for memory; groups of less than 8192
/// elements take 4 ns for an element, and 0.2 µs each. Reads blocks on several threads, and arrays of
/// chunks cell by cell (600 bytes for each result). Throws `KindError` for sparse tensors, `DeviceError` where the
/// elements lie on a device, `IndexError`, `DimError`. After Neal, "Fast exact summation using small
/// and large superaccumulators" (2015).
inline constexpr ReduceFunction<ExactSumOperation> exact_sum;

} // namespace purview
