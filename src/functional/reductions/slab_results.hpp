#pragma once

#include <purview/functional/reductions/reduced_view.hpp>

#include <utility>

namespace purview::inline v0_1 {

/// The box of a view from `begin` on.
PURVIEW_EXPORT Dimensions box_from(Dimensions dims, ShapeSpan begin, ShapeSpan extents);

/// What functions make of slabs of an operand, put together.
class PURVIEW_EXPORT SlabResults {
public:
    SlabResults(const char* what, const Operand& source) : what_(what), source_(source) {}

    /// The part from `begin` on of a result of this shape. Throws `ShapeError` where another part had another shape.
    void add(const Operand& part, ShapeSpan begin, ShapeSpan shape);
    Operand take() && { return std::move(whole_); }

private:
    const char* what_;
    const Operand& source_;
    Operand whole_;
};

/// The results of `work` for an operand: of one over arrays of chunks for parts in memory, put together. Each result has
/// the shape of its part.
Operand worked_by_parts(const char* what, const Operand& x,
                        FunctionRef<Operand(const Operand&)> work);

/// The results of `work` for all groups of a view: of an operand over arrays of chunks, slab by slab.
Operand reduced_in_slabs(const char* what, const ReducedView& view,
                         FunctionRef<Operand(const ReducedView&)> work);

} // namespace purview
