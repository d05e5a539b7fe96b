#pragma once

#include <purview/base/refused.hpp>
#include <purview/dtype/promote.hpp>
#include <purview/functional/reductions/built_in_reduction.hpp>
#include <purview/functional/reductions/nan_policy.hpp>
#include <purview/functional/reductions/reduced_view.hpp>
#include <purview/functional/reductions/time_counts.hpp>
#include <purview/tensor/any_scalar.hpp>
#include <purview/tensor/array_like.hpp>

#include <concepts>
#include <cstdint>
#include <utility>

namespace purview::inline v0_1 {

/// The reductions: their name, types, and, for elements that are not built-in, how two of them are
/// folded.
struct SumFold {
    static constexpr const char* kName = "sum";
    static constexpr Reduction kReduction = Reduction::sum;
    static constexpr bool kNeedsElements = false;
    template <typename T>
    using Result = Accumulated<T>;
    template <typename T>
    auto operator()(const T& a, const T& b) const -> decltype(a + b) {
        if constexpr (TimeElement<T>)
            if (is_nat_value(a) || is_nat_value(b)) return nat_value<T>();
        return a + b;
    }
};
struct ProductFold {
    static constexpr const char* kName = "product";
    static constexpr Reduction kReduction = Reduction::product;
    static constexpr bool kNeedsElements = false;
    template <typename T>
    using Result = Accumulated<T>;
    template <typename T>
    auto operator()(const T& a, const T& b) const -> decltype(a * b) {
        return a * b;
    }
};
struct MinFold {
    static constexpr const char* kName = "min";
    static constexpr Reduction kReduction = Reduction::minimum;
    static constexpr bool kNeedsElements = true;
    template <typename T>
    using Result = T;
    template <std::totally_ordered T>
    T operator()(const T& a, const T& b) const {
        if (is_nat_value(a) || is_nat_value(b)) return is_nat_value(a) ? a : b;
        return b < a ? b : a;
    }
};
struct MaxFold {
    static constexpr const char* kName = "max";
    static constexpr Reduction kReduction = Reduction::maximum;
    static constexpr bool kNeedsElements = true;
    template <typename T>
    using Result = T;
    template <std::totally_ordered T>
    T operator()(const T& a, const T& b) const {
        if (is_nat_value(a) || is_nat_value(b)) return is_nat_value(a) ? a : b;
        return a < b ? b : a;
    }
};
struct AnyFold {
    static constexpr const char* kName = "any_of";
    static constexpr Reduction kReduction = Reduction::any_of;
    static constexpr bool kNeedsElements = false;
    template <typename T>
    using Result = bool;
};
struct AllFold {
    static constexpr const char* kName = "all_of";
    static constexpr Reduction kReduction = Reduction::all_of;
    static constexpr bool kNeedsElements = false;
    template <typename T>
    using Result = bool;
};

/// An operation of `ReduceFunction`: its name, the type of results, what computes them for built-in
/// elements, and, by `run`, those of other elements that it is defined for.
template <typename Fold>
struct FoldOperation {
    static constexpr const char* kName = Fold::kName;
    static constexpr bool kOfSymbols = true;
    template <typename T>
    using Result = typename Fold::template Result<T>;
    static constexpr Reduction kFold = Fold::kReduction;
    /// Whether elements of a built-in type are folded as they are, also none.
    template <typename T>
    static constexpr bool kAsTheyAre = std::same_as<Result<T>, T> && !Fold::kNeedsElements;
    static const BuiltInReduction& built_in() { return fold_reduction(Fold::kReduction); }

    template <typename T>
        requires std::invocable<const Fold&, const T&, const T&>
    static void run(const ReducedView& view, Result<T>* out) {
        if constexpr (Fold::kNeedsElements) require_elements(kName, view);
        if constexpr (KernelComplex<T>)
            if (!is_sparse(view.operand))
                return reduce_groups(Fold::kReduction, view.operand, view.groups, out);
        fold_groups(view, out, Fold{});
    }
    /// The reduction of a non-empty sparse view.
    template <typename T>
    static SparseBufferPtr<Result<T>> run_sparse(const ReducedView& view) {
        return fold_sparse_groups<T>(view, Fold{});
    }
};

struct MeanOperation {
    static constexpr const char* kName = "mean";
    static constexpr bool kOfSymbols = true;
    template <typename T>
    using Result = Averaged<T>;
    static const BuiltInReduction& built_in() { return mean_reduction(); }

