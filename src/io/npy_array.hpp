#pragma once

#include <purview/base/config.hpp>
#include <purview/base/function_ref.hpp>
#include <purview/io/npy_header.hpp>
#include <purview/reader/mapped_file.hpp>
#include <purview/tensor/any_tensor.hpp>

#include <optional>
#include <string>

namespace purview::inline v0_1::npy {

/// Reads the next bytes to an address.
using ReadBytes = FunctionRef<void(std::byte* out, index_t count)>;

/// The array that these bytes are, in new memory. What is behind its elements is left. Throws
/// `FormatError` and `DtypeError` beginning with `where`, before memory is taken. purview::sparse
/// uses this too.
PURVIEW_EXPORT AnyTensor read_array(ReadBytes read, index_t bytes, std::optional<DType> dtype,
                                    const std::string& where);

/// The array in the `bytes` bytes of a mapped file from `begin` on, over the mapping. Throws as
/// `read_array`.
PURVIEW_EXPORT AnyTensor mapped_array(const MappedFile& file, index_t begin, index_t bytes,
                                      std::optional<DType> dtype, const std::string& where);

} // namespace purview::npy
