#pragma once

#include <purview/base/index.hpp>

#include <cstddef>
#include <type_traits>

namespace purview::inline v0_1 {

/// Calls `f` with the bytes of an element: as a constant, so that it is copied without a call, where they are those of a
/// number.
template <typename F>
void with_element_bytes(index_t bytes, F f) {
    switch (bytes) {
    case 1: return f(std::integral_constant<std::size_t, 1>{});
    case 2: return f(std::integral_constant<std::size_t, 2>{});
    case 4: return f(std::integral_constant<std::size_t, 4>{});
    case 8: return f(std::integral_constant<std::size_t, 8>{});
    case 16: return f(std::integral_constant<std::size_t, 16>{});
    default: return f(static_cast<std::size_t>(bytes));
    }
}

} // namespace purview
