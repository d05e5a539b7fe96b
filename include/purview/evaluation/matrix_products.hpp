#pragma once

#include <purview/expression/node.hpp>

#include <optional>

namespace purview::inline v0_1 {

/// The product of two small matrices of the same type of floats, `[m, k]` and `[k, n]`, of one and
/// a vector, or of two batches of equal length, in memory of its own: what summing their
/// element-wise products gives, without making these operands.
/// Nothing for anything else, shapes that do not fit included.
PURVIEW_EXPORT std::optional<Operand> small_matrix_product(const Operand& x, const Operand& y);

} // namespace purview
