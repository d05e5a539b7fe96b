#pragma once

#include "engine/compile/values.hpp"

#include <boost/container/small_vector.hpp>

#include <optional>

namespace purview::inline v0_1::engine {

/// An axis of a source that is being reduced.
struct ReducedAxis {
    index_t extent = 1;
    index_t stride = 0; ///< in the source's node
    bool kept = false;
    bool joins_next = false; ///< every leaf can walk it and the next axis as one
};
using ReducedAxes = boost::container::small_vector<ReducedAxis, 8>;

/// The elements along the axes from number `first` on.
inline index_t extent_of(const ReducedAxes& axes, std::size_t first = 0) noexcept {
    index_t extent = 1;
    for (; first < axes.size(); ++first) extent *= axes[first].extent;
    return extent;
}

/// The source of a reduction: a node, seen through axes some of which are kept. Results are
/// contiguous, in row-major order of the kept axes.
struct ReducedSource {
    NodePtr node;
    index_t base = 0;
    ReducedAxes axes;

    Operand operand() const;
    Operand kept_first() const; ///< the operand with its axes in another order
    index_t size() const { return extent_of(axes); }
    index_t groups() const; ///< elements of the result
};

/// A source whose axes are in the order of its memory: decreasing strides, and neighbours that are
/// both kept or both reduced merged where every leaf walks them as one. Axes that leaves walk
/// backwards only are reversed.
struct ArrangedSource {
    ReducedSource source;
    /// Where results belong: the kept axes in the order of `source`, as a view of the array of
    /// results. Nothing if the results are in that order already.
    std::optional<Dimensions> results;

    /// The place among the results of the one at `at` in the order of `source`.
    index_t result_place(index_t at) const { return results ? results->global_to_local(at) : at; }
    /// The elements of the kept axes at the end: 1 if a reduced axis is the last.
    index_t columns() const;
    /// The source as blocks of rows of `columns()` elements: other kept axes come first.
    Operand columns_last() const;
};

/// The number of leading axes that have `groups` elements together: those that are kept.
std::size_t kept_axes(ShapeSpan shape, index_t groups);

/// Arranges a source that keeps its leading axes, as many as have `groups` elements. False if it is
/// not computed from strided memory alone: then it is read in the order it is given in.
bool arrange(const Operand& source, index_t groups, ArrangedSource& arranged);

/// Results in memory, as the source of the next reduction: contiguous, along axes given by their
/// extents and kinds.
ReducedSource over_results(DType dtype, void* memory, const ReducedAxes& axes);

} // namespace purview::engine
