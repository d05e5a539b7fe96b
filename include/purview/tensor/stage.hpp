#pragma once

#include <purview/tensor/any_tensor.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace purview {

/// The base of everything that can stand behind `|`.
struct PipelineStage {};

template <typename S>
concept StageLike = std::derived_from<std::remove_cvref_t<S>, PipelineStage>;

/// A function waiting for its tensor: what calling an operation without one returns.
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

/// A number in place of a tensor, which makes a stage. A tensor makes none, even if it converts to its only element, as
/// one without dims left bound does.
template <typename N, typename T>
concept StageNumber = std::convertible_to<const N&, T> && !TensorLike<N>;

/// The stage that calls `function` with its tensor before these arguments.
template <typename F, typename... A>
auto later(const F& function, A... arguments) {
    return Stage([ function, ... arguments = std::move(arguments) ]<TensorLike X>(
        const X& tensor) requires std::invocable<const F&, const X&, const A&...> {
        return function(tensor, arguments...);
    });
}

/// What a call that is refused in one sentence returns: where it stands behind `|`, nothing more is said.
struct Refusal : PipelineStage {
    template <typename X>
    Refusal operator()(const X&) const {
        return {};
    }
};

/// `tensor | stage` is `stage(tensor)`.
template <TensorLike X, StageLike S>
auto operator|(X&& tensor, const S& stage) -> decltype(stage(std::forward<X>(tensor))) {
    return stage(std::forward<X>(tensor));
}

/// `first | second` is a stage that does one after the other.
template <StageLike First, StageLike Second>
auto operator|(First first, Second second) {
    return Stage(
        [ first = std::move(first),
          second = std::move(second) ](auto&& tensor) -> decltype(auto) requires requires {
            second(first(tensor));
        } { return second(first(tensor)); });
}

// `|` binds less than arithmetic and comparisons: `x | sum(k) + b` would add b to a stage, and `x | sum(k) < b` compare
// a stage with it. (It binds more than `&&`, `||` and `?:`.) Write `(x | sum(k)) + b`.
template <typename X, typename Y>
concept MixesStage = StageLike<X> || StageLike<Y>;

template <typename X, typename Y>
    requires MixesStage<X, Y>
void operator+(const X&, const Y&) = delete;
template <typename X, typename Y>
    requires MixesStage<X, Y>
void operator-(const X&, const Y&) = delete;
template <typename X, typename Y>
    requires MixesStage<X, Y>
void operator*(const X&, const Y&) = delete;
template <typename X, typename Y>
    requires MixesStage<X, Y>
void operator/(const X&, const Y&) = delete;
template <typename X, typename Y>
    requires MixesStage<X, Y>
void operator%(const X&, const Y&) = delete;
template <typename X, typename Y>
    requires MixesStage<X, Y>
void operator==(const X&, const Y&) = delete;
template <typename X, typename Y>
    requires MixesStage<X, Y>
void operator!=(const X&, const Y&) = delete;
template <typename X, typename Y>
    requires MixesStage<X, Y>
void operator<(const X&, const Y&) = delete;
template <typename X, typename Y>
    requires MixesStage<X, Y>
void operator<=(const X&, const Y&) = delete;
template <typename X, typename Y>
    requires MixesStage<X, Y>
void operator>(const X&, const Y&) = delete;
template <typename X, typename Y>
    requires MixesStage<X, Y>
void operator>=(const X&, const Y&) = delete;
template <typename X, typename Y>
    requires MixesStage<X, Y>
void operator&(const X&, const Y&) = delete;
template <typename X, typename Y>
    requires MixesStage<X, Y>
void operator^(const X&, const Y&) = delete;
template <typename X, typename Y>
    requires MixesStage<X, Y>
void operator<<(const X&, const Y&) = delete;
template <typename X, typename Y>
    requires MixesStage<X, Y>
void operator>>(const X&, const Y&) = delete;
template <typename X, typename Y>
    requires MixesStage<X, Y>
void operator&&(const X&, const Y&) = delete;
template <typename X, typename Y>
    requires MixesStage<X, Y>
void operator||(const X&, const Y&) = delete;

} // namespace purview
