#include "field_type.hpp"

#include "dtype/known_times.hpp"

#include <purview/dtype/time_text.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/create.hpp>

#include <fast_float/fast_float.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1::csv {
namespace {

/// The number at `at`, whatever is behind it; null if there is none. What is too large or too small for a float is infinite or 0.
template <typename T>
const char* number_front(const char* at, const char* end, void* element) {
    if (at < end && *at == '+' && end - at > 1 && at[1] != '-') ++at;
    T& value = *static_cast<T*>(element);
    if constexpr (std::is_floating_point_v<T>) {
        const auto read = fast_float::from_chars(at, end, value);
        return read.ec == std::errc() || read.ec == std::errc::result_out_of_range ? read.ptr
                                                                                   : nullptr;
    } else {
        const auto read = std::from_chars(at, end, value);
        return read.ec == std::errc() ? read.ptr : nullptr;
    }
}

bool parse_boolean(std::string_view text, void* element) {
    const bool yes = text == "true" || text == "True" || text == "TRUE";
    *static_cast<bool*>(element) = yes;
    return yes || text == "false" || text == "False" || text == "FALSE";
}

int digits(std::string_view text, std::size_t begin, std::size_t count) {
    int value = 0;
    for (std::size_t i = begin; i < begin + count; ++i) {
        if (text[i] < '0' || text[i] > '9') return -1;
        value = value * 10 + (text[i] - '0');
    }
    return value;
}

/// "2020-02-29" and nothing else: what `parse_time_point` reads, in a third of its time.
bool parse_day(std::string_view text, void* element) {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
    const std::int64_t year = digits(text, 0, 4);
    const std::int64_t month = digits(text, 5, 2);
    const std::int64_t day = digits(text, 8, 2);
    if (year < 0 || month < 1 || month > 12 || day < 1 || day > 31) return false;
    const std::int64_t first = days_before_month(year, month - 1);
    if (day > 28 && first + day > days_before_month(month == 12 ? year + 1 : year, month % 12))
        return false;
    using std::chrono::days;
    *static_cast<std::chrono::sys_days*>(element) =
        std::chrono::sys_days(days(static_cast<days::rep>(first + day - 1)));
    return true;
}

template <typename T>
constexpr bool kIsText = std::is_same_v<T, std::string>;

template <typename T>
bool parse_field(std::string_view text, void* element) {
    if constexpr (kIsText<T>) {
        static_cast<std::string*>(element)->assign(text);
        return true;
    } else {
        text = trimmed(text);
        if constexpr (std::is_same_v<T, bool>) {
            if (parse_boolean(text, element)) return true;
            *static_cast<bool*>(element) = text == "1";
            return text == "1" || text == "0";
        } else if constexpr (std::is_arithmetic_v<T>) {
            const char* const end = text.data() + text.size();
            return number_front<T>(text.data(), end, element) == end && !text.empty();
        } else if constexpr (DurationElement<T>) { // "90s"
            constexpr std::string_view kUnit = time_unit(T::period::num, T::period::den).suffix;
            if (!text.ends_with(kUnit)) return false;
            text.remove_suffix(kUnit.size());
            return parse_field<typename T::rep>(text, element) && trimmed(text) == text;
        } else {
            if constexpr (std::is_same_v<T, std::chrono::sys_days>)
                if (parse_day(text, element)) return true;
            if (text.size() < 10 || text[4] != '-' || text[7] != '-') return false;
            constexpr bool kIsLocal = !requires { typename T::clock::rep; };
            if (kIsLocal && says_zone(text)) return false; // a local time has no offset
            using D = typename T::duration;
            try {
                const std::int64_t count = parse_time_point(text, D::period::num, D::period::den);
                if (!std::in_range<typename D::rep>(count)) return false;
                const T time{D(static_cast<typename D::rep>(count))};
                if (is_nat_value(time)) return false; // a text that is a time says no NaT
                *static_cast<T*>(element) = time;
                return true;
            } catch (const Error&) {
                return false;
            }
        }
    }
}

template <typename T>
void clear_field(void* element) {
    if constexpr (std::is_floating_point_v<T>)
        *static_cast<T*>(element) = std::numeric_limits<T>::quiet_NaN();
    else if constexpr (TimeElement<T>)
        *static_cast<T*>(element) = nat_value<T>();
    else
        *static_cast<T*>(element) = T{};
}

template <typename T>
void append_field(const void* element, std::string& text) {
    const T& value = *static_cast<const T*>(element);
    if constexpr (kIsText<T>) {
        text += value;
    } else if constexpr (std::is_same_v<T, bool>) {
        text += value ? "true" : "false";
    } else if constexpr (std::is_arithmetic_v<T>) {
        std::array<char, 64> room;
        text.append(room.data(), std::to_chars(room.data(), room.data() + room.size(), value).ptr);
    } else if (!is_nat_value(value)) { // which is a gap
        text += time_text(value);
    }
}

template <typename T>
constexpr FieldType kFieldType{
    kDType<T>,
    &parse_field<T>,
    [] {
        if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
            return &number_front<T>;
        else
            return nullptr;
    }(),
    &clear_field<T>,
    !std::is_integral_v<T>,
    &append_field<T>,
    [](index_t rows) { return AnyTensor(empty<T>({rows})); },
    [](const AnyTensor& tensor) -> void* { return as_span(tensor.as_mutable<T>()).data(); }};

using Seconds = std::chrono::sys_seconds;
using Nanoseconds = std::chrono::sys_time<std::chrono::nanoseconds>;

constexpr std::array kBuiltinTypes{
#define PURVIEW_FIELD_TYPE(T) &kFieldType<T>,
    PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_FIELD_TYPE)
#undef PURVIEW_FIELD_TYPE
    & kFieldType<std::string>};

