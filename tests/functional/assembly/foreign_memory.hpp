#pragma once

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

/// Whether a function gives of memory that others made what it gives of its clone.
template <typename X, typename F>
void check(const char* name, const X& foreign, const F& function) {
    INFO(name);
    const auto text_of = [&](const X& x) {
        std::ostringstream text;
        show(text, function(x));
        return text.str();
    };
    CHECK(text_of(foreign) == text_of(X(purview::clone(foreign))));
}

} // namespace foreign_memory
