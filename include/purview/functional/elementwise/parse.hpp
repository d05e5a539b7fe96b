#pragma once

#include <purview/expression/node.hpp>
#include <purview/functional/elementwise/strings.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace purview {

/// Where a tensor of strings first has a text, as an error says it: "at index 3", "at index [1 2]", of what has no axes, or not
/// the text, nothing. O(size), and reads the tensor.
PURVIEW_EXPORT std::string place_of_text(const Operand& texts, std::string_view text);

namespace strings {

/// `parse<T>(text)`, of an element of `texts`: a `CastError` says where they have it, too.
template <BuiltinType T>
T parse_element(const std::string& text, const Operand& texts);
#define PURVIEW_PARSE_ELEMENT(T) \
 extern template PURVIEW_EXPORT T parse_element<T>(const std::string&, const Operand&);
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_PARSE_ELEMENT)
#undef PURVIEW_PARSE_ELEMENT

/// The same of `parse_time_point`, and its `FormatError`.
PURVIEW_EXPORT std::int64_t parse_time_element(const std::string& text, std::int64_t num,
                                               std::int64_t den, const Operand& texts);

} // namespace strings

/// `parse<T>(x)`, `x | parse<T>`: the numbers that strings say, with blanks around them; bools as `true`, `false`, `1`, `0`.
/// Throws `CastError`, when it is read, of anything else and of what T does not hold, with the text and, where no dims are bound,
/// its index in `x`.
template <BuiltinType T>
struct ParseFunction : PipelineStage {
    template <StringTensor X>
    auto operator()(const X& x) const {
        if constexpr (HasDims<X>)
            return map_operands([](const std::string& text) { return strings::parse<T>(text); }, x);
        else
            return map_operands(
                [texts = x.operand()](const std::string& text) {
                    return strings::parse_element<T>(text, texts);
                },
                x);
    }
};
template <BuiltinType T>
inline constexpr AcceptingArrays<ParseFunction<T>> parse;

} // namespace purview
