#include "text/stored_type.hpp"

#include "io/npy_descr.hpp"
#include "reader/byte_swapped.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <complex>
#include <optional>
#include <string_view>

namespace purview::inline v0_1::zarr {
namespace {

/// The longest text of as many bytes for each: more cannot be meant.
constexpr index_t kMaxTextBytes = index_t{1} << 24;

StoredType number_type(DType dtype, bool swapped) {
    StoredType type;
    type.dtype = dtype;
    type.encoding = dtype == boolean ? Encoding::booleans : Encoding::numbers;
    type.bytes = dtype.size_bytes();
    type.ordered = swapped_width(dtype);
    type.swapped = swapped;
    return type;
}

StoredType text_type(Encoding encoding, index_t bytes) {
    StoredType type;
    type.dtype = kDType<std::string>;
    type.encoding = encoding;
    type.bytes = bytes;
    type.ordered = encoding == Encoding::code_points ? 4 : 1;
    return type;
}

constexpr std::array<std::string_view, 16> kNamesOfFormat3{
    "bool",   "int8",    "int16",   "int32",   "int64",     "uint8",      "uint16",   "uint32",
    "uint64", "float16", "float32", "float64", "complex64", "complex128", "bfloat16", "string"};

/// `<U7` or `|S5`: texts of a length; nothing for other types.
std::optional<StoredType> text_of_descr(std::string_view descr, const std::string& where) {
    if (descr.size() < 3 || (descr[1] != 'S' && descr[1] != 'U' && descr[1] != 'a')) return {};
    index_t count = 0;
    const char* const end = descr.data() + descr.size();
    const auto [stop, error] = std::from_chars(descr.data() + 2, end, count);
    if (error != std::errc{} || stop != end || count < 1 || count > kMaxTextBytes / 4)
        throw FormatError(
            fmt::format("{}: dtype {} is no element type", where, npy::quoted(descr)));
    StoredType type = descr[1] == 'U' ? text_type(Encoding::code_points, 4 * count)
                                      : text_type(Encoding::byte_texts, count);
    type.swapped =
        descr[1] == 'U' && descr[0] == (std::endian::native == std::endian::little ? '>' : '<');
    return type;
}

/// `numpy.datetime64` and `numpy.timedelta64`.
StoredType time_type(const NamedPart& part, const std::string& where) {
    const std::string unit =
        text_of(member(part.configuration, "unit", where), "the unit of data_type", where);
    const Json::Value& scale = part.configuration["scale_factor"];
    if (!scale.isNull() && integer_of(scale, "scale_factor", 1, 1 << 30, where) != 1)
        throw DtypeError(fmt::format("{}: data_type '{}' counts {} units, an element type that "
                                     "Purview does not have",
                                     where, part.name, scale.asInt64()));
    const char kind = part.name == "numpy.datetime64" ? 'M' : 'm';
    return number_type(npy::parse_descr(fmt::format("{}8[{}]", kind, unit), where).dtype, false);
}

} // namespace

StoredType type_of_format_3(const Json::Value& data_type, const std::string& where) {
    const NamedPart part = named_part(data_type, "data_type", where);
    const std::string& name = part.name;
    if (name == "numpy.datetime64" || name == "numpy.timedelta64") return time_type(part, where);
    if (name == "string" || name == "variable_length_utf8") return text_type(Encoding::lengths, 0);
    if (name == "fixed_length_utf32" || name == "null_terminated_bytes") {
        const bool wide = name == "fixed_length_utf32";
        const index_t bytes = integer_of(member(part.configuration, "length_bytes", where),
                                         "length_bytes", 1, kMaxTextBytes, where);
        if (wide && bytes % 4 != 0)
            throw FormatError(
                fmt::format("{}: length_bytes is {}, and a code point has 4", where, bytes));
        return text_type(wide ? Encoding::code_points : Encoding::byte_texts, bytes);
    }
    if (name == "bfloat16") return number_type(bfloat16, false);
    for (const std::string_view known : kNamesOfFormat3)
        if (name == known) return number_type(npy::parse_descr(name, where).dtype, false);
    throw DtypeError(fmt::format("{}: data_type {} is an element type that Purview does not have",
                                 where, npy::quoted(name)));
}

StoredType type_of_format_2(const Json::Value& dtype, const std::string& where) {
    if (dtype.isArray())
        throw DtypeError(
            fmt::format("{}: dtype {} (a structure) is an element type that Purview does not have",
                        where, npy::quoted(json_text(dtype))));
    const std::string descr = text_of(dtype, "dtype", where);
    if (descr == "|O") return text_type(Encoding::lengths, 0);
    if (const std::optional<StoredType> text = text_of_descr(descr, where)) return *text;
    if (descr.size() < 3 || !std::string_view("<>|").contains(descr.front()))
        throw FormatError(
            fmt::format("{}: dtype {} is no element type", where, npy::quoted(descr)));
    const npy::Descr parsed = npy::parse_descr(descr, where);
    return number_type(parsed.dtype, parsed.byte_swapped);
}

} // namespace purview::zarr
