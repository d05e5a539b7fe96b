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

namespace {

std::vector<Attributes::Number> exact_of(const Attributes::Value& value) {
    if (!value.exact.empty()) return value.exact;
    return {value.numbers.begin(), value.numbers.end()};
}

std::string number_text(const Attributes::Number& number) {
    if (const auto* const real = std::get_if<double>(&number)) return json::text_of(*real);
    return std::visit([](auto whole) { return fmt::format("{}", whole); }, number);
}

} // namespace

std::vector<Attributes::Number> Attributes::exact_numbers(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::vector<Number>{} : exact_of(found->second);
}

std::string Attributes::json_of(const Values& values) {
    std::string result;
    for (const auto& [name, value] : values) {
        std::string text;
        if (value.text) {
            text = json::text_of(*value.text);
        } else {
            for (const Number& number : exact_of(value))
                text += (text.empty() ? "" : ", ") + number_text(number);
            if (!value.number) text = "[" + text + "]";
        }
        result += fmt::format("{}{}: {}", result.empty() ? "{" : ", ", json::text_of(name), text);
    }
    return result.empty() ? "{}" : result + "}";
}

} // namespace purview
