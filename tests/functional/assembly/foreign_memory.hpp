#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/purview.hpp>
#include <support/catch.hpp>

#include <ostream>
#include <ranges>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>

namespace foreign_memory {

/// Prints what a function returns: tensors, numbers, and tuples and lists of them.
template <typename R>
void show(std::ostream& out, const R& result) {
    if constexpr (purview::TensorLike<R>)
        out << result;
    else if constexpr (requires { std::tuple_size<R>::value; })
        std::apply([&](const auto&... each) { ((show(out, each), out << '\n'), ...); }, result);
    else if constexpr (std::is_arithmetic_v<R>)
        out << static_cast<double>(result);
    else if constexpr (requires { out << result; })
        out << result;
    else
        for (const auto& each : result) {
            show(out, each);
            out << '\n';
        }
}

/// Whether `shown` prints of memory that others made what it prints of its clone.
template <typename X>
void check_shown(const char* name, const X& foreign,
                 purview::FunctionRef<void(std::ostream&, const X&)> shown) {
    INFO(name);
    std::ostringstream of_foreign;
    shown(of_foreign, foreign);
    std::ostringstream of_clone;
    shown(of_clone, X(purview::clone(foreign)));
    CHECK(of_foreign.str() == of_clone.str());
}

/// Whether a function gives of memory that others made what it gives of its clone. Hundreds of
/// functions are asked: each compiles no more than its call.
template <typename X, typename F>
void check(const char* name, const X& foreign, const F& function) {
    check_shown<X>(name, foreign, [&](std::ostream& out, const X& x) { show(out, function(x)); });
}

} // namespace foreign_memory
