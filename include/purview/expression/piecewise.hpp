#pragma once

#include <purview/expression/node.hpp>
#include <purview/expression/operation_name.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

/// Several operands put together: each fills a box of the shape, and the boxes fill the shape. What
/// `concat`, `stack` and `pad` make. Its address space is its shape, row-major.
class PURVIEW_EXPORT Piecewise final : public Node {
public:
    static constexpr NodeKind kKind = NodeKind::piecewise;
    Piecewise(OperationName name, std::vector<Operand> pieces, std::vector<Shape> begins,
              ShapeSpan shape)
        : Node(kKind, pieces[0].dtype()),
          name_(std::move(name)),
          pieces_(std::move(pieces)),
          begins_(std::move(begins)),
          shape_(to_shape(shape)) {
        bool may_be_sparse = true;
        bool undecided = false;
        Below below = Below::nothing;
        int recomputations = 0;
        int computed = 0;
        for (const Operand& piece : pieces_) {
            computed += purview::is_computed(*piece.node) ? 1 : 0;
            if (piece.node->recomputations() > recomputations)
                recomputations = piece.node->recomputations();
            may_be_sparse &= piece.node->may_be_sparse();
            undecided |= piece.node->known_storage_kind() == kUndecided;
            below = below | piece.node->below();
        }
        set_storage_kind(!may_be_sparse || (below & Below::sparse) == Below::nothing
                             ? Kind::computed
                         : undecided ? kUndecided
                                     : Kind::sparse,
                         below);
        // Each piece is evaluated separately, so nodes that several pieces share are computed for
        // each.
        set_recomputations(kRecomputedByGather + recomputations + (computed > 1 ? 1 : 0));
    }

    /// The operation that made this node, for error messages.
    const char* what() const noexcept { return name_.text(); }
    const OperationName& name() const noexcept { return name_; }
    /// The contents of the boxes, all of one element type.
    std::span<const Operand> operands() const noexcept { return pieces_; }
    /// The first coordinates of each box.
    const std::vector<Shape>& begins() const noexcept { return begins_; }
    ShapeSpan shape() const noexcept { return shape_; }

    void read(const Dimensions& view, index_t begin, index_t count, void* out) const final;

private:
    OperationName name_;
    std::vector<Operand> pieces_;
    std::vector<Shape> begins_;
    Shape shape_;
};

/// The piecewise node of an operand, or null if its node is of another kind.
inline const Piecewise* piecewise_of(const Operand& operand) noexcept {
    return node_as<Piecewise>(*operand.node);
}

/// Pieces of one type as an operand of `shape`; piece i fills the box that begins at the
/// coordinates `begins[i]`. Pieces without elements are left out, and a single piece that fills the
/// shape is returned as it is. Precondition: the boxes lie within the shape and fill it without
/// overlap. Lazy, O(pieces).
PURVIEW_EXPORT Operand piecewise_operand(OperationName what, std::vector<Operand> pieces,
                                         std::vector<Shape> begins, ShapeSpan shape);

/// The operands concatenated along `axis`, which may count from the end. All have one type, and
/// equal shapes except along that axis. Throws `ShapeError` naming `what` and both shapes, or for
/// an empty list of operands; `IndexError` for an axis out of range.
PURVIEW_EXPORT Operand concat_operand(const char* what, std::vector<Operand> operands,
                                      index_t axis);

} // namespace purview
