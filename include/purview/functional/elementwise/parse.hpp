#pragma once

#include <purview/functional/elementwise/strings.hpp>
#include <purview/tensor/text_places.hpp>

#include <cstdint>
#include <string>

namespace purview {

namespace strings {

/// `parse<T>(text)`, of an element of a tensor: a `CastError` says where that has it, too.
template <BuiltinType T>
T parse_element(const std::string& text, const TextPlaces& texts);
#define PURVIEW_PARSE_ELEMENT(T) \
 extern template PURVIEW_EXPORT T parse_element<T>(const std::string&, const TextPlaces&);
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_PARSE_ELEMENT)
#undef PURVIEW_PARSE_ELEMENT

/// The same for `parse_time_point` and its `FormatError`.
PURVIEW_EXPORT std::int64_t parse_time_element(const std::string& text, std::int64_t num,
                                               std::int64_t den, const TextPlaces& texts);

/// The places in a tensor, or in one with dims.
template <TensorLike X>
TextPlacesPtr places_of(const X& x) {
    if constexpr (HasDims<X>)
        return places_in(dim_operand(x));
    else
        return places_in(x.operand());
}

} // namespace strings

/// `parse<T>(x)`, `x | parse<T>`: the numbers that strings say, with blanks around them; bools as `true`, `false`, `1`, `0`.
/// Throws `CastError`, when it is read, of anything else and of what T does not hold, with the text and where it is in `x`.
template <BuiltinType T>
struct ParseFunction : PipelineStage {
    template <StringTensor X>
    auto operator()(const X& x) const {
        return map_operands(
            [texts = strings::places_of(x)](const std::string& text) {
                return strings::parse_element<T>(text, *texts);
            },
            x);
    }
};
template <BuiltinType T>
inline constexpr AcceptingArrays<ParseFunction<T>> parse;

} // namespace purview
