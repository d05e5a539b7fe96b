#pragma once

#include <purview/dtype/dtype.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace purview::inline v0_1::saved {

/// Whether elements of a type can be saved: built-in ones, floats of 16 bits, complex numbers.
bool has_text(DType dtype) noexcept;
/// The type that is named so. Throws `FormatError`.
DType saved_dtype(std::string_view name);

/// An element as text without blanks, from which the same bits are read: the shortest decimal number,
/// `inf`, `nan` or, if its bits are others than those of the usual one, `nan:7ff8000000000001`;
/// `true`; complex numbers as `1,2`.
void append_element(std::string& out, DType dtype, const std::byte* element);
/// Reads it; false if it is none.
bool parse_element(std::string_view text, DType dtype, std::byte* element);

} // namespace purview::saved
