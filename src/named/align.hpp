#pragma once

#include <purview/named/dim_operand.hpp>

#include <span>

namespace purview::named {

/// The Dimensions of an operand, not deferred, over `dims`, which have sizes and are its own and others, and with
/// `rank` positional axes: those that it does not have repeat, by a stride of 0, or are of size 1.
Dimensions aligned_dims(const DimOperand& x, std::span<const Dim> dims, int rank);

} // namespace purview::named
