#pragma once

#include <purview/functional/reductions/reduce_over.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// The results of each, in memory of the shape of the result; a list of each group's results is an
/// axis at `lead`. The elements are read once as far as that is of use: `reduce`.
PURVIEW_EXPORT std::vector<Operand> reduce_together(const Operand& x, ShapeSpan axes, bool keep,
                                                    index_t lead,
                                                    std::span<const ChosenReducer> reducers);

/// Something that `reduce` takes for a reducer: what it gives for elements of T.
template <typename R>
struct ReducerTraits;
template <typename Operation, NanRule rule>
struct ReducerTraits<ReduceFunction<Operation, rule>> {
    template <typename T>
    using Element = typename ReducedElement<Operation, T>::type;
    static constexpr bool kIsOwn = false;
    static constexpr index_t kWidth = 0;
    template <typename X>
    static constexpr bool kTakes = reduced_by<X, Operation, rule>;
};
template <typename T, typename R, NanRule rule, typename Functions>
struct ReducerTraits<OwnReducer<T, R, rule, Functions>> {
    template <typename>
    using Element = typename FinishedAs<R>::Element;
    static constexpr bool kIsOwn = true;
    static constexpr index_t kWidth = FinishedAs<R>::kWidth;
    template <typename X>
    static constexpr bool kTakes = array_like<X>&& kOwnTakes<T, ElementOrVoid<X>>;
};
/// With a policy for NaN if it has none of its own.
template <typename R>
ChosenReducer chosen_reducer(const R& reducer, NanRule otherwise) {
    ChosenReducer chosen = ReducerParts<R>::chosen(reducer);
    if (chosen.nan == NanRule::keep) chosen.nan = otherwise;
    return chosen;
}
template <typename R>
concept ReducerValue = requires {
    ReducerTraits<R>::kIsOwn;
};
template <typename R, typename X>
concept reducer_for = ReducerValue<R> && ReducerTraits<R>::template kTakes<X>;

/// What may follow the tensor and its axes: reducers, then options.
template <typename A>
concept ReduceArgument = ReducerValue<A> || AxisOrOption<A>;
template <typename... A>
inline constexpr bool kNamesReducers = (ReducerValue<A> || ...) && (ReduceArgument<A> && ...);
template <typename X, typename... A>
concept reduced_by_each = array_like<X> && !AxisLike<X> && kNamesReducers<A...> &&
                          ((!ReducerValue<A> || reducer_for<A, X>)&&...);

/// A result by itself, several as a tuple.
template <typename... R>
auto one_or_tuple(R... results) {
    std::tuple<R...> gathered(std::move(results)...);
    if constexpr (sizeof...(R) == 1)
        return std::get<0>(std::move(gathered));
    else
        return gathered;
}

#define PURVIEW_NO_REDUCERS                                                               \
 "reduce takes a tensor, its axes, then reducers, which take its elements, and options: " \
 "reduce(x, {0}, mean, max(skip_nan), keep_dims); two elements are folded by reducer<T>(…)"
struct RefusedReduces {
    template <typename... A>
    requires HasRefused<A...> Refusal operator()(const A&...) const { return {}; }
    PURVIEW_REFUSED(PURVIEW_NO_REDUCERS, operator()(AnyArgument, AnyArgument = {}, AnyArgument = {},
                                                    AnyArgument = {}, AnyArgument = {}) const);
};
#undef PURVIEW_NO_REDUCERS

struct ReduceByFunction : RefusedReduces {
    using RefusedReduces::operator();

    template <typename X, ReduceArgument... A>
        requires reduced_by_each<X, A...>
    auto operator()(const X& x, const A&... given) const {
        constexpr bool kOverAxes = kNamesAxesAmong<A...>;
        return each<!kOverAxes>(x, chosen(ChosenAxes(), given...), reducers_of(given...));
    }
    template <typename X, ReduceArgument... A>
        requires(reduced_by_each<X, A...> && !(AxisLike<A> || ...))
    auto operator()(const X& x, const Axes& axes, const A&... given) const {
        return each<false>(x, chosen(ChosenAxes::of(axes), given...), reducers_of(given...));
    }
    template <ReduceArgument... A>
        requires kNamesReducers<A...>
    auto operator()(const A&... given) const {
        return Stage([given...]<reduced_by_each<A...> X>(const X& x) {
            return ReduceByFunction()(x, given...);
        });
    }
    template <ReduceArgument... A>
        requires(kNamesReducers<A...> && !(AxisLike<A> || ...))
    auto operator()(const Axes& axes, const A&... given) const {
        return Stage([ axes, given... ]<reduced_by_each<A...> X>(const X& x) {
            return ReduceByFunction()(x, axes, given...);
        });
    }

private:
    /// Whether an axis is named, or an option that is about axes.
    template <typename... A>
    static constexpr bool kNamesAxesAmong = ((AxisOrOption<A> && !NanPolicy<A>) || ...);

