#pragma once

#include <purview/expression/node.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace purview {

/// Several operands side by side: each fills a box of the shape, and the boxes fill the shape. What `concat`,
/// `stack` and `pad` make. Its address space is its shape, row-major.
class PURVIEW_EXPORT Piecewise final : public Node {
public:
    Piecewise(const char* what, std::vector<Operand> pieces, std::vector<Shape> begins,
              ShapeSpan shape)
        : Node(NodeKind::piecewise, pieces[0].dtype()),
          what_(what),
          pieces_(std::move(pieces)),
          begins_(std::move(begins)),
          shape_(to_shape(shape)) {
        bool may_be_sparse = true;
        bool undecided = false;
        bool reads_sparse = false;
        int nesting = 0;
        int computed = 0;
        for (const Operand& piece : pieces_) {
            computed += purview::is_computed(*piece.node) ? 1 : 0;
            if (piece.node->nesting() > nesting) nesting = piece.node->nesting();
            may_be_sparse &= piece.node->may_be_sparse();
            undecided |= piece.node->known_kind() == kUndecided;
            reads_sparse |= piece.node->reads_sparse();
        }
        reveal(!may_be_sparse || !reads_sparse ? Kind::computed
               : undecided                     ? kUndecided
                                               : Kind::sparse,
               reads_sparse);
        // Each piece is evaluated on its own, whatever it shares with another.
        set_nesting(kBoundary + nesting + (computed > 1 ? 1 : 0));
    }

    /// The operation that made it, for errors.
    const char* what() const noexcept { return what_; }
    /// The contents of the boxes; of one type.
    std::span<const Operand> operands() const noexcept { return pieces_; }
    /// Where the boxes begin.
    const std::vector<Shape>& begins() const noexcept { return begins_; }
    ShapeSpan shape() const noexcept { return shape_; }

private:
    const char* what_;
    std::vector<Operand> pieces_;
    std::vector<Shape> begins_;
    Shape shape_;
};

/// The piecewise node an operand looks at, or null.
inline const Piecewise* piecewise_of(const Operand& operand) noexcept {
    return operand.node->kind() == NodeKind::piecewise
               ? static_cast<const Piecewise*>(operand.node.get())
               : nullptr;
}

/// Pieces of one type as an operand of `shape`, each in the box that begins at its place in `begins`. Pieces without
/// elements are left out, and one that fills the shape is returned as it is. Precondition: the boxes lie in the
/// shape, and fill it without overlap. `what` is kept: a literal. Lazy, O(pieces).
PURVIEW_EXPORT Operand piecewise_operand(const char* what, std::vector<Operand> pieces,
                                         std::vector<Shape> begins, ShapeSpan shape);

/// One behind the other along an axis, which may count from the end. Types are equal; so are shapes, but for
/// that axis. Throws `ShapeError` naming `what` and both shapes, or for no operands; `IndexError` for the axis.
PURVIEW_EXPORT Operand concat_operand(const char* what, std::vector<Operand> operands,
                                      index_t axis);

} // namespace purview
