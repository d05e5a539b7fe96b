#pragma once

#include <purview/named/dim_operand.hpp>

#include <span>

namespace purview::inline v0_1::named {

/// Whether an operand is used as it is where operands over `dims`, with `rank` positional axes, are
/// combined. A scalar is: it broadcasts anyway, and operations recognise it.
bool is_aligned(const DimOperand& x, std::span<const Dim> dims, int rank) noexcept;

/// The Dimensions of an operand, which is not deferred, over `dims` (its own dims and others, all
/// with sizes) and with `rank` positional axes. Dims and axes that the operand lacks repeat by a
/// stride of 0, or have size 1.
Dimensions aligned_dims(const DimOperand& x, std::span<const Dim> dims, int rank);

} // namespace purview::named