    template <CountedTime T>
    static void run(const ReducedView& view, T* out) {
        mean_of_times<T>(kName, view, out);
    }
    template <typename T>
        requires(!CountedTime<T> && requires(T sum, const T& x, index_t n) {
            sum = x + x;
            sum /= static_cast<T>(n);
        })
    static void run(const ReducedView& view, T* out) {
        FoldOperation<SumFold>::run<T>(view, out);
        using Divisor = std::conditional_t<ComplexElement<T>, typename PartOfComplex<T>::type, T>;
        const index_t total = view.operand.dims.size();
        for (index_t g = 0; g < view.groups; ++g)
            if (ComplexElement<T> || total > 0) out[g] /= static_cast<Divisor>(total / view.groups);
    }
};

template <typename Operation>
inline constexpr bool kSums =
    std::same_as<Operation, FoldOperation<SumFold>> || std::same_as<Operation, MeanOperation>;

/// Whether an operation reduces elements of a type (`void`: known at run time).
template <typename Operation, typename T>
inline constexpr bool kReduces = requires(const ReducedView& view,
                                          typename Operation::template Result<T>* out) {
    Operation::template run<T>(view, out);
};
template <typename Operation, typename T>
    requires kIsNumberOrVoid<Widened<T>>
inline constexpr bool kReduces<Operation, T> = true;

/// Whether an array can be reduced: an operation is defined for its elements, and, for symbols, as
/// a node, which has no policy for NaN.
template <typename X, typename Operation, NanRule rule>
concept reduced_by = array_like<X> && !AxisLike<X> && kReduces<Operation, ElementOrVoid<X>> &&
                     (!kDefersReductions<X> ||
                      (rule == NanRule::keep && requires { requires Operation::kOfSymbols; }));

#define PURVIEW_NO_REDUCTION                                                                   \
 "a reduction takes one tensor, then axes and options: sum(x, 0, keep_dims), sum(x, {0, 1}), " \
 "sum(x, dim); of two tensors, by elements, there is pv::maximum(x, y)"
/// The calls of reductions that are refused, whatever the reduction.
struct RefusedReductions {
    /// Options as NumPy has them.
    struct Keywords {
        index_t axis;
        bool keepdims = false;
        bool keep_dims = false;
    };

    template <typename... A>
    requires HasRefused<A...> Refusal operator()(const A&...) const { return {}; }
    PURVIEW_REFUSED(PURVIEW_NO_REDUCTION, operator()(AnyArgument, AnyArgument) const);
    PURVIEW_REFUSED(PURVIEW_NO_REDUCTION, operator()(AnyArgument, AnyArgument, AnyArgument,
                                                     AnyArgument = {}) const);
    PURVIEW_REFUSED(PURVIEW_NO_REDUCTION, operator()(AnyArgument, Keywords) const);
    PURVIEW_REFUSED(PURVIEW_NO_REDUCTION, operator()(AnyArgument, AnyArgument, Keywords) const);
};
#undef PURVIEW_NO_REDUCTION

/// A function object for a reduction: over everything a number (for an `AnyTensor`, a tensor of
/// rank 0), over axes a tensor in memory; for symbols, symbols; without a tensor, a stage. With
/// `rule`, the policy for NaN of a reduction that has been given one.
template <typename Operation, NanRule rule = NanRule::keep>
struct ReduceFunction : RefusedReductions, PipelineStage {
    using RefusedReductions::operator();

