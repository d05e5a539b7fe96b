#include "fields.hpp"

#include "refuse.hpp"

#include <fmt/format.h>

#include <bit>
#include <string_view>

namespace purview::inline v0_1::ipc {
namespace {

constexpr std::size_t kMostText = 64; ///< for each byte of the description

/// A text that goes on as one of C's.
std::string text_of(const flatbuffers::String* text, std::string_view column, const char* what) {
    std::string result = text == nullptr ? std::string() : text->str();
    if (result.find('\0') != std::string::npos)
        refuse_column(column, "the {} has a NUL in it", what);
    return result;
}

std::string int_format(const format::Int& type, std::string_view column) {
    const char* const letters = type.is_signed() ? "csil" : "CSIL";
    switch (type.bit_width()) {
    case 8: return {letters[0]};
    case 16: return {letters[1]};
    case 32: return {letters[2]};
    case 64: return {letters[3]};
    default: refuse_column(column, "integers of {} bits", type.bit_width());
    }
}

char unit_of(format::TimeUnit unit, std::string_view column) {
    const auto number = static_cast<int>(unit);
    if (number < 0 || number > 3) refuse_column(column, "times in unit {}", number);
    return "smun"[number];
}

std::string time_format(const format::Time& type, std::string_view column) {
    const char unit = unit_of(type.unit(), column);
    const int bits = unit == 's' || unit == 'm' ? 32 : 64;
    if (type.bit_width() != bits)
        refuse_column(column, "times of day in '{}' of {} bits", unit, type.bit_width());
    return {'t', 't', unit};
}

std::string float_format(const format::FloatingPoint& type, std::string_view column) {
    switch (type.precision()) {
    case format::Precision::Half: return "e";
    case format::Precision::Single: return "f";
    case format::Precision::Double: return "g";
    }
    refuse_column(column, "floats of precision {}", static_cast<int>(type.precision()));
}

std::string date_format(const format::Date& type, std::string_view column) {
    switch (type.unit()) {
    case format::DateUnit::Day: return "tdD";
    case format::DateUnit::Millisecond: return "tdm";
    }
    refuse_column(column, "dates in unit {}", static_cast<int>(type.unit()));
}

/// The format of a type, and how many buffers an array of it has.
struct Layout {
    std::string format;
    std::size_t buffers;
    std::size_t views = 0;
};

Layout layout_of(const format::Field& field, format::Version version, std::string_view column) {
    using format::Type;
    // A verified union may have a type without a value.
    if (field.type_type() != Type::NONE && field.type() == nullptr)
        refuse_column(column, "a type without its description");
    switch (field.type_type()) {
    case Type::Null: return {"n", 0};
    case Type::Int: return {int_format(*field.type_as_Int(), column), 2};
    case Type::FloatingPoint: return {float_format(*field.type_as_FloatingPoint(), column), 2};
    case Type::Binary: return {"z", 3};
    case Type::Utf8: return {"u", 3};
    case Type::Bool: return {"b", 2};
    case Type::Decimal: {
        const format::Decimal& type = *field.type_as_Decimal();
        return {fmt::format("d:{},{},{}", type.precision(), type.scale(), type.bit_width()), 2};
    }
    case Type::Date: return {date_format(*field.type_as_Date(), column), 2};
    case Type::Time: return {time_format(*field.type_as_Time(), column), 2};
    case Type::Timestamp: {
        const format::Timestamp& type = *field.type_as_Timestamp();
        return {fmt::format("ts{}:{}", unit_of(type.unit(), column),
                            text_of(type.timezone(), column, "time zone")),
                2};
    }
    case Type::Interval: {
        const auto unit = static_cast<int>(field.type_as_Interval()->unit());
        return {fmt::format("ti{}", unit == 0 ? 'M' : unit == 1 ? 'D' : 'n'), 2};
    }
    case Type::List: return {"+l", 2};
    case Type::Struct: return {"+s", 1};
    case Type::Union: { // before version 5 they had a bitmap, too
        const std::size_t bitmap = version < format::Version::V5 ? 1 : 0;
        return field.type_as_Union()->mode() == format::UnionMode::Sparse
                   ? Layout{"+us:", 1 + bitmap}
                   : Layout{"+ud:", 2 + bitmap};
    }
    case Type::FixedSizeBinary:
        return {fmt::format("w:{}", field.type_as_FixedSizeBinary()->byte_width()), 2};
    case Type::FixedSizeList:
        return {fmt::format("+w:{}", field.type_as_FixedSizeList()->list_size()), 1};
    case Type::Map: return {"+m", 2};
    case Type::Duration:
        return {fmt::format("tD{}", unit_of(field.type_as_Duration()->unit(), column)), 2};
    case Type::LargeBinary: return {"Z", 3};
    case Type::LargeUtf8: return {"U", 3};
    case Type::LargeList: return {"+L", 2};
    case Type::RunEndEncoded: return {"+r", 0};
    case Type::BinaryView: return {"vz", 2, 1};
    case Type::Utf8View: return {"vu", 2, 1};
    case Type::ListView: return {"+vl", 3};
    case Type::LargeListView: return {"+vL", 3};
    default: break;
    }
    refuse_column(column, "type {}, which is none", static_cast<int>(field.type_type()));
}

/// Reads fields, with a bound on all their text: a place in the description may be referred to again and again.
class Reader {
public:
    Reader(format::Version version, std::size_t bytes)
        : version_(version), left_(bytes * kMostText) {}

    Field field(const format::Field& said) {
        Field field{.name = text_of(said.name(), "", "name")};
        Layout layout = layout_of(said, version_, field.name);
        field.format = std::move(layout.format);
        const std::size_t text = field.name.size() + field.format.size();
        if (text > left_) refuse("the schema has more text than it has bytes");
        left_ -= text;
        field.own = {1, layout.buffers, layout.views};
        if (said.children() != nullptr)
            for (const format::Field* const child : *said.children())
                field.children.push_back(this->field(*child));
        if (const format::DictionaryEncoding* const dictionary = said.dictionary()) {
            field.dictionary = dictionary->id();
            field.index_format = dictionary->index_type() == nullptr
                                     ? "i"
                                     : int_format(*dictionary->index_type(), field.name);
        }
        return field;
    }

private:
    format::Version version_;
    std::size_t left_;
};

} // namespace

Entries Field::entries() const {
    if (dictionary) return {1, 2, 0}; // the indexes
    Entries all = own;
    for (const Field& child : children) all += child.entries();
    return all;
}

Field Field::values() const {
    Field result = *this;
    result.dictionary.reset();
    return result;
}

std::vector<Field> fields_of(const format::Schema& schema, format::Version version,
                             std::size_t bytes) {
    constexpr auto kHere = std::endian::native == std::endian::little ? format::Endianness::Little
                                                                      : format::Endianness::Big;
    if (schema.endianness() != kHere) refuse("the file has the other byte order than this machine");
    std::vector<Field> fields;
    Reader reader(version, bytes);
    if (schema.fields() != nullptr)
        for (const format::Field* const field : *schema.fields())
            fields.push_back(reader.field(*field));
    return fields;
}

} // namespace purview::ipc
