#pragma once

#include <purview/evaluation/work.hpp>

#include "../memory/buffer.hpp"

#include <optional>
#include <vector>

namespace purview::inline v0_1::gpu::detail {

// The host folds along the axes of a source in the order of its memory (engine/reduce/reduced_source.hpp): so do devices, for the same
// bits.

/// How the leaves of an expression are walked: their strides along its axes.
struct Walks {
    std::vector<std::vector<index_t>> strides; ///< of those that have strides
    std::vector<std::uint32_t> bytes;          ///< of their elements
    bool all_strided = true;                   ///< there are others too; or there is no leaf
    bool converts =
        false; ///< a checked conversion: the host goes in order, to name the first that does not fit
    index_t values = 0;

    std::size_t count() const noexcept { return strides.size(); }
    /// The elements of the innermost axis, once axes are merged, at the end of which the host's lanes begin anew; 0 if they do not.
    index_t row(ShapeSpan shape) const;
};
/// Which leaf's steps decide first.
enum class LeafOrder : bool { discovered, evaluated };
/// What is too much for one kernel is computed before: then `source` is another one. Reads no element.
Walks walks_of(DeviceState& device, Operand& source, const char* what,
               LeafOrder order = LeafOrder::discovered);

struct FoldAxis {
    index_t extent = 1;
    index_t stride = 0; ///< in the source's node
    bool kept = false;
    bool joins_next = false; ///< every leaf can walk it and the next axis as one
};
using FoldAxes = std::vector<FoldAxis>;

index_t extent_of(const FoldAxes& axes, std::size_t first = 0) noexcept;

/// A node, seen through axes some of which are kept: results are in row-major order of these.
struct FoldSource {
    NodePtr node;
    index_t base = 0;
    FoldAxes axes;

    Operand operand() const;
    Operand kept_first() const;
    index_t size() const { return extent_of(axes); }
    index_t groups() const;
    /// The elements inside of an axis that are walked as one run.
    index_t inner_run(std::size_t axis) const;
    /// The elements along the reduced axes in front of `last`.
    index_t elements_before(std::size_t last) const;
};

/// The number of leading axes that have `groups` elements together; nothing if there are no such axes.
std::optional<std::size_t> kept_axes(ShapeSpan shape, index_t groups);

/// Brings the axes of a source of which the first `kept` are kept in the order of its memory; neighbours of a kind are merged where
/// every leaf walks them as one. `results` says where results belong, if they are not in row-major order. False for sources that
/// are not of strided leaves alone: those are folded in the order that they have.
bool arrange(DeviceState& device, const Operand& source, std::size_t kept, const Walks& walks,
             const char* what, FoldSource& arranged, std::optional<Dimensions>& results);

/// All elements of a source of strided leaves in the order in which the host folds them to one.
Operand in_order_of_memory(const Operand& source, Walks& walks);

/// Where some leaf is contiguous across the rows of what the host folds to one, it goes by panels of `rows` rows: the last axis but one.
struct Panels {
    FoldSource source;
    index_t rows;
};
std::optional<Panels> panels_of(const Operand& source, const Walks& walks);

/// Results one after the other in the memory of a leaf, as the source of the next step.
FoldSource over_results(const NodePtr& memory, const FoldAxes& axes);

} // namespace purview::gpu::detail
