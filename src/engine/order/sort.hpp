#pragma once

#include <purview/evaluation/sorting.hpp>

namespace purview::inline v0_1::engine {

/// What `sort_groups` and `argsort_groups` do where no other backend does it.
void sort_on_cpu(const Operand& source, index_t groups, SortOrder order, void* out);
void argsort_on_cpu(const Operand& source, index_t groups, SortOrder order, std::int64_t* out);

} // namespace purview::engine
