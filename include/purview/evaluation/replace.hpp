#pragma once

#include <purview/expression/leaf.hpp>

namespace purview::inline v0_1 {

/// `assign(source, destination)` to elements that exist, and stay as they are if the callback of
/// `on_progress` ends it: while one is registered, the elements of `source` are computed into new
/// memory first. Not for sparse sources or destinations, whose assignment is not interrupted.
PURVIEW_EXPORT void replace_elements(const Operand& source, const Operand& destination);

} // namespace purview
