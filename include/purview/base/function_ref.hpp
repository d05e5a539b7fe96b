#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

template <typename Signature>
class FunctionRef;

/// A function object that somebody else owns: a parameter type for functions that call it before
/// they return. (std::function would have <functional> compiled with every program.)
template <typename R, typename... A>
class FunctionRef<R(A...)> {
public:
    template <typename F>
        requires(!std::same_as<F, FunctionRef> && !std::is_function_v<F> &&
                 std::is_invocable_r_v<R, const F&, A...>)
    FunctionRef(const F& function)
    noexcept
        : function_(&function), call_([](const void* f, A... arguments) -> R {
              return (*static_cast<const F*>(f))(std::forward<A>(arguments)...);
          }) {}

    R operator()(A... arguments) const { return call_(function_, std::forward<A>(arguments)...); }

private:
    const void* function_;
    R (*call_)(const void*, A...);
};

} // namespace purview
