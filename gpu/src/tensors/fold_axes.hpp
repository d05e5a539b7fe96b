#pragma once

#include <purview/evaluation/work.hpp>

#include "../memory/buffer.hpp"

#include "evaluation/fold_axes.hpp"

#include <optional>
#include <vector>

namespace purview::inline v0_1::gpu::detail {

// The host folds along the axes of a source in the order of its memory: so do devices, for the same bits.

/// How the leaves of an expression are walked: their strides along its axes.
struct Walks {
    std::vector<Shape> strides;       ///< of those that have strides
    std::vector<std::uint32_t> bytes; ///< of their elements
    bool all_strided = true;          ///< there are others too; or there is no leaf
    bool converts =
        false; ///< a checked conversion: the host goes in order, to name the first that does not fit
    index_t values = 0;

    std::size_t count() const noexcept { return strides.size(); }
    LeafStrides leaves() const { return {strides.begin(), strides.end()}; }
    void reverse(ShapeSpan axes);
    /// The elements of the innermost axis, once axes are merged, at the end of which the host's lanes begin anew; 0 if they do not.
    index_t row(ShapeSpan shape) const;
};
/// Which leaf's steps decide first.
enum class LeafOrder : bool { discovered, evaluated };
/// What is too much for one kernel is computed before: then `source` is another one. Reads no element.
Walks walks_of(DeviceState& device, Operand& source, const char* what,
               LeafOrder order = LeafOrder::discovered);

/// Arranges a source that keeps its leading axes, as many as have `groups` elements. False for sources that are not of strided leaves alone: those are folded in
/// the order that they have.
bool arrange(DeviceState& device, const Operand& source, index_t groups, const Walks& walks,
             const char* what, ArrangedSource& arranged);

/// All elements of a source of strided leaves in the order in which the host folds them to one.
Operand in_order_of_memory(const Operand& source, Walks& walks);

/// Where some leaf is contiguous across the rows of what the host folds to one, it goes by panels of `rows` rows: the last axis but one.
struct Panels {
    ReducedSource source;
    index_t rows;
};
std::optional<Panels> panels_of(const Operand& source, const Walks& walks);

} // namespace purview::gpu::detail
