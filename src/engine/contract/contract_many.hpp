#pragma once

#include <purview/reader/reader.hpp>

#include "engine/contract/product_tree.hpp"

#include <memory>
#include <string>

namespace purview::engine {

/// Sums a product of several factors pair by pair, in an order that takes little time: the best one by
/// dynamic programming for up to 8 factors, found greedily above. What is summed in one factor only is summed
/// there first. Results between lie in memory while it runs. Each step goes to BLAS or to a loop as a
/// sum of two factors does. False, and nothing written, where one loop over all factors takes less time.
bool contract_many(const Operand& source, const ProductTree& tree, index_t groups, void* out);

/// The same of sparse factors, whose results between are sparse: a `SparseBuffer`. The order is that of dense ones. Null where
/// `contract_many` would do nothing.
std::shared_ptr<AnyReader> contract_many_sparse(const Operand& source, index_t groups);

/// Whether there is such an order. Narrow integers, whose products wrap, have none.
bool goes_pair_by_pair(const Operand& source, index_t groups);

/// The steps, one after the other; empty where `contract_many` does nothing.
std::string describe_many(const Operand& source, const ProductTree& tree, index_t groups);

} // namespace purview::engine
