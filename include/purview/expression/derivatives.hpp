#pragma once

#include <purview/expression/node.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

// Derivatives of an expression over symbols, as expressions over the same symbols. Elements of the
// operands by which they are taken are float numbers, of 16 bits too: derivatives by those are
// float32. Where an operation does not depend on an operand, nothing of it is made. Both throw
// `DtypeError` where y depends on x by complex numbers, and `SymbolError` where it does so by a
// function that has no derivative. Iterative; O(nodes below y).

/// Backwards: the derivatives by each of `x`, views that show each element of a node once, of the sum of
/// all `y`, each times its seed. Seeds have `lead` axes, and then the shape of their y; each result those
/// axes, and then the shape of its x.
PURVIEW_EXPORT std::vector<Operand> reverse_derivatives(std::span<const Operand> y,
                                                        std::span<const Operand> seeds,
                                                        std::size_t lead,
                                                        std::span<const Operand> x);

/// Forwards: the derivatives of `y` by each of `x`, as above, times `tangents`, all added. Each
/// tangent has `lead` axes, and then the shape of its x; the result those axes, and then the shape of
/// y.
PURVIEW_EXPORT Operand forward_derivative(const Operand& y, std::span<const Operand> x,
                                          std::span<const Operand> tangents, std::size_t lead);

/// `x` as a value that does not depend on anything: derivatives of it are 0. Lazy.
PURVIEW_EXPORT Operand without_derivative(const Operand& x);

} // namespace purview
