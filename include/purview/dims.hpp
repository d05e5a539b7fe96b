#pragma once

#include <purview/dimensions/dim.hpp>

#include <array>
#include <cstddef>
#include <string_view>

// A header of its own, as it defines a macro: dims named after the variables that hold them.

namespace purview::inline v0_1 {

/// The number of names in `text`, separated by commas.
consteval std::size_t count_names(std::string_view text) {
    std::size_t count = 1;
    for (const char c : text) count += c == ',' ? 1 : 0;
    return count;
}

/// Dims without sizes, with the names listed in `names`: `dims_named<2>("i, j")`.
template <std::size_t N>
std::array<Dim, N> dims_named(std::string_view names) {
    std::array<Dim, N> made;
    for (Dim& dim : made) {
        const std::size_t end = names.find(',');
        std::string_view name = names.substr(0, end);
        while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
        while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
        dim = Dim(name);
        names.remove_prefix(end == std::string_view::npos ? names.size() : end + 1);
    }
    return made;
}

} // namespace purview

/// `PURVIEW_DIMS(i, j, k);` is `auto [i, j, k] = purview::dims("i", "j", "k");`.
#define PURVIEW_DIMS(...) \
 auto [__VA_ARGS__] = ::purview::dims_named<::purview::count_names(#__VA_ARGS__)>(#__VA_ARGS__)
