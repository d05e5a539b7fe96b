#pragma once

#include <purview/expression/node.hpp>

#include <string>

namespace purview::inline v0_1::engine {

/// Cuts the row-major order of a gather into `groups` equal parts and sums each to one element of
/// `out`, if these are sums of whole rows of memory (an embedding bag): rows are added as they are
/// read, at most 128 to a partial sum; partial sums are added pairwise. Else returns false, with
/// nothing written.
bool sum_gathered_rows(const Operand& source, index_t groups, void* out);

/// "32 rows added to each of 4096 as they are gathered; …"; empty where `sum_gathered_rows` does
/// nothing.
std::string describe_gathered_sum(const Operand& source, index_t groups);

} // namespace purview::engine
