#pragma once

#include <purview/evaluation/work.hpp>

#include "engine/contract/product_tree.hpp"

#include <cstddef>
#include <string>

namespace purview::inline v0_1::engine {

/// A product of a sparse factor and an expression over arrays of chunks, summed: for a slab of the dense factor after
/// the other, all along the axes that both have, as many coordinates of the others as the memory limit lets. Each
/// chunk is read once.
class SparseBySlabs {
public:
    /// Whether it can be done so. Asked once; the source has to outlive this.
    bool find(const work::Fold& fold, const Operand& source);
    /// Sums are not divided.
    void run(std::byte* out) const;
    std::string describe() const;

private:
    Operand slab_in_root(const Operand& slab, ShapeSpan extents) const;

    const Operand* source_ = nullptr;
    std::size_t kept_ = 0;  ///< axes of the result, which are the first ones
    std::size_t dense_ = 0; ///< which factor is
    Operand sparse_factor_; ///< from the root's coordinates
    Operand
        dense_factor_; ///< over its own axes; such that follow several of an array are taken apart
    Shape axes_;       ///< of the root, of which these are
    Shape whole_;      ///< of its axes, all along which slabs are
};

} // namespace purview::engine