    template <typename X, AxisOrOption... A>
        requires reduced_by<X, Operation, kRuleAmong<rule, A...>>
    auto operator()(const X& x, const A&... given) const {
        return reduced<!kNamesAxes<A...>>(x, ChosenAxes::of(given...));
    }
    template <typename X, ReduceOption... O>
        requires reduced_by<X, Operation, kRuleAmong<rule, O...>>
    auto operator()(const X& x, const Axes& axes, const O&... options) const {
        return reduced<false>(x, ChosenAxes::of(axes, options...));
    }
    /// With a policy alone: the reduction itself, for windows and groups.
    template <NanPolicy... P>
    auto operator()(const P&...) const {
        return ReduceFunction<Operation, kRuleAmong<rule, P...>>();
    }
    template <AxisOrOption... A>
        requires kNamesAxes<A...>
    auto operator()(const A&... given) const {
        return stage<kRuleAmong<rule, A...>>(ChosenAxes::of(given...));
    }
    template <ReduceOption... O>
    auto operator()(const Axes& axes, const O&... options) const {
        return stage<kRuleAmong<rule, O...>>(ChosenAxes::of(axes, options...));
    }

    template <typename X>
        requires(!AxisOrOption<X> && !reduced_by<X, Operation, rule> && !HasRefused<X>)
    PURVIEW_REFUSED("elements of this type do not have this reduction, or symbols do not, and text "
                    "is no array (a Dim is named by its variable: sum(x, j))",
                    operator()(const X&) const);

    /// Of an array, over everything, or over the axes that are chosen.
    template <bool everything, typename X>
    static auto over(const X& x, const ChosenAxes& chosen) {
        return reduced<everything>(x, chosen);
    }

private:
    template <NanRule chosen_rule>
    static auto stage(const ChosenAxes& chosen) {
        return Stage([chosen]<reduced_by<Operation, chosen_rule> X>(const X& x) {
            return ReduceFunction<Operation, chosen_rule>::template reduced<false>(x, chosen);
        });
    }

    template <typename, NanRule>
    friend struct ReduceFunction;

    template <bool everything, ForeignArray X>
    static auto reduced(const X& x, const ChosenAxes& chosen) {
        return reduced<everything>(tensor_for_call(x), chosen);
    }
    template <bool everything, TensorLike X>
    static auto reduced(const X& x, ChosenAxes chosen) {
        using T = ElementOrVoid<X>;
        using R = typename ResultOf<T>::type;
        if (chosen.nan == NanRule::keep) chosen.nan = rule;
        if constexpr (kIsFloat16<T>) {
            return reduced<everything>(
                result_of<ResultHandle<float, X>>(widened_operand, operand_as<float>(x)), chosen);
        } else if constexpr (!kIsNumberOrVoid<T>) {
            return reduced_non_builtin<everything>(x, chosen);
        } else if constexpr (HasDims<X>) {
            const BuiltInReduction& by = Operation::built_in();
            if (chosen.nan == NanRule::refuse) require_no_nan(Operation::kName, x);
            auto dims = dims_to_reduce(Operation::kName, dim_operand(x), chosen.axes_if_given(),
                                       chosen.keep);
            if constexpr (kSums<Operation>)
                dims.operand = summand_over_dims(std::move(dims.operand));
            return ResultHandle<R, X>(std::move(dims).result(reduce_view(
                by,
                reduced_view(Operation::kName, dims.operand, dims.axes, chosen.keep, by.order()),
                chosen.nan)));
        } else if constexpr (kDefersReductions<X>) {
            Operand node = reduce_to_node(Operation::built_in(), x.operand(), chosen);
            if constexpr (everything)
                return ScalarResult<R, X>(std::move(node));
            else
                return ResultHandle<R, X>(std::move(node));
        } else if constexpr (std::is_void_v<T>) {
            AnyTensor result = reduce_any(Operation::built_in(), x.operand(), chosen);
            if constexpr (everything)
                return AnyScalar(result);
            else
                return result;
        } else if constexpr (everything) {
            R result{};
            if constexpr (requires { requires Operation::template kAsTheyAre<T>; }) {
                if (chosen.nan == NanRule::keep) {
                    reduce_groups(Operation::kFold, x.operand(), 1, &result);
                    return result;
                }
            }
            reduce_to_number(Operation::built_in(), x.operand(), chosen.nan, &result);
            return result;
        } else {
            return MutableTensor<R>(reduce_over_axes(Operation::built_in(), x.operand(), chosen));
        }
    }

