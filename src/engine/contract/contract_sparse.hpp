#pragma once

#include <purview/expression/node.hpp>

#include "engine/contract/contract_many.hpp"
#include "engine/contract/factor_pair.hpp"
#include "engine/contract/part_sums.hpp"
#include "engine/contract/product_tree.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace purview::inline v0_1::engine {

/// The number of pairs in all sparse leaves below an expression. Reads none of them.
index_t stored_below(const Operand& source);

/// How a sum of products with sparse factors is computed, if fills and elements let it: decided
/// before anything is computed, then run or described.
struct SparseWay {
    enum class Kind : std::uint8_t {
        none,
        many_factors, ///< pair by pair
        both_sparse,  ///< row by row
        dense_vector, ///< a sparse matrix, x, times a vector, entry by entry
        dense_matrix  ///< of a sparse factor, x, and a dense one, row by row
    };
    Kind kind = Kind::none;
    ProductTree tree; ///< of many factors
    std::optional<PairOrder> pairs;
    std::optional<FactorPair> pair;

    bool with_dense() const noexcept {
        return kind == Kind::dense_vector || kind == Kind::dense_matrix;
    }
};
SparseWay choose_sparse_way(const Operand& source, index_t groups);
/// Whether x is a matrix times a dense one whose pairs lie in memory in the order of the transpose,
/// and are multiplied in that order.
bool is_transposed_in_memory(const FactorPair& pair);

/// A sum of products of sparse factors, by Gustavson's algorithm: a `SparseBuffer` of `groups`
/// elements. Null where `source` is no sum of products, where all factors have all axes, and where
/// products of elements that are not stored matter: a fill is not 0, or a stored element is not
/// finite. O(stored + products of stored elements that meet), and a sort where a view changes the
/// order of what is stored, or of the result. Integers wrap; floats are added up in the order of
/// the summed axes.
std::shared_ptr<AnyReader> contract_sparse(const Operand& source, index_t groups,
                                           const PartSums& sums);

/// Sums products of a sparse and a dense factor to `out`, and returns true; under the same
/// conditions, and if the dense factor is finite everywhere. The dense factor is computed first
/// unless it is in memory in the order that is needed. O(stored · n + dense + groups). Not chosen
/// where so much is stored that BLAS is faster.
bool contract_with_dense(const SparseWay& way, index_t groups, const PartSums& sums, void* out);

/// What this way will do, if fills and elements let it; empty for none.
std::string describe_sparse_contraction(const SparseWay& way, const Operand& source);

} // namespace purview::engine
