#pragma once

#include <purview/functional/elementwise/emap.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/stage.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace purview {

// Functions of tensors of strings, lazy, element by element. `+`, `==`, `<` and their like are those of the elements, and
// sorting, grouping and searching take strings as they are. Case and blanks are ASCII's; lengths and places count bytes, so
// that UTF-8 passes through unharmed.

/// A tensor of strings.
template <typename X>
concept StringTensor = TypedTensor<X> && std::same_as<OperandElement<X>, std::string>;

namespace strings {
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
/// All of `text` but for blanks around it. Throws `CastError` naming the text and the type.
template <BuiltinType T>
T parse(std::string_view text);
#define PURVIEW_PARSE(T) extern template PURVIEW_EXPORT T parse<T>(std::string_view text);
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_PARSE)
#undef PURVIEW_PARSE
/// The shortest text that is read back as the same number.
template <BuiltinType T>
std::string format(T number);
#define PURVIEW_FORMAT(T) extern template PURVIEW_EXPORT std::string format<T>(T number);
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_FORMAT)
#undef PURVIEW_FORMAT
} // namespace strings

/// A function of strings that is a stage.
template <auto function>
struct StringFunction : PipelineStage {
    template <StringTensor X>
    auto operator()(const X& x) const {
        return map_operands([](const std::string& text) { return function(text); }, x);
    }
};
/// Letters of ASCII in the other case.
inline constexpr AcceptingArrays<StringFunction<strings::to_lower>> to_lower;
inline constexpr AcceptingArrays<StringFunction<strings::to_upper>> to_upper;
/// Without blanks (space, \t, \n, \v, \f, \r) at either end.
inline constexpr AcceptingArrays<StringFunction<strings::trim>> trim;
/// Bytes, in int64.
inline constexpr AcceptingArrays<StringFunction<strings::length>> text_length;

/// A function of strings and of others, tensors or one for all: `f(x, y)` and `x | f("y")`.
template <auto function>
struct StringPairFunction {
    template <typename X, typename Y>
        requires((StringTensor<X> && std::convertible_to<OperandElement<Y>, std::string_view>) ||
                 (StringTensor<Y> && std::convertible_to<OperandElement<X>, std::string_view>))
    auto operator()(const X& x, const Y& y) const {
        return map_operands([](const auto& text, const auto& part) { return function(text, part); },
                            x, y);
    }
    auto operator()(std::string part) const { return later(*this, std::move(part)); }
};
/// Whether the text contains the part, begins or ends with it.
inline constexpr AcceptingArrays<StringPairFunction<strings::contains>> contains;
inline constexpr AcceptingArrays<StringPairFunction<strings::starts_with>> starts_with;
inline constexpr AcceptingArrays<StringPairFunction<strings::ends_with>> ends_with;
/// Where the part first begins, or -1. In int64.
inline constexpr AcceptingArrays<StringPairFunction<strings::find>> find_text;

/// `substring(x, begin, count)`, `x | substring(begin, count)`: at most `count` bytes from `begin` on; a negative begin
/// counts from the end. What lies outside is left out.
struct SubstringFunction {
    template <StringTensor X>
    auto operator()(const X& x, std::int64_t begin, std::int64_t count = INT64_MAX) const {
        return map_operands(
            [=](const std::string& text) { return strings::substring(text, begin, count); }, x);
    }
    auto operator()(std::int64_t begin, std::int64_t count = INT64_MAX) const {
        return later(*this, begin, count);
    }
};
inline constexpr AcceptingArrays<SubstringFunction> substring;

/// `replace_all(x, from, to)`, `x | replace_all(from, to)`: every `from`, left to right, by `to`. An empty `from` is nowhere.
struct ReplaceAllFunction {
    template <StringTensor X>
    auto operator()(const X& x, std::string from, std::string to) const {
        return map_operands(
            [from = std::move(from), to = std::move(to)](const std::string& text) {
                return strings::replace_all(text, from, to);
            },
            x);
    }
    auto operator()(std::string from, std::string to) const {
        return later(*this, std::move(from), std::move(to));
    }
};
inline constexpr AcceptingArrays<ReplaceAllFunction> replace_all;

/// Numbers as the shortest texts that are read back as the same; bools as `true` and `false`.
struct ToTextFunction : PipelineStage {
    template <TypedTensor X>
        requires BuiltinType<OperandElement<X>>
    auto operator()(const X& x) const {
        return map_operands([](OperandElement<X> number) { return strings::format(number); }, x);
    }
};
inline constexpr AcceptingArrays<ToTextFunction> to_text;

} // namespace purview
