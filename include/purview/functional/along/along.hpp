#pragma once

#include <purview/base/refused.hpp>
#include <purview/functional/along/axis_parts.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/functional/reductions/reduce_over.hpp>
#include <purview/tensor/array_stages.hpp>
#include <purview/tensor/plain_tensor.hpp>
#include <purview/tensor/stage.hpp>

#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// The refused calls of functions along one axis.
struct RefusedAlong : RefusedArguments {
    using RefusedArguments::operator();
    template <typename X>
    PURVIEW_REFUSED("along (i, j): this function goes along one axis, and these are two; make one "
                    "of them first, as in f(x | order((i, j)), 0)",
                    operator()(X&&, const Joint&) const);
};

/// `lanes` of elements that `Along` is defined for (`void`: known at run time); of symbols where it
/// is lazy.
template <typename X, typename Along>
concept lanes_of = array_like<X> &&(lanes<X> || requires { requires Along::kOfSymbols; }) &&
                   Along::template kIsDefinedFor<ElementOrVoid<std::remove_cvref_t<X>>>;

/// The refused calls of functions of an array alone: for text, and for elements that `Along` is not
/// defined for.
template <typename Along>
struct RefusedOperand : RefusedAlong {
    using RefusedAlong::operator();
    template <typename X>
        requires((array_like<X> || TextLike<X>)&&!AxisLike<X> && !lanes_of<X, Along>)
    PURVIEW_REFUSED("elements of this type do not have this function; symbols have no elements: "
                    "give it what the computation returns; text is no array (a Dim is named by "
                    "its variable: cumsum(x, j))",
                    operator()(const X&) const);
};

/// An argument as a stage keeps it: an array as a tensor, which owns a vector that is moved in.
template <typename A>
auto kept_argument(A&& argument) {
    if constexpr (ForeignArray<A>)
        return as_tensor(std::forward<A>(argument));
    else
        return std::remove_cvref_t<A>(std::forward<A>(argument));
}

/// The calls of a function along one axis: `f(x)`, `f(x, axis)`, and, as stages, `f`, `f(axis)`,
/// each optionally followed by a policy for NaN. `Along::over(x, axis)` implements it.
template <typename Along, NanRule rule = NanRule::keep>
struct AlongFunction : RefusedOperand<AlongFunction<Along, rule>>, PipelineStage {
    using RefusedOperand<AlongFunction>::operator();
    template <typename T>
    static constexpr bool kIsDefinedFor = Along::template kIsDefinedFor<T>;
    static constexpr bool kOfSymbols = requires { requires Along::kOfSymbols; };

    template <lanes_of<Along> X, NanPolicy... P>
    auto operator()(const X& x, const P&...) const {
        return over(x, ChosenAxis().with(kRuleAmong<rule, P...>));
    }
    template <lanes_of<Along> X, NanPolicy... P>
    auto operator()(const X& x, const AxisOrDim& axis, const P&...) const {
        return over(x, ChosenAxis(axis).with(kRuleAmong<rule, P...>));
    }
    template <NanPolicy... P>
    auto operator()(const P&...) const {
        return AlongFunction<Along, kRuleAmong<rule, P...>>();
    }
    template <NanPolicy... P>
    auto operator()(const AxisOrDim& axis, const P&...) const {
        return Stage([chosen = ChosenAxis(axis).with(kRuleAmong<rule, P...>)]<lanes_of<Along> X>(
                         const X& x) { return over(x, chosen); });
    }

private:
    template <typename X>
    static auto over(const X& x, const ChosenAxis& axis) {
        if constexpr (ForeignArray<X>) {
            return over(tensor_for_call(x), axis);
        } else {
            if (axis.nan == NanRule::refuse) require_no_nan(Along::kName, x);
            return Along::over(x, axis);
        }
    }
};

/// The calls of a function along one axis that takes a number: `f(x, n)`, `f(x, n, axis)`, and, as
/// stages, `f(n)`, `f(n, axis)`. `Along::over(x, n, axis)` implements it.
template <typename Along>
struct CountAlongFunction : RefusedAlong {
    using RefusedAlong::operator();

    template <lanes_of<Along> X>
    auto operator()(X&& x, index_t n, const ChosenAxis& axis = {}) const {
        return Along::over(std::forward<X>(x), n, axis);
    }
    template <StageNumber<index_t> N>
    auto operator()(const N& n, const ChosenAxis& axis = {}) const {
        return Stage([count = static_cast<index_t>(n), axis]<lanes_of<Along> X>(const X& x) {
            return Along::over(x, count, axis);
        });
    }
};

} // namespace purview
