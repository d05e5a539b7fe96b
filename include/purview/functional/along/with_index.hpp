#pragma once

#include <purview/functional/along/sorting.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/reductions/reduce_over.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/tensor/copy.hpp>

#include <concepts>
#include <cstdint>
#include <utility>

namespace purview::inline v0_1 {

/// Elements and their indexes: `const auto [values, indexes] = max_with_index(x, k);`
template <typename Values, typename Indexes>
struct WithIndex {
    Values values;
    Indexes indexes;
};

/// Of each group of a view, the element at an index, in the shape of the view. Lazy.
PURVIEW_EXPORT Operand elements_at(const ReducedView& view, const Operand& indexes);

/// `max_with_index(x)`, `max_with_index(x, axes…)`, or a stage: the greatest element and its index,
/// which are what `max` and `argmax` give, with each element looked at once. Over everything
/// numbers (of a type known at run time tensors of rank 0), of axes tensors, of dims handles. Indexes count in the order in which axes are named,
/// as those of `argmax`. The last argument may be `skip_nan` or `throw_nan`. Of numbers, strings,
/// times, and whatever else has an order. Eager, O(size). Throws as `argmax` does.
template <typename Extremes>
struct WithIndexFunction : RefusedArguments, PipelineStage {
    using RefusedArguments::operator();
    template <typename T>
    static constexpr bool kIsDefinedFor = kReduces<Extremes, T>;

    template <lanes_of<WithIndexFunction> X, AxisOrOption... A>
    auto operator()(const X& x, const A&... given) const {
        return of<!kNamesAxes<A...>>(x, ChosenAxes::of(given...));
    }
    template <lanes_of<WithIndexFunction> X, ReduceOption... O>
    auto operator()(const X& x, const Axes& axes, const O&... options) const {
        return of<false>(x, ChosenAxes::of(axes, options...));
    }
    WithIndexFunction operator()() const { return {}; }
    template <AxisLike First, AxisOrOption... Rest>
    auto operator()(const First& axis, const Rest&... rest) const {
        return stage(ChosenAxes::of(axis, rest...));
    }
    template <ReduceOption... O>
    auto operator()(const Axes& axes, const O&... options) const {
        return stage(ChosenAxes::of(axes, options...));
    }

private:
    static auto stage(const ChosenAxes& chosen) {
        return Stage(
            [chosen]<lanes_of<WithIndexFunction> X>(const X& x) { return of<false>(x, chosen); });
    }

    template <bool everything, ForeignArray X>
    static auto of(const X& x, const ChosenAxes& chosen) {
        return of<everything>(tensor_for_call(x), chosen);
    }
    template <bool everything>
    static auto of(const AnyTensor& x, const ChosenAxes& chosen) {
        const AnyTensor indexes = reduce_any(Extremes::built_in(), x.operand(), chosen);
        const ReducedView view =
            reduced_view(kName, x.operand(), chosen.positional(kName, x.rank()), chosen.keep,
                         AxisOrder::as_named);
        return WithIndex<AnyTensor, Tensor<std::int64_t>>{
            clone(AnyTensor(elements_at(view, indexes.operand()))),
            Tensor<std::int64_t>(indexes.operand())};
    }
    template <bool everything, TypedTensor X>
    static auto of(const X& x, const ChosenAxes& chosen) {
        using T = typename X::value_type;
        if (chosen.nan == NanRule::refuse) require_no_nan(kName, x);
        const auto both = [&](const Operand& operand, ShapeSpan axes) {
            const ReducedView view =
                reduced_view(kName, operand, axes, chosen.keep, AxisOrder::as_named);
            Operand indexes;
            if constexpr (BuiltinType<T>)
                indexes = reduce_view(Extremes::built_in(), view, chosen.nan);
            else if (TimeElement<T> && chosen.nan == NanRule::skip)
                indexes = Extremes::built_in().of_non_nat(view);
            else
                indexes = realised_reduction<Extremes, T>(view).operand();
            const Tensor<T> values(elements_at(view, indexes));
            return WithIndex<Operand, Operand>{tensor(values).operand(), indexes};
        };
        if constexpr (HasDims<X>) {
            auto reduction =
                dims_to_reduce(kName, dim_operand(x), chosen.axes_if_given(), chosen.keep);
            WithIndex<Operand, Operand> made = both(reduction.operand, reduction.axes);
            auto indexes = reduction;
            return WithIndex<ResultHandle<T, X>, ResultHandle<std::int64_t, X>>{
                ResultHandle<T, X>(std::move(reduction).result(std::move(made.values))),
                ResultHandle<std::int64_t, X>(std::move(indexes).result(std::move(made.indexes)))};
        } else {
            const WithIndex<Operand, Operand> made =
                both(x.operand(), chosen.positional(kName, x.rank()));
            const Tensor<T> values(made.values);
            const Tensor<std::int64_t> indexes(made.indexes);
            if constexpr (everything)
                return WithIndex<T, std::int64_t>{number_in(values), number_in(indexes)};
            else
                return WithIndex<Tensor<T>, Tensor<std::int64_t>>{values, indexes};
        }
    }

    static constexpr const char* kName = Extremes::kName;
};
inline constexpr WithIndexFunction<ArgOperation<Extreme::greatest>> max_with_index;
/// `min_with_index(x)`, `min_with_index(x, axes…)`, or a stage: the smallest element and its index;
/// otherwise as `max_with_index`.
inline constexpr WithIndexFunction<ArgOperation<Extreme::least>> min_with_index;

struct FirstWithIndexAlong {
    template <typename T>
    static constexpr bool kIsDefinedFor = kIsNumberOrVoid<T>;

    template <typename X>
    static auto over(const X& x, index_t n, const ChosenAxis& axis) {
        if constexpr (ForeignArray<X>) {
            return over(tensor_for_call(x), n, axis);
        } else {
            require_host_reads("topk", x);
            const AxisOrDim chosen = axis.value_or(AxisOrDim(-1));
            auto indexes = arg_max_n(x, n, chosen);
            auto values = [&] {
                if constexpr (HasDims<X>)
                    return clone(take_along_axis(x, indexes, chosen));
                else
                    return clone(take_along_axis(x, indexes, chosen.axis));
            }();
            return WithIndex<decltype(values), decltype(indexes)>{std::move(values),
                                                                  std::move(indexes)};
        }
    }
};
/// `topk(x, k)`, `topk(x, k, axis)`, or a stage: the `k` greatest elements along an axis (by
/// default the last), the greatest first, and their indexes, as `arg_max_n` gives them: as in
/// PyTorch. Eager, O(size + k log k). Throws as `arg_max_n` does.
inline constexpr CountAlongFunction<FirstWithIndexAlong> topk;

} // namespace purview
