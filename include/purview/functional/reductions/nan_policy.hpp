#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/dimensions/dim.hpp>
#include <purview/functional/reductions/reduced_view.hpp>

#include <concepts>
#include <cstdint>

namespace purview {

// How reductions, scans, windows, order statistics and correlations treat NaN, as their last
// argument: `sum(x, skip_nan)`, `median(x, 0, skip_nan)`, `cumsum(x, throw_nan)`,
// `x | mean({0, 1}, keep_dims, skip_nan)`. A reduction that is itself an argument carries its
// policy: `fixed_rolling_window(x, 9, mean(skip_nan))`. Only floats have NaN.

/// Leaves NaN out: the result is that of the remaining elements.
struct SkipNan {};
inline constexpr SkipNan skip_nan;
/// The default: NaN propagates to the result.
struct KeepNan {};
inline constexpr KeepNan keep_nan;
/// Throws `ArithmeticError`, naming the function and the index of the first NaN, before anything is
/// computed.
struct ThrowNan {};
inline constexpr ThrowNan throw_nan;

template <typename A>
concept NanPolicy =
    std::same_as<A, SkipNan> || std::same_as<A, KeepNan> || std::same_as<A, ThrowNan>;

/// The policies as run-time values.
enum class NanRule : std::uint8_t { keep, skip, refuse };
template <NanPolicy P>
inline constexpr NanRule kNanRule = std::same_as<P, SkipNan>    ? NanRule::skip
                                    : std::same_as<P, ThrowNan> ? NanRule::refuse
                                                                : NanRule::keep;

/// The variant of a reduction that skips NaN: works for any reduction, and in fewer steps for those
/// that functional/reductions/skip_nan.hpp specialises.
template <typename Operation, typename = void>
struct SkippingNan {
    static_assert(sizeof(Operation) == 0,
                  "skip_nan: include <purview/functional/reductions/skip_nan.hpp>");
};
/// The variant of a reduction that throws if there is a NaN.
template <typename Operation>
struct RefusingNan : Operation {};
template <typename Operation>
inline constexpr bool kRefusesNan = false;
template <typename Operation>
inline constexpr bool kRefusesNan<RefusingNan<Operation>> = true;

/// Separates a reduction from its NaN policy.
template <typename Operation>
struct PolicyOf {
    using Plain = Operation;
    static constexpr NanRule kRule = NanRule::keep;
};
template <typename Operation>
struct PolicyOf<SkippingNan<Operation>> {
    using Plain = Operation;
    static constexpr NanRule kRule = NanRule::skip;
};
template <typename Operation>
struct PolicyOf<RefusingNan<Operation>> {
    using Plain = Operation;
    static constexpr NanRule kRule = NanRule::refuse;
};

/// `x` with NaN replaced by `value`; of a floating type.
PURVIEW_EXPORT Operand without_nan(const Operand& x, double value);
/// `x` with NaN replaced by the neutral element of a sum, product, minimum or maximum.
PURVIEW_EXPORT Operand without_nan(const Operand& x, Reduction reduction);
/// Bools: whether an element is not NaN.
PURVIEW_EXPORT Operand is_not_nan(const Operand& x);

/// Throws `ArithmeticError` naming `what` and the index of the first NaN of an operand whose first
/// axes are `dims`. Reads nothing if the elements are not floats.
PURVIEW_EXPORT void require_no_nan(const char* what, const Operand& x, const DimVector& dims);
template <TensorLike X>
void require_no_nan(const char* what, const X& x) {
    if constexpr (HasDims<X>) {
        const auto bound = settled(dim_operand(x));
        require_no_nan(what, bound.operand, bound.dims);
    } else {
        require_no_nan(what, x.operand(), {});
    }
}

/// The number of elements of each group that are not NaN.
PURVIEW_EXPORT std::vector<std::int64_t> count_non_nan(const ReducedView& view);

/// A reduction of a view to memory of the view's shape, optionally with one more axis at the end.
using PartsWork = FunctionRef<Operand(const ReducedView&)>;
/// Applies `work` to the elements of each group that are not NaN. Groups with the same number of
/// such elements are copied and reduced together; if there is no NaN, nothing is copied. Throws
/// `KindError` naming `what` for a sparse view.
PURVIEW_EXPORT Operand reduce_non_nan(const char* what, const ReducedView& view, PartsWork work);

} // namespace purview
