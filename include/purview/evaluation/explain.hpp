#pragma once

#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/work.hpp>

#include <string>

namespace purview::inline v0_1 {

// What the engine would do, as text: the tree of operations with its leaves and their views, then
// the chosen way of evaluation and the plan. Nothing is evaluated, written or cached. Values are
// numbered, and shown once however often they are used; after 100 of a kind the rest is only
// counted. The text is meant for people and its layout may change.

/// How an operand would be computed into row-major memory of its own, as `clone` does.
PURVIEW_EXPORT std::string explain_evaluation(const Operand& source);

/// How `assign(source, destination)` would be done; same preconditions.
PURVIEW_EXPORT std::string explain_assignment(const Operand& source, const Operand& destination);

/// How `reduce_groups(reduction, source, groups, …)` would be done, shown under the name `what`; same
/// preconditions. Types that are not built-in are reduced one element after the other.
PURVIEW_EXPORT std::string explain_reduction(const char* what, Reduction reduction,
                                             const Operand& source, index_t groups);

/// How `scan_lanes` would be done, shown under the name `what`.
PURVIEW_EXPORT std::string explain_scan(const char* what, const work::Scan& scan,
                                        const Operand& source);

/// How `sort_groups` or `argsort_groups` would be done, shown under the name `what`.
PURVIEW_EXPORT std::string explain_sort(const char* what, const work::Sort& sort,
                                        const Operand& source);

/// How a `Reducer` with states of so many bytes, 0 of a reduction that has none, would reduce the groups of
/// its source: of arrays of chunks cell by cell, otherwise by steps, in words.
PURVIEW_EXPORT std::string explain_reducer(const char* what, index_t state_bytes,
                                           const std::string& steps, const Operand& source,
                                           index_t groups);

/// The source of an operation that reads it in order, and what it does, in words.
PURVIEW_EXPORT std::string explain_steps(const char* what, const std::string& steps,
                                         const Operand& source);

} // namespace purview
