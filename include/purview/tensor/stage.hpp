#pragma once

#include <purview/tensor/any_tensor.hpp>

#include <concepts>
#include <iosfwd>
#include <type_traits>
#include <utility>

namespace purview {

/// The base of everything that can be the right operand of `|`.
struct PipelineStage {};

template <typename S>
concept StageLike = std::derived_from<std::remove_cvref_t<S>, PipelineStage>;

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

/// The return type of calls that a `static_assert` rejects. It is printed, piped, and an argument of
/// every function, so that no further error is reported.
struct Refusal : PipelineStage {
    template <typename X>
    Refusal operator()(const X&) const {
        return {};
    }
    friend std::ostream& operator<<(std::ostream& out, const Refusal&) { return out; }
};
template <typename... A>
concept HasRefused = (std::derived_from<A, Refusal> || ...);

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
            second(first(tensor));
        } { return second(first(tensor)); });
}

// `|` has a lower precedence than arithmetic and comparisons (but a higher one than `&&`, `||` and
// `?:`): `x | sum(k) + b` would add b to a stage, and `x | sum(k) < b` compare a stage with it.

/// What an operator of a stage gives: rejected at compile time, with a message.
template <typename X, typename Y>
struct OperatorOfStage : Refusal {
    static constexpr bool kIsRejectedAlready = HasRefused<X, Y>;
    static_assert(kIsRejectedAlready,
                  "an operator of a stage: | binds more weakly than + and <, so that x | f + y is "
                  "x | (f + y): write (x | f) + y");
};
template <typename X, typename Y>
concept MixesStage = (StageLike<X> || StageLike<Y>)&&!std::same_as<X, Y>;

// Of two of one type they are deleted, because concepts ask whether a type can be compared.
#define PURVIEW_REFUSE_OPERATOR_OF_STAGES(OPERATOR) \
 template <typename X, typename Y>                  \
  requires MixesStage<X, Y> OperatorOfStage<X, Y>   \
 operator OPERATOR(const X&, const Y&);             \
 template <StageLike X>                             \
 void operator OPERATOR(const X&, const X&) = delete;
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

} // namespace purview
