#pragma once

#include <purview/functional/elementwise/emap.hpp>
#include <purview/functional/elementwise/operation_functions.hpp>
#include <purview/tensor/stage.hpp>
#include <purview/tensor/text_places.hpp>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

// Functions of tensors of strings, lazy, element by element. The operators `+`, `==`, `<` etc. are
// those of the elements, and sorting, grouping and searching accept strings. Case and blanks are
// those of ASCII; lengths and positions count bytes. Bytes of UTF-8 beyond ASCII are not changed.

/// A tensor or an array of strings.
template <typename X>
concept StringArray =
    array_like<X> && std::same_as<ElementOrVoid<std::remove_cvref_t<X>>, std::string>;

namespace strings {
/// Whether the texts of a tensor that have been parsed as times say an offset from UTC.
struct OffsetsSeen {
    std::atomic<bool> some = false;
    std::atomic<bool> none = false;
    bool of_local_times = false; ///< which have none
};

PURVIEW_EXPORT std::string to_lower(std::string_view text);
PURVIEW_EXPORT std::string to_upper(std::string_view text);
PURVIEW_EXPORT std::string trim(std::string_view text);
PURVIEW_EXPORT std::int64_t find(std::string_view text, std::string_view part) noexcept;
inline std::int64_t length(std::string_view text) noexcept {
    return static_cast<std::int64_t>(text.size());
}
inline bool contains(std::string_view text, std::string_view part) noexcept {
    return find(text, part) >= 0;
}
inline bool starts_with(std::string_view text, std::string_view part) noexcept {
    return text.starts_with(part);
}
inline bool ends_with(std::string_view text, std::string_view part) noexcept {
    return text.ends_with(part);
}
PURVIEW_EXPORT std::string substring(std::string_view text, std::int64_t begin, std::int64_t count);
PURVIEW_EXPORT std::string replace_all(std::string_view text, std::string_view from,
                                       std::string_view to);
/// Parses all of `text` except blanks around it. Throws `CastError` naming the text and the type.
template <typename T>
T parse(std::string_view text);
#define PURVIEW_PARSE(T) extern template PURVIEW_EXPORT T parse<T>(std::string_view text);
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_PARSE)
#undef PURVIEW_PARSE
/// `parse<T>(text)`, of an element of a tensor: a `CastError` says where that has it, too.
template <typename T>
T parse_element(const std::string& text, const TextPlaces& texts);
#define PURVIEW_PARSE_ELEMENT(T) \
 extern template PURVIEW_EXPORT T parse_element<T>(const std::string&, const TextPlaces&);
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_PARSE_ELEMENT)
#undef PURVIEW_PARSE_ELEMENT
/// `parse_time_point` of an element of a tensor: a `FormatError` says where that has it, too. There
/// is one, too, if `seen` says that other texts have an offset and this one has none, or the other
/// way round; from any thread.
PURVIEW_EXPORT std::int64_t parse_time_element(const std::string& text, std::int64_t num,
                                               std::int64_t den, const TextPlaces& texts,
                                               OffsetsSeen& seen);
/// The places in a tensor, or in one with dims.
template <TensorLike X>
TextPlacesPtr places_of(const X& x) {
    if constexpr (HasDims<X>)
        return places_in(dim_operand(x));
    else
        return places_in(x.operand());
}
/// The shortest text that is parsed back to the same number.
template <typename T>
std::string format(T number);
#define PURVIEW_FORMAT(T) extern template PURVIEW_EXPORT std::string format<T>(T number);
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_FORMAT)
#undef PURVIEW_FORMAT
} // namespace strings

/// The base of function objects of strings.
struct OfStrings {
    template <typename T>
    static constexpr bool kIsDefinedFor = std::is_same_v<T, std::string>;
};
/// A name as an argument of a template.
template <std::size_t N>
struct Word {
    constexpr Word(const char (&given)[N]) { std::copy_n(given, N, text); }
    char text[N];
};
/// A function of one string.
template <Word word, auto function>
struct OfEachString : OfStrings {
    template <typename X>
    static auto of(const X& x) {
        return map_elements(
            FunctionName(word.text), [](const std::string& text) { return function(text); }, x);
    }
};
/// Changes the case of ASCII letters.
inline constexpr ElementsFunction<OfEachString<"to_lower", strings::to_lower>> to_lower;
inline constexpr ElementsFunction<OfEachString<"to_upper", strings::to_upper>> to_upper;
/// Removes blanks (space, \t, \n, \v, \f, \r) at both ends.
inline constexpr ElementsFunction<OfEachString<"trim", strings::trim>> trim;
/// The number of bytes, as int64.
inline constexpr ElementsFunction<OfEachString<"text_length", strings::length>> text_length;

