#pragma once

#include <purview/expression/node.hpp>

#include <string>

namespace purview {

/// Sums each of `groups` equal parts of the global order of `source` to one element of `out`, if
/// that is a matrix product, or a batch of them, and BLAS is there and faster than the fused
/// loop; else returns false and has written nothing. Factors that BLAS cannot read where they lie, or
/// that are computed, are held in memory while it runs, once and without the axes they do not have.
bool contract(const Operand& source, index_t groups, void* out);

/// What `contract` would do: "gemm 1024x1024x1024 float64, A transposed, batch 16, by OpenBLAS …";
/// for a sum of products that it leaves to the fused loop, why; empty for anything else.
std::string describe_contraction(const Operand& source, index_t groups);

} // namespace purview
