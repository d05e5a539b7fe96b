#pragma once

#include <purview/dimensions/dim.hpp>
#include <purview/functional/reductions/reduced_view.hpp>

#include <concepts>
#include <cstdint>
#include <functional>

namespace purview {

// What reductions, scans, windows, order statistics and correlations do with NaN, as the last argument: `sum(x, skip_nan)`,
// `median(x, 0, skip_nan)`, `cumsum(x, throw_nan)`, `x | mean({0, 1}, keep_dims, skip_nan)`. A reduction that is an
// argument itself has its policy with it: `fixed_rolling_window(x, 9, mean(skip_nan))`. Only floats have NaN.

/// Leaves NaN out: the result is that of the other elements.
struct SkipNan {};
inline constexpr SkipNan skip_nan;
/// What happens if nothing is said: NaN is in the result.
struct KeepNan {};
inline constexpr KeepNan keep_nan;
/// Throws `ArithmeticError`, which names the function and the index of the first NaN, before anything is computed.
struct ThrowNan {};
inline constexpr ThrowNan throw_nan;

template <typename A>
concept NanPolicy =
    std::same_as<A, SkipNan> || std::same_as<A, KeepNan> || std::same_as<A, ThrowNan>;

/// The same, as a value.
enum class NanRule : std::uint8_t { keep, skip, refuse };
template <NanPolicy P>
inline constexpr NanRule kNanRule = std::same_as<P, SkipNan>    ? NanRule::skip
                                    : std::same_as<P, ThrowNan> ? NanRule::refuse
                                                                : NanRule::keep;

/// A reduction of the elements that are not NaN: of any, and in fewer steps of those that functional/reductions/skip_nan.hpp knows.
template <typename Operation, typename = void>
struct SkippingNan {
    static_assert(sizeof(Operation) == 0,
                  "skip_nan: include <purview/functional/reductions/skip_nan.hpp>");
};
/// A reduction before which NaN is refused.
template <typename Operation>
struct RefusingNan : Operation {};
template <typename Operation>
inline constexpr bool kRefusesNan = false;
template <typename Operation>
inline constexpr bool kRefusesNan<RefusingNan<Operation>> = true;

/// A reduction without its policy, and the policy.
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

/// `x` where it is a number, else `value`, of a floating type.
PURVIEW_EXPORT Operand without_nan(const Operand& x, double value);
/// `x` where it is a number, else what a sum, product, minimum or maximum is not changed by.
PURVIEW_EXPORT Operand without_nan(const Operand& x, Reduction reduction);
/// Bools: whether an element is a number.
PURVIEW_EXPORT Operand is_number(const Operand& x);

/// Throws `ArithmeticError` naming `what` and the index of the first NaN of an operand whose first axes are these dims. Of
/// other than floats it reads nothing.
PURVIEW_EXPORT void require_numbers(const char* what, const Operand& x, const DimVector& dims);
template <TensorLike X>
void require_numbers(const char* what, const X& x) {
    if constexpr (HasDims<X>) {
        const auto bound = settled(dim_operand(x));
        require_numbers(what, bound.operand, bound.dims);
    } else {
        require_numbers(what, x.operand(), {});
    }
}

/// How many elements of each group are numbers.
PURVIEW_EXPORT std::vector<std::int64_t> count_numbers(const ReducedView& view);

/// What a reduction makes of a view: memory of its shape, or of one axis more behind it.
using PartsWork = std::function<Operand(const ReducedView&)>;
/// The same of the numbers of each group alone. Groups of equal many are copied and reduced together; where all are numbers,
/// nothing is copied. Throws `KindError` naming `what` for a sparse view.
PURVIEW_EXPORT Operand reduce_numbers(const char* what, const ReducedView& view,
                                      const PartsWork& work);

} // namespace purview
