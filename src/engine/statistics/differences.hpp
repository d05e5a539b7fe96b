#pragma once

#include <purview/expression/node.hpp>
#include <purview/expression/reduce.hpp>

#include <vector>

namespace purview::inline v0_1::engine {

/// A reduction of each of `groups` equal parts of a float64 source, wherever that lies.
std::vector<double> folds_of_groups(Reduction reduction, const Operand& source, index_t groups);

/// The numbers of the groups of float64 elements, repeated in each: brought to where the elements lie.
/// Lazy: `numbers` have to outlive it.
Operand numbers_of_groups(const Operand& source, std::vector<double>& numbers);
/// The differences of float64 elements from the numbers of their groups.
Operand differences_from(const Operand& source, std::vector<double>& numbers);

} // namespace purview::engine
