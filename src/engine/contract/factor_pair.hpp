#pragma once

#include <purview/base/wrapping.hpp>
#include <purview/evaluation/sparsity.hpp>
#include <purview/expression/node.hpp>

#include "engine/contract/product_tree.hpp"

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

namespace purview::inline v0_1::engine {

/// A factor of a product, and the axes along which it changes. Along others it has size 1, or
/// repeats.
struct SummedFactor {
    Operand operand;
    AxisSet axes = 0;
};
inline bool is_sparse_factor(const SummedFactor& factor) {
    return storage_kind_of(*factor.operand.node) == Kind::sparse;
}

/// A sum of products of two factors, as a matrix product for each index of a batch. The axes that
/// are longer than 1:
///
///            |  in x and y  |  in x only  |  in y only  |  in neither
///     kept   |  batch       |  m          |  n          |  repeats the result
///     summed |  k           |  of x       |  of y       |  multiplies it
struct FactorPair {
    SummedFactor x;
    SummedFactor y;
    Shape shape;          ///< of the root
    std::size_t kept = 0; ///< axes of the result, which are the first ones
    double scale = 1;     ///< every product is multiplied by it
    DType result;         ///< what products are summed in, perhaps wider than the factors

    AxisSet kept_axes() const noexcept;
    AxisSet batch() const noexcept { return x.axes & y.axes & kept_axes(); }
    AxisSet m() const noexcept { return x.axes & ~y.axes & kept_axes(); }
    AxisSet n() const noexcept { return y.axes & ~x.axes & kept_axes(); }
    AxisSet k() const noexcept { return x.axes & y.axes & ~kept_axes(); }
    AxisSet of_x() const noexcept { return x.axes & ~y.axes & ~kept_axes(); }
    AxisSet of_y() const noexcept { return y.axes & ~x.axes & ~kept_axes(); }
    /// Both factors have the same axes: an element-wise product, which is then summed.
    bool is_elementwise() const noexcept { return x.axes == y.axes; }
    /// Products wrap or are rounded in a type of their own before they are summed.
    bool is_narrow() const noexcept { return x.operand.dtype() != result; }

    index_t extent_of(AxisSet axes) const { return engine::extent_of(shape, axes); }
    /// How often each product is summed: the extent of the summed axes that are in neither factor.
    index_t repeats() const;
    /// A view with the shape of the root's kept axes, of an array with the axes of these sets, one
    /// after the other, in row-major order: it repeats along other kept axes.
    Dimensions view_of(std::initializer_list<AxisSet> sets) const {
        return packed_over(ShapeSpan(shape).first(kept), in_order(sets));
    }
    void swap() { std::swap(x, y); }
};

/// The sum of `count` equal values.
template <typename R>
R repeated_sum(R value, index_t count) {
    if constexpr (std::floating_point<R>)
        return static_cast<R>(static_cast<double>(value) * static_cast<double>(count));
    else
        return wrapping_product<R>(value, static_cast<R>(count));
}

/// The factors of a sum of products, after factors that have the same axes and are of one kind,
/// sparse or not, have been multiplied with each other, and numbers with one of them. `factors` is
/// empty where the sum is not one of products of numbers.
struct FactorGroups {
    std::vector<SummedFactor> factors;
    double scale = 1;
};
FactorGroups factor_groups(const Operand& source);

} // namespace purview::engine
