#pragma once

#include <purview/expression/node.hpp>
#include <purview/expression/reduce.hpp>

#include <vector>

namespace purview::inline v0_1::engine {

/// A reduction of each of `groups` equal parts of a float64 source, wherever that lies.
std::vector<double> folds_of_groups(Reduction reduction, const Operand& source, index_t groups);

/// The differences of float64 elements from the numbers of their groups, which are brought to where
/// the elements lie. Lazy: `numbers` have to outlive it.
Operand differences_from(const Operand& source, std::vector<double>& numbers);

} // namespace purview::engine
