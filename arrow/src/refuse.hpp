#pragma once

#include <purview/base/errors.hpp>

#include "base/quoted_text.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace purview::inline v0_1::ipc {

/// Throws what a file is found to be.
template <typename... X>
[[noreturn]] void refuse(fmt::format_string<X...> words, X&&... values) {
    throw FormatError(fmt::format(words, std::forward<X>(values)...));
}
/// Of one of its columns.
template <typename... X>
[[noreturn]] void refuse_column(std::string_view column, fmt::format_string<X...> words,
                                X&&... values) {
    refuse("column {}: {}", file::quoted_text(column),
           fmt::format(words, std::forward<X>(values)...));
}

} // namespace purview::ipc
