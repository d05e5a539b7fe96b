#pragma once

#include <purview/expression/node.hpp>

#include <string>

namespace purview {

/// Sums each of `groups` equal parts of the global order of `source` to one element of `out`, if
/// that is a matrix product, or a batch of them, that is better not left to a fused loop over the
/// factors where they lie; else returns false and has written nothing. It goes to BLAS, or, where there
/// is none for it (integers), to a fused loop over factors laid along the sum. Factors that are not used
/// where they lie, or are computed, are held in memory while it runs, once and without the axes they
/// do not have.
bool contract(const Operand& source, index_t groups, void* out);

/// What `contract` would do with a sum of products.
struct ContractionDescription {
    std::string
        text; ///< "gemm 1024x1024x1024 float64, A transposed, batch 16, by OpenBLAS …"; empty for no sum of products
    bool is_left_to_loop = false; ///< a fused loop over the factors where they lie; `text` says why
};
ContractionDescription describe_contraction(const Operand& source, index_t groups);

} // namespace purview
