#pragma once

#include "text/json.hpp"

#include <purview/dtype/dtype.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace purview::inline v0_1::zarr {

/// How elements of an array lie in its chunks.
enum class Encoding : std::uint8_t {
    numbers,     ///< bytes of an element, in a byte order
    booleans,    ///< a byte each; whatever is not 0 is true
    byte_texts,  ///< as many bytes for each, behind the text zeros
    code_points, ///< as many code points of 4 bytes for each, behind the text zeros
    lengths      ///< UTF-8 of any length, each behind its number of bytes
};

/// The type of an array's elements: what they are read as, and how they lie in chunks.
struct StoredType {
    DType dtype = float64;
    Encoding encoding = Encoding::numbers;
    index_t bytes = 8;   ///< of an element in a chunk; 0 for texts of any length
    index_t ordered = 8; ///< bytes that a byte order concerns: of complex numbers, each part
    bool swapped =
        false; ///< in the other byte order than this machine's (format 2; in format 3 the codec says it)
};

/// `float64`, `numpy.datetime64` with its unit, … Throws `DtypeError` for types that Purview does not
/// have, `FormatError` for anything else.
StoredType type_of_format_3(const Json::Value& data_type, const std::string& where);
/// `<f8`, `|S5`, `|O` with a filter that says what it is. Throws likewise.
StoredType type_of_format_2(const Json::Value& dtype, const std::string& where);

/// The value of elements that no chunk has: the bytes of one, or a text.
struct FillValue {
    std::vector<std::byte> bytes;
    std::string text;
    /// Whether the array says so. What format 2 has `null` for is zeros here and elsewhere, or, in zarr-python 2,
    /// what memory happens to hold: such chunks are stored.
    bool is_defined = true;
};
/// From what format 3 writes: numbers, `"NaN"`, `"-Infinity"`, bits as `"0x7fc00000"`, parts of complex
/// numbers as lists; and what format 2 does, with `null` for zeros. Throws `FormatError` for what is not of the type.
FillValue fill_of(const Json::Value& value, const StoredType& type, int format,
                  const std::string& where);
/// Appends the bytes that base64 stands for; false where it is none.
bool read_base64(const std::string& text, std::string& out);
/// What either format writes of it, without a number that JSON has no word for.
Json::Value json_of_fill(const FillValue& fill, const StoredType& type);
/// Whether all of so many elements are the fill, bit by bit: such a chunk need not be stored.
bool are_fill(const FillValue& fill, const void* elements, index_t count, DType dtype);

} // namespace purview::zarr
