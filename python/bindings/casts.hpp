#pragma once

#include "array.hpp"
#include "time_units.hpp"

#include <optional>

namespace purview_python {

/// The elements of another type: lazy.
Array cast_to(const Array& x, pv::DType dtype);
/// Times in another unit, as integers or as text, and back; nothing where neither type is one of times. Throws `DtypeError`.
std::optional<Array> converted_times(const Array& x, pv::DType dtype);
/// Times as text in ISO 8601, durations as "90s"; and back: lazy.
Array times_as_texts(const pv::Operand& times, TimeKind kind);
Array times_of_texts(const pv::Operand& texts, TimeKind kind);

} // namespace purview_python
