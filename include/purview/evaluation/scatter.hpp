#pragma once

#include <purview/expression/gather.hpp>

#include <cstdint>

namespace purview {

/// What is done with the elements of a destination.
enum class Scatter : std::uint8_t { assign, add };

/// Writes, or adds, every element of `source` to the element of `destination` at the same coordinates, where
/// `destination` looks at a gather from a writable leaf, or at such a leaf itself. Types and shapes are equal. An
/// element that several coordinates name gets the last one in row-major order, or all of them, added in that
/// order: the result is the same each time. Correct when the two overlap, or the indexes and the destination.
/// All indexes are looked at, and `source` is computed, before anything is written.
///
/// Throws `IndexError` as gathers do, `ReadOnlyError`, naming `what`, for what cannot be written, `DtypeError`
/// where elements cannot be added; and what computing `source` throws.
PURVIEW_EXPORT void scatter(const char* what, Scatter how, const Operand& source,
                            const Operand& destination);

/// `values` cast, checked, to the type of `destination`, and broadcast to its shape. Throws `ShapeError`.
PURVIEW_EXPORT Operand scattered_operand(const char* what, const Operand& values,
                                         const Operand& destination);

} // namespace purview
