#pragma once

#include <purview/base/function_ref.hpp>

#include "engine/contract/part_sums.hpp"
#include "engine/contract/product_tree.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace purview::inline v0_1::engine {

/// A step: two parts of a product are multiplied, and summed over the axes that are neither kept
/// nor in another part. Parts are numbered: factors first, then the results of steps.
struct PairStep {
    std::size_t x;
    std::size_t y;
    AxisSet kept; ///< axes of the result
};

/// The steps that sum a product of several factors pair by pair, and their cost in nanoseconds.
struct PairOrder {
    std::vector<PairStep> steps;
    double cost = 0;
};

/// An order that takes little time: the best one by dynamic programming for up to 8 factors, a greedy
/// one above. Axes that are summed in one factor only are summed there first. None where one loop
/// over all factors takes less time, and for narrow integers, whose products wrap.
std::optional<PairOrder> order_of_pairs(const Operand& source, const ProductTree& tree,
                                        index_t groups);

/// Calls `sum(operand, groups, last)` for each sum in turn, which returns a node of the results in
/// row-major order. `last` is true for the sum that is the whole result; what it returns is not used.
void visit_pairs(const Operand& source, const ProductTree& tree, index_t groups,
                 const PairOrder& order, FunctionRef<NodePtr(const Operand&, index_t, bool)> sum);

/// Sums a product in this order, each step by `sums`. Intermediate results are in memory while this
/// runs.
void contract_many(const Operand& source, const ProductTree& tree, index_t groups,
                   const PairOrder& order, const PartSums& sums, void* out);

/// Sums sparse factors with sparse intermediate results. Null where the last step is not sparse.
std::shared_ptr<AnyReader> contract_many_sparse(const Operand& source, const ProductTree& tree,
                                                index_t groups, const PairOrder& order,
                                                const PartSums& sums);

} // namespace purview::engine
