#pragma once

#include <purview/expression/node.hpp>

#include <boost/container/small_vector.hpp>

#include <span>
#include <string>
#include <utility>

namespace purview {

/// What one axis of a gathered source is read at: the coordinate of an axis of the result, or an index
/// that is computed. Several axes of the source may be read at one.
struct GatherAxis {
    bool computed = false;
    index_t number = 0; ///< of the axis of the result, or of the index operand
    // For errors:
    index_t shown = -1; ///< as which axis a caller knows it; -1: by its own number
    std::string name;   ///< what a caller calls it; empty: "axis 1"
    std::string over;   ///< the dims that the index has: "(i, k)"

    static GatherAxis along(index_t result_axis) {
        GatherAxis axis;
        axis.number = result_axis;
        return axis;
    }
    static GatherAxis at(index_t index, std::string name = {}) {
        GatherAxis axis = along(index);
        axis.computed = true;
        axis.name = std::move(name);
        return axis;
    }
    /// Whether both read alike; where an index is out of range they may differ in words.
    friend bool operator==(const GatherAxis& a, const GatherAxis& b) noexcept {
        return a.computed == b.computed && a.number == b.number;
    }
};
using GatherAxes = boost::container::small_vector<GatherAxis, 2>;

/// Elements of a source at computed indexes: element g is `source[c_0, c_1, …]`, where c_a is g at an axis
/// of the result, or the element g of an index operand. Its address space is its shape, row-major. Of a sparse
/// source it is sparse, whatever the indexes are.
class PURVIEW_EXPORT Gather final : public Node {
public:
    using Operands = boost::container::small_vector<Operand, 2>;

    /// The source, then the indexes: int64, seen through the result's shape.
    Gather(const char* what, Operands operands, GatherAxes axes, ShapeSpan shape)
        : Node(NodeKind::gather, operands[0].dtype()),
          what_(what),
          operands_(std::move(operands)),
          axes_(std::move(axes)),
          shape_(to_shape(shape)) {
        // Undecided where the source is.
        const Kind source = operands_[0].node->known_kind();
        const bool may_be_sparse = source == Kind::sparse || source == kUndecided;
        bool reads_sparse = false;
        // Elements of a computed source are evaluated one by one.
        int nesting = is_computed(*operands_[0].node) ? 1 : 0;
        for (const Operand& operand : operands_) {
            reads_sparse |= operand.node->reads_sparse();
            if (operand.node->nesting() > nesting) nesting = operand.node->nesting();
        }
        set_nesting(kBoundary + nesting);
        reveal(may_be_sparse ? source : Kind::computed, reads_sparse);
    }

    /// The operation that made it, for errors.
    const char* what() const noexcept { return what_; }
    std::span<const Operand> operands() const noexcept {
        return {operands_.data(), operands_.size()};
    }
    const Operand& source() const noexcept { return operands_[0]; }
    std::span<const Operand> indexes() const noexcept { return operands().subspan(1); }
    const GatherAxes& axes() const noexcept { return axes_; }
    ShapeSpan shape() const noexcept { return shape_; }

private:
    const char* what_;
    Operands operands_;
    GatherAxes axes_;
    Shape shape_;
};

/// The gather an operand looks at, or null.
inline const Gather* gather_of(const Operand& operand) noexcept {
    return operand.node->kind() == NodeKind::gather ? static_cast<const Gather*>(operand.node.get())
                                                    : nullptr;
}

/// A gather as an operand of `shape`. `axes` has an entry for each axis of the source. Indexes are of any
/// integer type and broadcast to `shape` by NumPy's rule. Lazy, O(1): indexes are read when elements are, and an
/// element whose index lies outside of [-n, n) is an `IndexError` then, naming `what`, the axis, the index
/// and n. A sparse source gives a sparse operand, realised in O(indexes + stored + results stored). Throws `ShapeError`, naming `what`, where shapes do not fit together, `DtypeError` for indexes that are
/// no integers. `what` is kept: a literal.
PURVIEW_EXPORT Operand gather_operand(const char* what, Operand source, GatherAxes axes,
                                      std::span<const Operand> indexes, ShapeSpan shape);

} // namespace purview
