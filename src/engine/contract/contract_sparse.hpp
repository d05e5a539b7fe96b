#pragma once

#include <purview/expression/node.hpp>
#include <purview/reader/reader.hpp>

#include <memory>
#include <string>

namespace purview {

/// A sum of products of sparse factors, by Gustavson's algorithm: a `SparseBuffer` of `groups` elements. Null where it is none,
/// where all factors have all axes, and where other products than those of stored elements count: a fill that is not
/// 0, a stored element that is not finite. O(stored + products of those that meet), and a sort where a view changes the order of
/// what is stored, or of the result. Integers wrap; floats are added up in the order of the summed axes.
std::shared_ptr<AnyReader> contract_sparse(const Operand& source, index_t groups);

/// A sum of products of a sparse and a dense factor, into memory at `out`: true if it was one, on the same conditions. The dense
/// factor is finite everywhere, and is computed first unless it lies in memory as it is needed.
/// O(stored · n + dense + groups). Left to BLAS where so much is stored that that is faster.
bool contract_with_dense(const Operand& source, index_t groups, void* out);

/// What either of them will do, if fills and elements let them; empty where the sum is none of theirs.
std::string describe_sparse_contraction(const Operand& source, index_t groups);

namespace engine {
/// Pairs in all sparse leaves below an expression. Nothing is read of them.
index_t stored_below(const Operand& source);

struct FactorPair;
/// Whether so much is stored in a sparse factor, x, that BLAS multiplies it by a dense one faster.
bool is_left_to_blas(const FactorPair& pair);
} // namespace engine

} // namespace purview
