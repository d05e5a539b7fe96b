#pragma once

#include <purview/evaluation/evaluate.hpp>

#include <string>

namespace purview::engine {

/// Sums each of `groups` equal parts of the global order of a gather to one element of `out`, if these are
/// sums of whole rows of memory (an embedding bag): rows are added as they are read, at most 128 to one sum,
/// which are then added pairwise. Else returns false and has written nothing.
bool sum_gathered_rows(const Operand& source, index_t groups, void* out);

/// "rows of 64 added as they are gathered, 32 to each sum, …"; empty where `sum_gathered_rows` does nothing.
std::string describe_gathered_sum(const Operand& source, index_t groups);

} // namespace purview::engine
