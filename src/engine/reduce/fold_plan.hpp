#pragma once

#include "engine/compile/plan.hpp"
#include "engine/folds/fold_kind.hpp"
#include "engine/run/direct_run.hpp"
#include "engine/run/runner.hpp"

namespace purview::engine {

/// What a fold of each of `groups` parts asks of a plan.
Purpose fold_purpose(const FoldKind& kind, index_t groups);

/// Folds the elements [begin, begin + count) of a plan that was made for this, in chunks, on the thread that calls it.
FoldValue fold_part(const FoldKind& kind, const Plan& plan, Runner& runner, index_t begin,
                    index_t count);
/// The same of a plan without rows and blocks.
FoldValue fold_directly(const FoldKind& kind, DirectRun& direct, index_t begin, index_t count);

/// Folds a few operations over memory that is read in order to one element of `out`. False for anything else.
bool fold_flat(const FoldKind& kind, const Operand& source, std::byte* out);

/// Folds each of `groups` equal parts of the order of the source, on several threads where that is worth it.
void fold_equal_groups(const FoldKind& kind, const Operand& source, index_t groups, std::byte* out);

} // namespace purview::engine
