#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// Moves the elements [begin, end) to `to`; both may overlap.
template <typename T>
void move_elements(T* begin, T* end, std::remove_const_t<T>* to) {
    if constexpr (std::is_trivially_copyable_v<T>) {
        if (begin != end)
            std::memmove(to, begin, static_cast<std::size_t>(end - begin) * sizeof(T));
    } else if (to < begin) {
        while (begin != end) *to++ = std::move(*begin++);
    } else {
        to += end - begin;
        while (begin != end) *--to = std::move(*--end);
    }
}

} // namespace purview
