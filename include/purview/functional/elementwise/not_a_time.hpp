#pragma once

#include <purview/dtype/time_element.hpp>
#include <purview/functional/elementwise/operation_functions.hpp>
#include <purview/tensor/any_tensor.hpp>

namespace purview::inline v0_1 {

/// Whether each time is NaT, as bools. Lazy. Throws `DtypeError` for elements that are no times.
PURVIEW_EXPORT Operand nat_mask(const Operand& times);
/// Counts with NaT, the lowest of signed integers, as the greatest instead: all are one less, and that one wraps, so that
/// the others keep their order. Floats, in which it is NaN, and counts without a sign, which have none, as they are. Lazy.
PURVIEW_EXPORT Operand nat_greatest(const Operand& counts);
/// What `nat_greatest` made of counts, as counts again.
PURVIEW_EXPORT Operand nat_lowest(const Operand& counts);
/// `result`, of int64, where `counts` are no NaT, which elsewhere it becomes.
PURVIEW_EXPORT Operand keeping_nat(const Operand& counts, Operand result);
/// The sum or difference of int64 counts; NaT where one of them is. Overflow wraps.
PURVIEW_EXPORT Operand combined_counts(Op op, const Operand& x, const Operand& y);

/// `is_nat(t)`, `t | is_nat`: whether each element of times is NaT, "not a time": the lowest count of a signed integer, as NumPy
/// has it, or NaN. Lazy; also of times whose type is known at run time (`DtypeError` for others), and of one time, a bool.
///
/// NaT goes through all functions of times: sums, differences, multiples, roundings and other units of NaT are NaT; `!=` is true
/// for it and all other comparisons are false; `mean`, `median`, `min`, `max` and quantiles of what holds it are NaT, unless a
/// policy says `skip_nan`; sorted it is last; it prints as "NaT". Its calendar fields, and integers that numbers of it would be,
/// are `CastError`s. (Single values of `std::chrono` are compared and added by that library, which knows no NaT.)
struct IsNatFunction : ElementwiseFunction, PipelineStage {
    using ElementwiseFunction::operator();
    template <typename T>
    static constexpr bool kIsDefinedFor = TimeElement<T> || std::is_void_v<T>;

    template <array_like X>
        requires(kIsDefinedFor<ElementOrVoid<TensorOf<X>>>)
    auto operator()(X&& x) const {
        if constexpr (std::is_void_v<ElementOrVoid<TensorOf<X>>>)
            return AnyTensor(nat_mask(lasting_tensor(std::forward<X>(x)).operand()));
        else
            return result_from<bool>(nat_mask, std::forward<X>(x));
    }
    template <TimeElement T>
    constexpr bool operator()(const T& time) const {
        return is_nat_value(time);
    }
    IsNatFunction operator()() const { return {}; }
};
inline constexpr IsNatFunction is_nat;

} // namespace purview
