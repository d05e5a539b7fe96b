#include "base/bytes_from_text.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <charconv>

namespace purview::inline v0_1 {

index_t bytes_from_text(std::string_view variable, std::string_view text) {
    index_t bytes = -1;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, bytes);
    const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
    int shift = 0;
    if (unit == "K") shift = 10;
    if (unit == "M") shift = 20;
    if (unit == "G") shift = 30;
    if (error != std::errc() || bytes < 0 || (shift == 0 && !unit.empty()) ||
        __builtin_mul_overflow(bytes, index_t{1} << shift, &bytes))
        throw Error(fmt::format("{} is '{}', and should be a number of bytes, or one of KiB, MiB "
                                "or GiB with K, M or G after it",
                                variable, text));
    return bytes;
}

} // namespace purview
