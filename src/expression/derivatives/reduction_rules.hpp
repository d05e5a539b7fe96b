#pragma once

#include <purview/expression/reduce.hpp>

#include <cstddef>

namespace purview::inline v0_1::derivatives {

/// The derivative by the operand of a reduction, of its shape, from that by the result, `g`. Both
/// behind `lead` axes.
Operand reverse(const Reduce& fold, const Operand& g, std::size_t lead);

/// The derivative of the result, of one axis, from that of the operand, `t`, which may be infinite.
Operand forward(const Reduce& fold, const Operand& t, std::size_t lead, bool may_be_infinite);

} // namespace purview::derivatives
