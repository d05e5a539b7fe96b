#pragma once

#include <purview/expression/node.hpp>
#include <purview/functional/elementwise/strings.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace purview {

/// Where a text first occurs in a tensor of strings, as error messages show it: "at index 3", "at
/// index [1 2]"; empty for a tensor of rank 0 or one without the text. O(size), reads the tensor.
PURVIEW_EXPORT std::string place_of_text(const Operand& texts, std::string_view text);

namespace strings {

/// `parse<T>(text)` of an element of `texts`; the message of a `CastError` also says where the
/// element is.
template <BuiltinType T>
T parse_element(const std::string& text, const Operand& texts);
#define PURVIEW_PARSE_ELEMENT(T) \
 extern template PURVIEW_EXPORT T parse_element<T>(const std::string&, const Operand&);
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_PARSE_ELEMENT)
#undef PURVIEW_PARSE_ELEMENT

/// The same for `parse_time_point` and its `FormatError`.
PURVIEW_EXPORT std::int64_t parse_time_element(const std::string& text, std::int64_t num,
                                               std::int64_t den, const Operand& texts);

} // namespace strings

/// `parse<T>(x)`, `x | parse<T>`: the numbers that strings contain, optionally between blanks;
/// bools as `true`, `false`, `1`, `0`. Reading throws `CastError` for anything else and for values
/// that do not fit T, naming the text and, if no dims are bound, its index in `x`.
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
