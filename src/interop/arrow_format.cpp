#include "interop/arrow_format.hpp"

#include <purview/base/errors.hpp>

#include "base/quoted_text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

namespace purview::inline v0_1::arrow {
namespace {

struct NumberFormat {
    char code;
    index_t width;
};
constexpr NumberFormat kNumberFormats[] = {{'c', 1}, {'C', 1}, {'s', 2}, {'S', 2},
                                           {'i', 4}, {'I', 4}, {'l', 8}, {'L', 8},
                                           {'e', 2}, {'f', 4}, {'g', 8}};
/// Other types, and what their formats begin with.
struct RefusedFormat {
    std::string_view begin;
    std::string_view name;
};
constexpr RefusedFormat kRefused[] = {
    {"ti", "interval"},         {"+l", "list"}, {"+L", "large_list"},    {"+vl", "list_view"},
    {"+vL", "large_list_view"}, {"+m", "map"},  {"+ud:", "dense_union"}, {"+us:", "sparse_union"},
    {"+r", "run_end_encoded"}};
constexpr index_t kViewBytes = 16;

std::optional<index_t> parsed_number(std::string_view text) {
    index_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || rest != end) return std::nullopt;
    return number;
}
std::optional<index_t> parsed_size(std::string_view text) {
    const std::optional<index_t> size = parsed_number(text);
    return size && *size >= 0 ? size : std::nullopt;
}

/// Of precision and scale, and perhaps the number of bits: "19,10", "9,2,32".
std::optional<ArrowType> parsed_decimal(std::string_view text) {
    constexpr index_t kMostPlaces = 400; // more than float64 has exponents
    std::array<std::string_view, 3> parts{"", "", "128"};
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const std::size_t comma = text.find(',');
        parts[p] = text.substr(0, comma);
        if (comma == std::string_view::npos) {
            text = "";
            if (p == 0) return std::nullopt;
            break;
        }
        text.remove_prefix(comma + 1);
    }
    const auto scale = parsed_number(parts[1]);
    const auto bits = parsed_number(parts[2]);
    const bool is_known = bits == 32 || bits == 64 || bits == 128 || bits == 256;
    if (!text.empty() || !parsed_size(parts[0]) || !scale || !is_known) return std::nullopt;
    if (*scale < -kMostPlaces || *scale > kMostPlaces) return std::nullopt;
    return ArrowType{Kind::decimal, 'd', *bits / 8, *scale};
}

std::optional<ArrowType> parsed_letter(char code) {
    switch (code) {
    case 'n': return ArrowType{Kind::nothing};
    case 'b': return ArrowType{Kind::boolean};
    case 'u':
    case 'z': return ArrowType{Kind::text, code, 4};
    case 'U':
    case 'Z': return ArrowType{Kind::text, code, 8};
    default: break;
    }
    for (const NumberFormat& known : kNumberFormats)
        if (known.code == code) return ArrowType{Kind::number, code, known.width};
    return std::nullopt;
}

std::optional<ArrowType> parsed_time(std::string_view format) {
    if (format.size() < 3) return std::nullopt;
    const char unit = format[2];
    const bool has_unit = unit == 's' || unit == 'm' || unit == 'u' || unit == 'n';
    if (format[1] == 's' && has_unit && format.size() > 3 && format[3] == ':')
        return ArrowType{Kind::timestamp, unit, 8, 0, format.substr(4)};
    if (format.size() != 3) return std::nullopt;
    if (format == "tdD") return ArrowType{Kind::date, 'D', 4};
    if (format == "tdm") return ArrowType{Kind::date, 'm', 8};
    if (!has_unit) return std::nullopt;
    if (format[1] == 'D') return ArrowType{Kind::duration, unit, 8};
    if (format[1] == 't') return ArrowType{Kind::time, unit, unit == 's' || unit == 'm' ? 4 : 8};
    return std::nullopt;
}

std::optional<ArrowType> parsed(std::string_view format) {
    if (format.size() == 1) return parsed_letter(format[0]);
    if (format == "+s") return ArrowType{Kind::structure};
    if (format == "vu" || format == "vz") return ArrowType{Kind::text_view, format[1], kViewBytes};
    if (format.starts_with("w:"))
        if (const auto size = parsed_size(format.substr(2)))
            return ArrowType{Kind::fixed_bytes, 'w', *size, *size};
    if (format.starts_with("+w:"))
        if (const auto size = parsed_size(format.substr(3)))
            return ArrowType{Kind::fixed_list, 'w', 0, *size};
    if (format.starts_with("d:")) return parsed_decimal(format.substr(2));
    if (format.starts_with('t')) return parsed_time(format);
    return std::nullopt;
}

} // namespace

ArrowType parse_format(std::string_view format, std::string_view column) {
    if (const auto type = parsed(format)) return *type;
    for (const auto& [begin, name] : kRefused)
        if (format.starts_with(begin))
            throw DtypeError(fmt::format("from_arrow: column {} has the format {}, {}, which has "
                                         "no element type here",
                                         file::quoted_text(column), file::quoted_text(format),
                                         name));
    throw FormatError(fmt::format("from_arrow: column {} has the format {}, which is none",
                                  file::quoted_text(column), file::quoted_text(format)));
}

} // namespace purview::arrow
