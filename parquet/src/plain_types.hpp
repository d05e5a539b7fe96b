#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <memory>

namespace purview::inline v0_1::parquet {

/// A type with float64 in place of decimals, in structs and fixed-size lists too.
std::shared_ptr<::arrow::DataType> plain_type(const std::shared_ptr<::arrow::DataType>& type);
/// The same for the elements.
::arrow::Result<std::shared_ptr<::arrow::Array>>
plain_array(const std::shared_ptr<::arrow::Array>& array);

} // namespace purview::parquet
