#include <purview/base/errors.hpp>
#include <purview/dtype/time_text.hpp>
#include <purview/functional/elementwise/strings.hpp>

#include "base/number_from_chars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <string>

namespace purview::inline v0_1::strings {
namespace {

constexpr std::string_view kBlanks = " \t\n\v\f\r";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// Each byte in [first, last] with its ASCII case changed.
std::string shifted_case(std::string_view text, char first, char last) {
    std::string result(text);
    for (char& each : result)
        if (each >= first && each <= last) each = static_cast<char>(each ^ ('a' ^ 'A'));
    return result;
}

/// Rethrows an error about a text, with the place of the text added to the message.
template <typename E>
[[noreturn]] void rethrow_with_place(const E& error, const std::string& text,
                                     const TextPlaces& texts) {
    const std::string place = texts.place_of(text);
    throw E(place.empty() ? error.what() : error.what() + (", " + place));
}

} // namespace

std::string to_lower(std::string_view text) { return shifted_case(text, 'A', 'Z'); }
std::string to_upper(std::string_view text) { return shifted_case(text, 'a', 'z'); }
std::string trim(std::string_view text) { return std::string(trimmed(text)); }

std::int64_t find(std::string_view text, std::string_view part) noexcept {
    const std::size_t place = text.find(part);
    return place == std::string_view::npos ? -1 : static_cast<std::int64_t>(place);
}

std::string substring(std::string_view text, std::int64_t begin, std::int64_t count) {
    const auto size = static_cast<std::int64_t>(text.size());
    // If `begin` is before the start of the text, the positions before the start count towards
    // `count`.
    std::int64_t first =
        begin < 0 ? std::max(begin, std::numeric_limits<std::int64_t>::min() + size) + size : begin;
    std::int64_t left = std::max<std::int64_t>(count, 0);
    if (first < 0) {
        left = left > -first ? left + first : 0;
        first = 0;
    }
    if (first >= size) return {};
    return std::string(text.substr(static_cast<std::size_t>(first),
                                   static_cast<std::size_t>(std::min(left, size - first))));
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
    std::string result;
    std::size_t done = 0;
    while (!from.empty()) {
        const std::size_t place = text.find(from, done);
        if (place == std::string_view::npos) break;
        result.append(text.substr(done, place - done)).append(to);
        done = place + from.size();
    }
    return result.append(text.substr(done));
}

template <typename T>
T parse(std::string_view text) {
    const std::string_view number = trimmed(text);
    if constexpr (std::same_as<T, bool>) {
        if (number == "true" || number == "1") return true;
        if (number == "false" || number == "0") return false;
    } else {
        const bool plus = number.starts_with('+') && !number.starts_with("+-");
        const char* const first = number.data() + (plus ? 1 : 0);
        const char* const last = number.data() + number.size();
        T value{};
        const auto [end, error] = number_from_chars(first, last, value);
        if (error == std::errc() && end == last) return value;
    }
    throw CastError(fmt::format("parse: '{}' is no {}", text, kElementName<T>));
}

template <typename T>
std::string format(T number) {
    return fmt::format("{}", number);
}

#define PURVIEW_INSTANTIATE(T)                              \
 template PURVIEW_EXPORT T parse<T>(std::string_view text); \
 template PURVIEW_EXPORT std::string format<T>(T number);
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_INSTANTIATE)
#undef PURVIEW_INSTANTIATE

template <typename T>
T parse_element(const std::string& text, const TextPlaces& texts) {
    try {
        return parse<T>(text);
    } catch (const CastError& error) {
        rethrow_with_place(error, text, texts);
    }
}
#define PURVIEW_INSTANTIATE(T) \
 template PURVIEW_EXPORT T parse_element<T>(const std::string&, const TextPlaces&);
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_INSTANTIATE)
#undef PURVIEW_INSTANTIATE

std::int64_t parse_time_element(const std::string& text, std::int64_t num, std::int64_t den,
                                const TextPlaces& texts, OffsetsSeen& seen) {
    if (text == "NaT") return kNatCount<std::int64_t>;
    try {
        const ReadTime read = read_time_point(text, num, den);
        if (read.has_offset && seen.of_local_times)
            throw FormatError(
                fmt::format("parse_times: '{}' has an offset, and local times have none: parse "
                            "times of the system clock, and use to_zone",
                            text));
        std::atomic<bool>& alike = read.has_offset ? seen.some : seen.none;
        if (!alike) alike = true;
        if (read.has_offset ? seen.none : seen.some)
            throw FormatError(fmt::format("parse_times: '{}' has {} offset, and others {}", text,
                                          read.has_offset ? "an" : "no",
                                          read.has_offset ? "none" : "one"));
        return read.count;
    } catch (const FormatError& error) {
        rethrow_with_place(error, text, texts);
    }
}

} // namespace purview::strings
