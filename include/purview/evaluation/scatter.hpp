#pragma once

#include <purview/expression/gather.hpp>

#include <cstdint>

namespace purview::inline v0_1 {

/// Whether a scatter replaces the elements of the destination, adds to them, or keeps the lesser or the
/// greater of two.
enum class ScatterKind : std::uint8_t { assign, add, least, greatest };

/// Writes, adds or compares every element of `source` to the element of `destination` at the same
/// coordinates. `destination` is a view of a gather from a writable leaf, or of such a leaf itself.
/// Types and shapes are equal. If several coordinates name one element, it gets the last value in
/// row-major order, the sum of all, added in that order, or an extreme, NaN if there is one, of times NaT: the
/// result is deterministic. Correct
/// also if `destination` overlaps `source` or the indexes. An error, be it of an index or of computing
/// `source`, leaves the destination as it was.
///
/// Throws `IndexError` as gathers do; `ReadOnlyError` naming `what` if the destination is not
/// writable; `DtypeError` if elements cannot be added or compared; and whatever computing `source` throws.
PURVIEW_EXPORT void scatter(const char* what, ScatterKind how, const Operand& source,
                            const Operand& destination);

/// `values` cast, with checks, to the type of `destination`, and broadcast to its shape. Throws
/// `ShapeError` if they do not broadcast. Lazy.
PURVIEW_EXPORT Operand scattered_operand(const char* what, const Operand& values,
                                         const Operand& destination);
/// `values` cast, with checks, to `dtype`, and broadcast to the shape of `destination`. Throws
/// `ShapeError` if they do not broadcast. Lazy.
PURVIEW_EXPORT Operand scattered_operand(const char* what, const Operand& values,
                                         const Operand& destination, DType dtype);

} // namespace purview
