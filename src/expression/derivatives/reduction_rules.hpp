#pragma once

#include "expression/derivatives/slope.hpp"

#include <purview/expression/reduce.hpp>

#include <cstddef>

namespace purview::inline v0_1::derivatives {

/// The derivative by the operand of a reduction, of its shape, from that by the result, `g`. Both
/// behind `lead` axes.
Slope reverse(const Reduce& fold, const Slope& g, std::size_t lead);

/// The derivative of the result, of one axis, from that of the operand, `t`; sums are `careful`, or not.
Slope forward(const Reduce& fold, const Slope& t, std::size_t lead, bool careful);

} // namespace purview::derivatives
