#pragma once

#include <purview/expression/node.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

namespace purview::inline v0_1::engine {

/// Axes of a root, as bits.
using AxisSet = std::uint64_t;

/// A product taken apart: constants and signs are multiplied to `scale`, and what is left are
/// factors, each seen from the coordinates of the root.
struct ProductTree {
    std::vector<Operand> factors;
    double scale = 1;
};

/// Factors looked at, at most: larger products are left to the fused loop.
inline constexpr std::size_t kMostFactors = 32;

/// Takes nested multiplications of the root's type apart; of floats, changes of sign and constants
/// too. Returns false where the root is no multiplication, or has too many factors. Reads no
/// element.
bool flatten_product(const Operand& source, ProductTree& tree);

/// Whether `flatten_product` would find more than two factors, or a number: cheap.
bool is_nested_product(const Operand& source) noexcept;

/// The strides of a factor along the axes of a view of the product, which is as large as the factor:
/// nothing unless the view shows all axes of the product, in any order.
std::optional<Shape> factor_strides(const Dimensions& view, const Dimensions& factor);

/// A factor through a view of the product.
Operand seen(const Dimensions& view, const Operand& factor);

/// The axes of some sets, one set after the other, those of each ascending.
Shape in_order(std::initializer_list<AxisSet> sets);

/// The number of elements along some axes of a shape.
index_t extent_of(ShapeSpan shape, AxisSet axes);

/// An operand over `axes` alone, in this order.
Operand over_axes(const Operand& operand, ShapeSpan axes);

/// An array of shape `[axes…]` in row-major order, as one of `shape`: it repeats along other axes.
Dimensions packed_over(ShapeSpan shape, ShapeSpan axes);

/// The axes along which an operand changes, of those that are longer than 1.
AxisSet axes_of(const Operand& operand);

/// `operand` times a number of its own type.
Operand scaled(const Operand& operand, double scale);

} // namespace purview::engine