/// A function object for a function of two strings, of which one may be one string for all:
/// `f(x, y)` and `x | f("y")`.
template <Word word, auto function>
struct StringPairFunction : ElementwiseFunction {
    using ElementwiseFunction::operator();

    template <typename X, typename Y>
        requires((StringArray<X> && (StringArray<Y> || TextLike<Scalar<Y>>)) ||
                 (TextLike<Scalar<X>> && StringArray<Y>))
    auto operator()(X&& x, Y&& y) const {
        return map_elements(
            FunctionName(word.text),
            [](const auto& text, const auto& part) { return function(text, part); },
            lasting_tensor(std::forward<X>(x)), lasting_tensor(std::forward<Y>(y)));
    }
    auto operator()(std::string part) const { return make_stage(*this, std::move(part)); }
};
/// Whether the text contains the part, begins with it, or ends with it.
inline constexpr StringPairFunction<"contains", strings::contains> contains;
inline constexpr StringPairFunction<"starts_with", strings::starts_with> starts_with;
inline constexpr StringPairFunction<"ends_with", strings::ends_with> ends_with;
/// The position where the part first occurs, or -1. As int64.
inline constexpr StringPairFunction<"find_text", strings::find> find_text;

/// `substring(x, begin, count)`, `x | substring(begin, count)`: at most `count` bytes from `begin`
/// on; a negative `begin` counts from the end. Positions outside of the text are clipped.
struct SubstringFunction : ElementwiseFunction {
    using ElementwiseFunction::operator();

    template <StringArray X>
    auto operator()(X&& x, std::int64_t begin, std::int64_t count = INT64_MAX) const {
        return map_elements(
            FunctionName("substring", begin, count),
            [=](const std::string& text) { return strings::substring(text, begin, count); },
            lasting_tensor(std::forward<X>(x)));
    }
    auto operator()(std::int64_t begin, std::int64_t count = INT64_MAX) const {
        return make_stage(*this, begin, count);
    }
};
inline constexpr SubstringFunction substring;

/// `replace_all(x, from, to)`, `x | replace_all(from, to)`: replaces every occurrence of `from`,
/// left to right, by `to`. An empty `from` never occurs.
struct ReplaceAllFunction : ElementwiseFunction {
    using ElementwiseFunction::operator();

    template <StringArray X>
    auto operator()(X&& x, std::string from, std::string to) const {
        FunctionName name("replace_all", from, to);
        return map_elements(
            std::move(name),
            [from = std::move(from), to = std::move(to)](const std::string& text) {
                return strings::replace_all(text, from, to);
            },
            lasting_tensor(std::forward<X>(x)));
    }
    auto operator()(std::string from, std::string to) const {
        return make_stage(*this, std::move(from), std::move(to));
    }
};
inline constexpr ReplaceAllFunction replace_all;

struct AsText {
    template <typename T>
    static constexpr bool kIsDefinedFor = BuiltinType<T>;
    template <typename X>
    static auto of(const X& x) {
        return map_elements(
            FunctionName("to_text"),
            [](OperandElement<X> number) { return strings::format(number); }, x);
    }
};
/// Each number as the shortest text that is parsed back to the same number; bools as `true` and
/// `false`.
inline constexpr ElementsFunction<AsText> to_text;

template <BuiltinType T>
struct AsNumbers : OfStrings {
    template <typename X>
    static auto of(const X& x) {
        return map_elements(
            FunctionName("parse"),
            [texts = strings::places_of(x)](const std::string& text) {
                return strings::parse_element<T>(text, *texts);
            },
            x);
    }
};
/// `parse<T>(x)`, `x | parse<T>`: the numbers that strings say, with blanks around them; bools as `true`, `false`, `1`, `0`.
/// Throws `CastError`, when it is read, of anything else and of what T does not hold, with the text and where it is in `x`.
template <BuiltinType T>
inline constexpr ElementsFunction<AsNumbers<T>> parse;

} // namespace purview
