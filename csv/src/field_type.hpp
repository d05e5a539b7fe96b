#pragma once

#include <purview/base/index.hpp>
#include <purview/tensor/any_tensor.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace purview::inline v0_1::csv {

/// A type that fields have: how they are read as one, and written.
struct FieldType {
    DType dtype;
    /// Reads a whole field; false if it is none of the type.
    bool (*parse)(std::string_view text, void* element);
    /// Reads a number as far as it goes, and returns where it ends, or null; no function if the type is none of numbers.
    const char* (*parse_front)(const char* at, const char* end, void* element);
    /// What stands where nothing is: NaN, NaT, empty; and 0 or false, which do not say so.
    void (*clear)(void* element);
    bool clear_says_missing; ///< whether nobody takes that for a value
    void (*append)(const void* element, std::string& text);
    /// `[rows]`, to be written.
    AnyTensor (*allocate)(index_t rows);
    void* (*memory)(const AnyTensor& tensor);
};

/// Null for a type that fields do not have.
const FieldType* find_field_type(DType dtype);

/// The types that are inferred, each family from the narrowest on; `nothing` is what holds no field yet.
enum class Inferred : std::uint8_t {
    nothing,
    int64,
    uint64,
    integers, ///< that neither holds: strings, as floats would round them, unless one of them is a float
    float64,
    boolean,
    day,
    seconds,
    nanoseconds,
    zoned_seconds, ///< with an offset or Z, which are not mixed with those without
    zoned_nanoseconds,
    text
};

/// That of `nothing` is float64's.
const FieldType& field_type(Inferred type);
/// The first type from `type` on that holds its fields and this one too.
Inferred widened(Inferred type, std::string_view text);
/// The first type that holds the fields of both.
Inferred joined(Inferred a, Inferred b);

/// Whether a time that has been read says its offset from UTC.
bool says_zone(std::string_view time);

/// Without spaces and tabs at either end.
std::string_view trimmed(std::string_view text);

} // namespace purview::csv
