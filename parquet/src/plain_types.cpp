#include "plain_types.hpp"

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/type.h>
#include <arrow/util/config.h>
#include <arrow/util/decimal.h>

#include <cstdint>
#include <utility>

namespace purview::inline v0_1::parquet {
namespace {

using ::arrow::Array;
using ::arrow::DataType;
using ::arrow::Result;
using ::arrow::Type;

template <typename Decimals, typename Decimal>
Result<std::shared_ptr<Array>> floats_of(const Array& array) {
    const auto& decimals = static_cast<const Decimals&>(array);
    const std::int32_t scale = static_cast<const ::arrow::DecimalType&>(*decimals.type()).scale();
    ::arrow::DoubleBuilder builder;
    ARROW_RETURN_NOT_OK(builder.Reserve(decimals.length()));
    for (std::int64_t i = 0; i < decimals.length(); ++i) {
        if (decimals.IsNull(i))
            builder.UnsafeAppendNull();
        else
            builder.UnsafeAppend(Decimal(decimals.GetValue(i)).ToDouble(scale));
    }
    std::shared_ptr<Array> result;
    ARROW_RETURN_NOT_OK(builder.Finish(&result));
    return result;
}

} // namespace

std::shared_ptr<DataType> plain_type(const std::shared_ptr<DataType>& type) {
    switch (type->id()) {
#if ARROW_VERSION_MAJOR >= 18
    case Type::DECIMAL32:
    case Type::DECIMAL64:
#endif
    case Type::DECIMAL128:
    case Type::DECIMAL256: return ::arrow::float64();
    case Type::STRUCT: {
        ::arrow::FieldVector fields;
        for (const auto& field : type->fields())
            fields.push_back(field->WithType(plain_type(field->type())));
        return ::arrow::struct_(std::move(fields));
    }
    case Type::FIXED_SIZE_LIST: {
        const auto& list = static_cast<const ::arrow::FixedSizeListType&>(*type);
        return ::arrow::fixed_size_list(list.value_field()->WithType(plain_type(list.value_type())),
                                        list.list_size());
    }
    default: return type;
    }
}

Result<std::shared_ptr<Array>> plain_array(const std::shared_ptr<Array>& array) {
    if (plain_type(array->type())->Equals(*array->type())) return array;
    switch (array->type_id()) {
#if ARROW_VERSION_MAJOR >= 18
    case Type::DECIMAL32: return floats_of<::arrow::Decimal32Array, ::arrow::Decimal32>(*array);
    case Type::DECIMAL64: return floats_of<::arrow::Decimal64Array, ::arrow::Decimal64>(*array);
#endif
    case Type::DECIMAL128: return floats_of<::arrow::Decimal128Array, ::arrow::Decimal128>(*array);
    case Type::DECIMAL256: return floats_of<::arrow::Decimal256Array, ::arrow::Decimal256>(*array);
    default: break;
    }
    // Structs and lists: the same gaps, over other children.
    auto data = array->data()->Copy();
    for (auto& child : data->child_data) {
        ARROW_ASSIGN_OR_RAISE(const auto plain, plain_array(::arrow::MakeArray(child)));
        child = plain->data();
    }
    data->type = plain_type(data->type);
    return ::arrow::MakeArray(std::move(data));
}

} // namespace purview::parquet
