#include "schema_message.hpp"

#include <purview/base/errors.hpp>

#include "base/quoted_text.hpp"
#include "interop/arrow_format.hpp"

#include <fmt/format.h>

#include <bit>
#include <string>
#include <string_view>
#include <vector>

namespace purview::inline v0_1::ipc {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;

struct DescribedType {
    format::Type kind;
    flatbuffers::Offset<void> type;
};

format::TimeUnit unit_of(char code) {
    return static_cast<format::TimeUnit>(std::string_view("smun").find(code));
}

DescribedType described_number(Builder& builder, const arrow::ArrowType& type) {
    if (!type.is_integer()) {
        const auto precision = type.width == 2   ? format::Precision::Half
                               : type.width == 4 ? format::Precision::Single
                                                 : format::Precision::Double;
        return {format::Type::FloatingPoint,
                format::CreateFloatingPoint(builder, precision).Union()};
    }
    const bool is_signed = type.code >= 'a';
    return {format::Type::Int,
            format::CreateInt(builder, static_cast<int>(type.width * 8), is_signed).Union()};
}

DescribedType described_text(Builder& builder, char code) {
    switch (code) {
    case 'u': return {format::Type::Utf8, format::CreateUtf8(builder).Union()};
    case 'z': return {format::Type::Binary, format::CreateBinary(builder).Union()};
    case 'U': return {format::Type::LargeUtf8, format::CreateLargeUtf8(builder).Union()};
    default: return {format::Type::LargeBinary, format::CreateLargeBinary(builder).Union()};
    }
}

DescribedType described_type(Builder& builder, const arrow::ArrowType& type,
                             std::string_view column) {
    using arrow::Kind;
    const auto size = static_cast<std::int32_t>(type.size);
    switch (type.kind) {
    case Kind::nothing: return {format::Type::Null, format::CreateNull(builder).Union()};
    case Kind::boolean: return {format::Type::Bool, format::CreateBool(builder).Union()};
    case Kind::number: return described_number(builder, type);
    case Kind::text: return described_text(builder, type.code);
    case Kind::date:
        return {format::Type::Date,
                format::CreateDate(builder, type.code == 'D' ? format::DateUnit::Day
                                                             : format::DateUnit::Millisecond)
                    .Union()};
    case Kind::timestamp: {
        const auto zone = type.zone.empty()
                              ? flatbuffers::Offset<flatbuffers::String>()
                              : builder.CreateString(type.zone.data(), type.zone.size());
        return {format::Type::Timestamp,
                format::CreateTimestamp(builder, unit_of(type.code), zone).Union()};
    }
    case Kind::time:
        return {format::Type::Time,
                format::CreateTime(builder, unit_of(type.code), static_cast<int>(type.width * 8))
                    .Union()};
    case Kind::duration:
        return {format::Type::Duration,
                format::CreateDuration(builder, unit_of(type.code)).Union()};
    case Kind::fixed_bytes:
        return {format::Type::FixedSizeBinary,
                format::CreateFixedSizeBinary(builder, size).Union()};
    case Kind::fixed_list:
        return {format::Type::FixedSizeList, format::CreateFixedSizeList(builder, size).Union()};
    case Kind::structure: return {format::Type::Struct, format::CreateStruct(builder).Union()};
    default: break;
    }
    throw DtypeError(fmt::format("save_arrow_file: column {} is of a type that is not written",
                                 file::quoted_text(column)));
}

flatbuffers::Offset<format::Field> described_field(Builder& builder, const arrow::Schema& schema) {
    const std::string_view name = schema.name == nullptr ? "" : schema.name;
    if (schema.dictionary != nullptr)
        throw DtypeError(
            fmt::format("save_arrow_file: column {} is a dictionary, which is not written",
                        file::quoted_text(name)));
    const arrow::ArrowType type = arrow::parse_format(schema.format, name);
    std::vector<flatbuffers::Offset<format::Field>> children;
    for (std::int64_t c = 0; c < schema.n_children; ++c)
        children.push_back(described_field(builder, *schema.children[c]));
    const auto listed = builder.CreateVector(children);
    const auto named = builder.CreateString(name.data(), name.size());
    const DescribedType said = described_type(builder, type, name);
    return format::CreateField(builder, named, (schema.flags & arrow::kNullable) != 0, said.kind,
                               said.type, 0, listed);
}

} // namespace

flatbuffers::Offset<format::Schema> described(flatbuffers::FlatBufferBuilder& builder,
                                              const arrow::Schema& table) {
    std::vector<flatbuffers::Offset<format::Field>> fields;
    for (std::int64_t c = 0; c < table.n_children; ++c)
        fields.push_back(described_field(builder, *table.children[c]));
    return format::CreateSchema(builder,
                                std::endian::native == std::endian::little
                                    ? format::Endianness::Little
                                    : format::Endianness::Big,
                                builder.CreateVector(fields));
}

} // namespace purview::ipc
