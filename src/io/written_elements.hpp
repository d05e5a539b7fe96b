#pragma once

#include <purview/tensor/any_tensor.hpp>

#include "io/replacement_file.hpp"

#include <bit>

namespace purview::inline v0_1::file {

/// Writes the elements of a tensor in row-major order, numbers in this order of bytes: what is in memory as it lies, other
/// tensors in blocks of 1 MiB.
void write_elements(ReplacementFile& file, const AnyTensor& tensor,
                    std::endian order = std::endian::native);

} // namespace purview::file
