#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/expression/node.hpp>

#include <cstddef>
#include <optional>

namespace purview::inline v0_1 {

/// The product of two small matrices of the same type of floats, `[m, k]` and `[k, n]`, of one and
/// a vector, or of two batches of equal length, in memory of its own: what summing their
/// element-wise products gives, without making these operands.
/// Nothing for anything else, shapes that do not fit included.
PURVIEW_EXPORT std::optional<Operand> small_matrix_product(const Operand& x, const Operand& y);

/// A sum of products as matrix products, one for each index of a batch:
/// `c[batch…, m…, n…] = scale · Σ a[batch…, m…, k…] · b[batch…, k…, n…]`.
struct ProductOfMatrices {
    Operand a;
    Operand b;
    Dimensions c;               ///< of the results, which are one after the other
    std::size_t batch, m, n, k; ///< the number of axes of each kind
    double scale;
};
/// What summing each of `groups` equal parts of a product is. Nothing where it is no matrix product, or one of
/// fewer than 512 multiplications. Reads no element.
PURVIEW_EXPORT std::optional<ProductOfMatrices> product_of_matrices(const Operand& source,
                                                                    index_t groups);

/// Sums a product of more than two factors pair by pair, in the order that takes the least time: calls
/// `sum(product, groups, last)` for each sum in turn, which returns a node of the results in
/// row-major order. `last` is true for the sum that is the whole result; what it returns is not used.
/// False, with nothing called, where it is no such product, or one loop over all factors is faster.
PURVIEW_EXPORT bool
sum_pair_by_pair(const Operand& source, index_t groups,
                 FunctionRef<NodePtr(const Operand& product, index_t groups, bool last)> sum);

} // namespace purview
