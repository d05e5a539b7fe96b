#include <purview/io/attributes.hpp>

#include "io/json_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace purview::inline v0_1 {
namespace json {

std::string text_of(double number) {
    if (std::isnan(number)) return "NaN";
    if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
    return fmt::format("{}", number);
}

std::string text_of(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            (result += '\\') += c;
        else if (static_cast<unsigned char>(c) < 0x20)
            result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            result += c;
    }
    return result += '"';
}

} // namespace json

std::string Attributes::json_of(const Values& values) {
    std::string result;
    for (const auto& [name, value] : values) {
        std::string text;
        if (value.text) {
            text = json::text_of(*value.text);
        } else if (value.number) {
            text = json::text_of(*value.number);
        } else {
            for (const double number : value.numbers)
                text += (text.empty() ? "[" : ", ") + json::text_of(number);
            text = text.empty() ? "[]" : text + "]";
        }
        result += fmt::format("{}{}: {}", result.empty() ? "{" : ", ", json::text_of(name), text);
    }
    return result.empty() ? "{}" : result + "}";
}

} // namespace purview