    template <typename T>
    struct ResultOf {
        using type = typename Operation::template Result<T>;
    };
    template <typename T>
        requires std::is_void_v<T>
    struct ResultOf<T> {
        using type = void;
    };

    /// Elements that are not built-in are folded in the order in which axes are named: `+` of
    /// strings does not commute. Of them only times have what a policy for NaN is about, NaT.
    template <bool everything, TensorLike X>
    static auto reduced_non_builtin(const X& x, const ChosenAxes& chosen) {
        using T = typename X::value_type;
        if constexpr (ComplexElement<T>)
            if (chosen.nan != NanRule::keep) throw_nan_rule(Operation::kName, kDType<T>);
        using R = typename Operation::template Result<T>;
        if constexpr (TimeElement<T>)
            if (chosen.nan == NanRule::refuse) require_no_nan(Operation::kName, x);
        if constexpr (HasDims<X>) {
            auto dims = dims_to_reduce(Operation::kName, dim_operand(x), chosen.axes_if_given(),
                                       chosen.keep);
            return ResultHandle<R, X>(std::move(dims).result(
                non_builtin_results<T>(reduced_view(Operation::kName, dims.operand, dims.axes,
                                                    chosen.keep, AxisOrder::as_named),
                                       chosen.nan)));
        } else if constexpr (everything) {
            R result{};
            if constexpr (TimeElement<T>)
                if (chosen.nan == NanRule::skip)
                    return MutableTensor<R>(
                               non_builtin_results<T>(reduced_view(x.operand()), chosen.nan))
                        .item();
            Operation::template run<T>(reduced_view(x.operand()), &result);
            return result;
        } else {
            return MutableTensor<R>(
                non_builtin_results<T>(reduced_view(Operation::kName, x.operand(),
                                                    chosen.positional(Operation::kName, x.rank()),
                                                    chosen.keep, AxisOrder::as_named),
                                       chosen.nan));
        }
    }
    template <typename T>
    static Operand non_builtin_results(const ReducedView& view, NanRule nan) {
        const auto reduced = [](const ReducedView& part) {
            return realised_reduction<Operation, T>(part).operand();
        };
        if constexpr (TimeElement<T>)
            if (nan == NanRule::skip) {
                if constexpr (std::same_as<typename Operation::template Result<T>, T>)
                    return reduce_non_nan(Operation::kName, view, reduced);
                else
                    return Operation::built_in().of_non_nat(view);
            }
        return reduced(view);
    }
};

/// The sum. Integers accumulate in, and return, 64 bits (wrapping); bools are counted. Empty: 0.
/// Floats: pairwise on fixed lanes, the same on every machine. Matrix products may use BLAS.
inline constexpr ReduceFunction<FoldOperation<SumFold>> sum;
/// The product. Integers accumulate in, and return, 64 bits (wrapping). Empty: 1.
inline constexpr ReduceFunction<FoldOperation<ProductFold>> product;
/// The mean; float64 for integers and bool. Empty: NaN. Of times counted in integers: a time,
/// exact, the nearest tick, of two the earlier, NaT if one is; throws `ShapeError` if empty.
inline constexpr ReduceFunction<MeanOperation> mean;
/// The minimum; NaN if any element is, and NaT. Throws `ShapeError` for an empty tensor.
inline constexpr ReduceFunction<FoldOperation<MinFold>> min;
/// The maximum; NaN if any element is, and NaT. Throws `ShapeError` for an empty tensor.
inline constexpr ReduceFunction<FoldOperation<MaxFold>> max;
/// Whether any element is true (non-zero). Empty: false.
inline constexpr ReduceFunction<FoldOperation<AnyFold>> any_of;
/// Whether all elements are true (non-zero). Empty: true.
inline constexpr ReduceFunction<FoldOperation<AllFold>> all_of;

} // namespace purview
