#pragma once

#include <purview/evaluation/evaluate.hpp>

#include <string>

namespace purview {

// What the engine would do, as text: the tree of operations with its leaves and how they are seen, then
// the way that is taken and the plan. Nothing is evaluated, written or remembered. Values are numbered, and
// shown once however often they are used; after 100 of a kind the rest is counted. The layout of the text is
// made for people and may change.

/// Of computing an operand into row-major memory of its own: what a clone does.
PURVIEW_EXPORT std::string explain_evaluation(const Operand& source);

/// Of `assign(source, destination)`; same conditions.
PURVIEW_EXPORT std::string explain_assignment(const Operand& source, const Operand& destination);

/// Of `reduce(reduction, source, groups, …)`, called `what`; same conditions. Types that are not built
/// in are folded one element after the other.
PURVIEW_EXPORT std::string explain_reduction(const char* what, Reduction reduction,
                                             const Operand& source, index_t groups);

} // namespace purview
