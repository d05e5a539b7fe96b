#pragma once

#include <charconv>
#if !defined(__cpp_lib_to_chars)
# include <fast_float/fast_float.h>
#endif

#include <type_traits>

namespace purview::inline v0_1 {

/// `std::from_chars`; for floats by fast_float where the standard library has none, as libc++ before version 20.
template <typename T>
std::from_chars_result number_from_chars(const char* first, const char* last, T& value) {
#if !defined(__cpp_lib_to_chars)
    if constexpr (std::is_floating_point_v<T>) {
        const auto read = fast_float::from_chars(first, last, value);
        return {read.ptr, read.ec};
    } else
#endif
        return std::from_chars(first, last, value);
}

} // namespace purview
