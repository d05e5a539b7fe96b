#include <purview/base/errors.hpp>
#include <purview/dtype/time_text.hpp>
#include <purview/functional/elementwise/parse.hpp>

#include <string>

namespace purview::strings {
namespace {

/// Rethrows an error about a text, with the place of the text added to the message.
template <typename E>
[[noreturn]] void rethrow_with_place(const E& error, const std::string& text,
                                     const TextPlaces& texts) {
    const std::string place = texts.place_of(text);
    throw E(place.empty() ? error.what() : error.what() + (", " + place));
}

} // namespace

template <BuiltinType T>
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
                                const TextPlaces& texts) {
    try {
        return parse_time_point(text, num, den);
    } catch (const FormatError& error) {
        rethrow_with_place(error, text, texts);
    }
}

} // namespace purview::strings
