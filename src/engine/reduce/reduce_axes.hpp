#pragma once

#include "engine/folds/fold_kind.hpp"
#include "engine/ways/way.hpp"

#include <purview/expression/node.hpp>

#include <optional>
#include <string>

namespace purview::inline v0_1::engine {

/// Reduces a source to `groups` elements of `out`: its leading axes, which have `groups` elements
/// together, are kept, the others reduced. The order in memory decides whether that is done by
/// lanes, rows, cells or windows. With `averages`, sums of windows of floats are divided by the
/// number of their elements where they are computed: returns whether they are.
bool reduce_axes(const FoldKind& kind, const Operand& source, index_t groups, bool averages,
                 std::byte* out, Ways allowed);

/// What `reduce_axes` would do.
struct AxesAccount {
    std::string steps; ///< "rows of 1000 elements are folded into 8 rows of 1000; then …"
    std::optional<Operand> loop; ///< what the last fused loop folds, to `results` elements
    index_t results = 0;
};
AxesAccount describe_axes(const FoldKind& kind, const Operand& source, index_t groups,
                          Ways allowed);

} // namespace purview::engine