    template <typename... A>
    static ChosenAxes chosen(ChosenAxes axes, const A&... given) {
        [[maybe_unused]] const auto add = [&]<typename Given>(const Given& each) {
            if constexpr (AxisOrOption<Given>) axes.add(each);
        };
        (add(given), ...);
        return axes;
    }
    template <typename... A>
    static auto reducers_of(const A&... given) {
        const auto one = []<typename Given>(const Given& each) {
            if constexpr (ReducerValue<Given>)
                return std::tuple<const Given&>(each);
            else
                return std::tuple<>();
        };
        return std::tuple_cat(one(given)...);
    }

    template <bool everything, ForeignArray X, typename... R>
    static auto each(const X& x, const ChosenAxes& axes, const std::tuple<const R&...>& reducers) {
        return each<everything>(tensor_for_call(x), axes, reducers);
    }
    template <bool everything, TensorLike X, typename... R>
    static auto each(const X& x, const ChosenAxes& axes, const std::tuple<const R&...>& reducers) {
        using T = ElementOrVoid<X>;
        constexpr bool kAllOwn = (ReducerTraits<R>::kIsOwn && ...);
        constexpr bool kTogether = kIsNumberOrVoid<T> && sizeof...(R) > 1 && !kDefersReductions<X>;
        if constexpr (!kAllOwn && !kTogether)
            return std::apply(
                [&](const auto&... reducer) {
                    return one_or_tuple(alone<everything>(x, axes, reducer)...);
                },
                reducers);
        else
            return together<everything, T>(x, axes, reducers, std::index_sequence_for<R...>());
    }
    template <bool everything, typename X, typename R>
    static auto alone(const X& x, const ChosenAxes& axes, const R& reducer) {
        if constexpr (ReducerTraits<R>::kIsOwn)
            return each<everything>(x, axes, std::tuple<const R&>(reducer));
        else
            return R::template over<everything>(x, axes);
    }

    template <bool everything, typename T, typename X, typename... R, std::size_t... I>
    static auto together(const X& x, const ChosenAxes& axes,
                         const std::tuple<const R&...>& reducers, std::index_sequence<I...>) {
        constexpr const char* kName = "reduce";
        const ChosenReducer list[]{chosen_reducer(std::get<I>(reducers), axes.nan)...};
        for (const ChosenReducer& reducer : list)
            if (reducer.nan == NanRule::refuse) {
                require_no_nan(reducer.name(), x);
                break;
            }
        if constexpr (HasDims<X>) {
            auto dims = dims_to_reduce(kName, dim_operand(x), axes.axes_if_given(), axes.keep);
            const std::vector<Operand> made =
                reduce_together(dims.operand, dims.axes, axes.keep, dims.lead(), list);
            const auto under_dims = [&](const Operand& result) {
                auto own = dims;
                return std::move(own).result(result);
            };
            return one_or_tuple(ResultHandle<typename ReducerTraits<R>::template Element<T>, X>(
                under_dims(made[I]))...);
        } else {
            const std::vector<Operand> made =
                reduce_together(x.operand(), axes.positional(kName, x.rank()), axes.keep, 0, list);
            return one_or_tuple(
                result<everything, X, typename ReducerTraits<R>::template Element<T>,
                       ReducerTraits<R>::kWidth>(made[I])...);
        }
    }
    template <bool everything, typename X, typename E, index_t width>
    static auto result(const Operand& made) {
        if constexpr (kDefersReductions<X>) {
            if constexpr (everything && width == 0)
                return ScalarResult<E, X>(made);
            else
                return ResultHandle<E, X>(made);
        } else if constexpr (std::is_void_v<E>) {
            if constexpr (everything && width == 0)
                return AnyScalar(AnyTensor::writable(made));
            else
                return AnyTensor::writable(made);
        } else if constexpr (everything && width == 0) {
            return number_in(Tensor<E>(made));
        } else {
            return MutableTensor<E>(made);
        }
    }
};

/// `reduce(x, reducers…)`: several reductions in one pass; each is one of the library's (`sum`, `variance`,
/// `min(skip_nan)`), or one's own (`reducer<T>`). Of one its result, of several a tuple:
///
///     auto [average, deviation] = reduce(x, mean, standard_deviation);           // numbers
///     auto [m, at] = reduce(x, {0, 2}, mean, argmax, keep_dims);                 // tensors, over axes
///     auto r = x | reduce({0}, sum, spread(skip_nan));                           // a stage
///
/// Axes, dims, options and results are those of `sum`; a policy for NaN at the end is that of all that
/// have none of their own. A result that is a list is an axis in front. Of arrays of chunks, each chunk
/// is read once; elements in memory are in the cache for all, and what is computed is computed once,
/// where everything is reduced to numbers, otherwise for each reduction. Results have the bits that
/// each reduction has alone; of chunks only without one that keeps the order, in which the states of all are joined then.
///
/// Eager; of symbols stages, of which those of one's own have no derivatives (`SymbolError`) and are saved under
/// the names that `register_reducer` gives. Throws what the reductions do; of one's own `DtypeError` for elements
/// that do not convert without loss, `DeviceError` where they lie on a device, `KindError` where NaN is skipped over
/// axes of sparse ones.
inline constexpr ReduceByFunction reduce;

} // namespace purview
