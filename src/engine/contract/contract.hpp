#pragma once

#include <purview/expression/node.hpp>

#include <string>

namespace purview::inline v0_1 {

/// Cuts the row-major order of `source` into `groups` equal parts and sums each to one element of
/// `out`, if that is a sum of products that is better not left to a fused loop over the factors in
/// place; else returns false, with nothing written. A matrix product, or a batch of them, goes to
/// BLAS, or, where BLAS does not have it (integers), to a fused loop over copies of factors in
/// which the summed axis is contiguous; more than two factors go to `contract_many`, a sparse and a
/// dense one to `contract_with_dense`. Factors that are computed or copied are held in memory while
/// this runs, once and without the axes that they do not have.
/// `nested`: whether the source is a nested product (`is_nested_product`). Products in memory that
/// `multiply_in_place` takes have been tried before.
bool contract(const Operand& source, index_t groups, bool nested, void* out);

/// What `contract` would do with a sum of products.
struct ContractionDescription {
    std::string text; ///< "gemm 1024x1024x1024 float64, A transposed, batch 16, by OpenBLAS …";
                      ///< empty for no sum of products
    bool is_left_to_loop = false; ///< by a fused loop over the factors in place; `text` says why
};
ContractionDescription describe_contraction(const Operand& source, index_t groups);

} // namespace purview