/// Only what names a truth or a day at first sight is inferred to be one.
template <typename T>
constexpr FieldType narrowed(bool (*parse)(std::string_view, void*)) {
    FieldType type = kFieldType<T>;
    type.parse = parse;
    return type;
}
constexpr FieldType kBooleanWord = narrowed<bool>(
    [](std::string_view text, void* element) { return parse_boolean(trimmed(text), element); });
constexpr FieldType kDay = narrowed<std::chrono::sys_days>(
    [](std::string_view text, void* element) { return parse_day(trimmed(text), element); });

template <typename T, bool zoned>
constexpr FieldType kTimes = narrowed<T>([](std::string_view text, void* element) {
    return says_zone(text) == zoned && parse_field<T>(text, element);
});
bool is_integer(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}
constexpr FieldType kIntegers = narrowed<std::string>([](std::string_view text, void* element) {
    if (!is_integer(text)) return false;
    static_cast<std::string*>(element)->assign(text);
    return true;
});

bool same_family(Inferred a, Inferred b) {
    const auto family = [](Inferred type) {
        return type <= Inferred::float64       ? 0
               : type == Inferred::boolean     ? 1
               : type <= Inferred::nanoseconds ? 2
                                               : 3;
    };
    return a == Inferred::nothing || b == Inferred::text || family(a) == family(b);
}

} // namespace

bool says_zone(std::string_view time) {
    time = trimmed(time);
    constexpr std::size_t kLengthOfDay = 10; // "2020-02-29", which has the sign of an offset itself
    if (time.size() <= kLengthOfDay) return false;
    if (time.back() == 'Z' || time.back() == 'z') return true;
    for (const std::size_t offset : {3U, 5U, 6U, 9U}) { // +01, +0100, +01:00, +01:00:00
        if (time.size() <= kLengthOfDay + offset) continue;
        const char sign = time[time.size() - offset];
        if (sign == '+' || sign == '-') return true;
    }
    return false;
}

std::string_view trimmed(std::string_view text) {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

const FieldType* find_field_type(DType dtype) {
    const FieldType* found = nullptr;
    const auto consider = [&](const FieldType& type) {
        if (type.dtype == dtype) found = &type;
    };
    for (const FieldType* const type : kBuiltinTypes) consider(*type);
    for_each_time([&]<typename T>(std::type_identity<T>) { consider(kFieldType<T>); });
    return found;
}

const FieldType& field_type(Inferred type) {
    switch (type) {
    case Inferred::int64: return kFieldType<std::int64_t>;
    case Inferred::uint64: return kFieldType<std::uint64_t>;
    case Inferred::boolean: return kBooleanWord;
    case Inferred::day: return kDay;
    case Inferred::integers: return kIntegers;
    case Inferred::seconds: return kTimes<Seconds, false>;
    case Inferred::nanoseconds: return kTimes<Nanoseconds, false>;
    case Inferred::zoned_seconds: return kTimes<Seconds, true>;
    case Inferred::zoned_nanoseconds: return kTimes<Nanoseconds, true>;
    case Inferred::text: return kFieldType<std::string>;
    default: return kFieldType<double>;
    }
}

Inferred widened(Inferred type, std::string_view text) {
    std::int64_t room = 0; // all but strings fit
    const auto holds = [&](Inferred next) {
        return next == Inferred::integers ? is_integer(text) : field_type(next).parse(text, &room);
    };
    for (auto next = type == Inferred::nothing ? Inferred::int64 : type; next < Inferred::text;
         next = static_cast<Inferred>(static_cast<int>(next) + 1))
        if (same_family(type, next) && holds(next)) return next;
    return Inferred::text;
}

Inferred joined(Inferred a, Inferred b) {
    if (a > b) std::swap(a, b);
    return same_family(a, b) ? b : Inferred::text;
}

} // namespace purview::csv
