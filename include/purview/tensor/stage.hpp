#pragma once

#include <purview/base/refused.hpp>
#include <purview/tensor/any_tensor.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

// `|` has a lower precedence than arithmetic and comparisons (but a higher one than `&&`, `||` and
// `?:`): `x | sum(k) + b` would add b to a stage, and `x | sum(k) < b` compare a stage with it. These
// operators are found for stages only, which is why their base has a namespace.
namespace stages {
/// The base of everything that can be the right operand of `|`.
struct PipelineStage {};

#define PURVIEW_WEAK_PIPE \
 "an operator of a stage: | binds more weakly than + and <, so that x | f + y is x | (f + y): write (x | f) + y"
#define PURVIEW_REFUSE_OPERATOR_OF_STAGES(OPERATOR) \
 template <typename X, typename Y>                  \
 PURVIEW_REFUSED(PURVIEW_WEAK_PIPE, operator OPERATOR(const X&, const Y&));
PURVIEW_REFUSE_OPERATOR_OF_STAGES(+)
PURVIEW_REFUSE_OPERATOR_OF_STAGES(-)
PURVIEW_REFUSE_OPERATOR_OF_STAGES(*)
PURVIEW_REFUSE_OPERATOR_OF_STAGES(/)
PURVIEW_REFUSE_OPERATOR_OF_STAGES(%)
PURVIEW_REFUSE_OPERATOR_OF_STAGES(==)
PURVIEW_REFUSE_OPERATOR_OF_STAGES(!=)
PURVIEW_REFUSE_OPERATOR_OF_STAGES(<)
PURVIEW_REFUSE_OPERATOR_OF_STAGES(<=)
PURVIEW_REFUSE_OPERATOR_OF_STAGES(>)
PURVIEW_REFUSE_OPERATOR_OF_STAGES(>=)
PURVIEW_REFUSE_OPERATOR_OF_STAGES(&)
PURVIEW_REFUSE_OPERATOR_OF_STAGES(^)
PURVIEW_REFUSE_OPERATOR_OF_STAGES(<<)
PURVIEW_REFUSE_OPERATOR_OF_STAGES(>>)
PURVIEW_REFUSE_OPERATOR_OF_STAGES(&&)
PURVIEW_REFUSE_OPERATOR_OF_STAGES(||)
#undef PURVIEW_REFUSE_OPERATOR_OF_STAGES
#undef PURVIEW_WEAK_PIPE
} // namespace stages
using stages::PipelineStage;

template <typename S>
concept StageLike =
    __is_base_of(PipelineStage, std::remove_cvref_t<S>) || HasRefused<std::remove_cvref_t<S>>;

/// A function that lacks its tensor argument: what calling an operation without a tensor returns.
template <typename F>
class Stage : public PipelineStage {
public:
    explicit Stage(F&& function) : function_(std::move(function)) {}

    template <typename X>
    auto operator()(X&& tensor) const
        -> decltype(std::declval<const F&>()(std::forward<X>(tensor))) {
        return function_(std::forward<X>(tensor));
    }

private:
    F function_;
};

/// A number that may be given in the place of a tensor when a stage is made. A tensor is not one,
/// even if it converts to its only element, as a tensor with dims, none of which is bound, does.
template <typename N, typename T>
concept StageNumber = std::convertible_to<const N&, T> && !TensorLike<N>;

/// The stage that calls `function` with a tensor, followed by these arguments.
template <typename F, typename... A>
auto make_stage(const F& function, A... arguments) {
    return Stage([ function, ... arguments = std::move(arguments) ]<TensorLike X>(
        const X& tensor) requires std::invocable<const F&, const X&, const A&...> {
        return function(tensor, arguments...);
    });
}

#define PURVIEW_NO_KEYWORD                                                                        \
 "the axis stands behind the tensor and the other arguments, without its name: cumsum(x, 0), of " \
 "a Dim cumsum(x, i)"
/// The calls that are refused because they name an axis, as NumPy and options do.
struct RefusedKeywords {
    struct Keywords {
        std::ptrdiff_t axis;
    };
    PURVIEW_REFUSED(PURVIEW_NO_KEYWORD, operator()(AnyArgument, Keywords) const);
    PURVIEW_REFUSED(PURVIEW_NO_KEYWORD, operator()(AnyArgument, AnyArgument, Keywords) const);
    PURVIEW_REFUSED(PURVIEW_NO_KEYWORD, operator()(AnyArgument, AnyArgument, AnyArgument, Keywords)
                                            const);
};
#undef PURVIEW_NO_KEYWORD

#define PURVIEW_NO_ARGUMENTS \
 "arguments or elements that this function does not take, or symbols, which have no elements: see docs/catalogue.md"
/// The base of functions of arrays: their calls that are refused, whatever the function. (Templates,
/// so that a brace list is what the function takes.)
struct RefusedArguments : RefusedKeywords {
    using RefusedKeywords::operator();
    template <typename... A>
    requires HasRefused<A...> Refusal operator()(const A&...) const { return {}; }
    template <typename L = void>
    PURVIEW_REFUSED(PURVIEW_NO_ARGUMENTS, operator()(AnyArgument, AnyArgument, AnyArgument = {},
                                                     AnyArgument = {}, AnyArgument = {},
                                                     AnyArgument = {}) const);
};
/// The base of functions of an array, which are stages: `x | f` and `x | f()`.
template <typename Function>
struct ArrayFunction : RefusedArguments, PipelineStage {
    using RefusedArguments::operator();
    template <typename L = void>
    PURVIEW_REFUSED(PURVIEW_NO_ARGUMENTS, operator()(AnyArgument) const);
    Function operator()() const { return {}; }
};
#undef PURVIEW_NO_ARGUMENTS

/// `tensor | stage` is `stage(tensor)`.
template <TensorLike X, StageLike S>
auto operator|(X&& tensor, const S& stage) -> decltype(stage(std::forward<X>(tensor))) {
    return stage(std::forward<X>(tensor));
}

/// `first | second` is a stage that applies `first`, then `second`.
template <StageLike First, StageLike Second>
auto operator|(First first, Second second) {
    return Stage(
        [ first = std::move(first),
          second = std::move(second) ](auto&& tensor) -> decltype(auto) requires requires {
            // Not `first` and `second`: clang 19 does not end naming a lambda by its own captures.
            std::declval<const Second&>()(std::declval<const First&>()(tensor));
        } { return second(first(tensor)); });
}

} // namespace purview
