#pragma once

#include <purview/reader/reader.hpp>

#include "engine/contract/product_tree.hpp"

#include <memory>
#include <string>

namespace purview::inline v0_1::engine {

/// Sums a product of several factors pair by pair, in an order that takes little time: the best one
/// by dynamic programming for up to 8 factors, a greedy one above. Axes that are summed in one
/// factor only are summed there first. Intermediate results are in memory while this runs. Each
/// step goes to BLAS or to a loop as a sum of two factors does. Returns false, with nothing
/// written, where one loop over all factors takes less time.
bool contract_many(const Operand& source, const ProductTree& tree, index_t groups, void* out);

/// As `contract_many`, for sparse factors, with sparse intermediate results: returns a
/// `SparseBuffer`. The order is that of dense factors. Null where `contract_many` would return
/// false.
std::shared_ptr<AnyReader> contract_many_sparse(const Operand& source, index_t groups);

/// Whether `contract_many_sparse` finds an order. It finds none for narrow integers, whose products
/// wrap.
bool has_pairwise_order(const Operand& source, index_t groups);

/// The steps, one after the other; empty where `contract_many` does nothing.
std::string describe_many(const Operand& source, const ProductTree& tree, index_t groups);

} // namespace purview::engine
