#pragma once

#include "fold_axes.hpp"

#include "../kernels/lowered.hpp"

namespace purview::inline v0_1::gpu::detail {

/// The kernels that a fold consists of. Results go to a leaf on the device, one after the other.
class FoldKernels {
public:
    /// `whole` is what all of the fold is of: for errors, which the host finds again.
    FoldKernels(DeviceState& device, const work::Fold& fold, const Operand& whole)
        : device_(device), fold_(fold), whole_(whole), what_(name_of(fold.reduction).data()) {}

protected:
    Operand scratch(index_t size) const;

    /// One axis, or all that are reduced: threads fold parts, one element after the other; or eight threads, where the axis is the
    /// last one and the host has lanes. The results of parts are in the place of the axis.
    void fold_axes(const ReducedSource& source, std::optional<std::size_t> only, index_t part,
                   const Operand& out) const;

    /// All axes but the first `kept` ones, by chunks on lanes, which begin anew after `row` elements.
    void fold_groups(const Operand& source, std::size_t kept, index_t row,
                     const Operand& out) const;
    /// The same for groups of a few neighbours, on few lanes.
    void fold_neighbours(const Operand& source, std::size_t kept, const Operand& out) const;

    /// All elements, by panels of a few rows, where the host does: false if it does not. The source is in the order of memory.
    bool fold_panels(const Operand& source, const Walks& walks, const Operand& out) const;

    DeviceState& device_;
    const work::Fold& fold_;
    const Operand& whole_;
    const char* what_;

private:
    void fold_all(const Operand& source, std::size_t kept, Folding folding,
                  const Operand& out) const;
    void launch(const Operand& source, const Shape& strides, const Folding& folding,
                const Operand& out, index_t first = 0) const;
    /// Joins the partial results of chunks, as a counter carries.
    void join(Operand partial, index_t groups, index_t parts, const Operand& out) const;
};

} // namespace purview::gpu::detail
