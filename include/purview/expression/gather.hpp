#pragma once

#include <purview/expression/node.hpp>
#include <purview/expression/operation_name.hpp>

#include <memory>
#include <span>
#include <string>
#include <utility>

namespace purview::inline v0_1 {

/// Where one axis of a gathered source is read: at the coordinate of an axis of the result, or at a
/// computed index. Several axes of the source may name the same one.
struct GatherAxis {
    bool computed = false;
    index_t number = 0; ///< the axis of the result, or the index operand
    // For errors:
    index_t shown = -1; ///< the number of the axis that messages show; -1: its own number
    std::string name;   ///< the name of the axis in messages; empty: "axis 1"
    std::string over;   ///< the dims of the index, as messages show them: "(i, k)"

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
    /// Whether both read at the same place. Ignores the members that only change error messages.
    friend bool operator==(const GatherAxis& a, const GatherAxis& b) noexcept {
        return a.computed == b.computed && a.number == b.number;
    }
};
using GatherAxes = InlineVector<GatherAxis, 2>;

/// Elements of a source at computed indexes: element g is `source[c_0, c_1, …]`, where c_a is
/// either the coordinate of g along an axis of the result, or element g of an index operand. Its
/// address space is its shape, row-major. A gather from a sparse source is sparse, whatever the
/// indexes are.
class PURVIEW_EXPORT Gather final : public Node {
public:
    static constexpr NodeKind kKind = NodeKind::gather;
    using Operands = InlineVector<Operand, 2>;

    /// `operands` are the source, then the indexes, which are int64 and broadcast to `shape`.
    Gather(OperationName name, Operands operands, GatherAxes axes, ShapeSpan shape)
        : Node(kKind, operands[0].dtype()),
          name_(std::move(name)),
          operands_(std::move(operands)),
          axes_(std::move(axes)),
          shape_(to_shape(shape)) {
        // Undecided if the source's kind is undecided.
        const Kind source = operands_[0].node->known_storage_kind();
        const bool may_be_sparse = source == Kind::sparse || source == kUndecided;
        Below below = Below::nothing;
        // A computed source is evaluated once for each element gathered from it.
        int recomputations = is_computed(*operands_[0].node) ? 1 : 0;
        for (const Operand& operand : operands_) {
            below = below | operand.node->below();
            if (operand.node->recomputations() > recomputations)
                recomputations = operand.node->recomputations();
        }
        set_recomputations(kRecomputedByGather + recomputations);
        set_storage_kind(may_be_sparse ? source : Kind::computed, below);
        find_view();
    }

    /// The operation that made this node, for error messages.
    const char* what() const noexcept { return name_.text(); }
    const OperationName& name() const noexcept { return name_; }
    std::span<const Operand> operands() const noexcept {
        return {operands_.data(), operands_.size()};
    }
    const Operand& source() const noexcept { return operands_[0]; }
    std::span<const Operand> indexes() const noexcept { return operands().subspan(1); }
    const GatherAxes& axes() const noexcept { return axes_; }
    ShapeSpan shape() const noexcept { return shape_; }
    /// The view of the source's node that has the same elements, where all indexes are known to be in
    /// range and to follow each other at one step, round the axis or not: `a(where(i + 1 < n, i + 1, 0))`
    /// rotates a. Else null.
    const Dimensions* view() const noexcept { return view_.get(); }

    void read(const Dimensions& view, index_t begin, index_t count, void* out) const final;

private:
    void find_view();

    OperationName name_;
    Operands operands_;
    GatherAxes axes_;
    Shape shape_;
    std::unique_ptr<const Dimensions> view_;
};

/// The gather node of an operand, or null if its node is of another kind.
inline const Gather* gather_of(const Operand& operand) noexcept {
    return node_as<Gather>(*operand.node);
}

/// A gather as an operand of `shape`. `axes` has one entry per axis of the source. Indexes may be
/// of any integer type and are broadcast to `shape` by NumPy's rule. What is gathered from a gather
/// along other axes becomes one gather of both. Lazy, O(1): indexes are read
/// when elements are read, and an index outside of [-n, n) throws `IndexError` then, naming `what`,
/// the axis, the index and n. A sparse source gives a sparse operand, realised in O(indexes +
/// stored + results stored). Throws `ShapeError` naming `what` where shapes do not broadcast,
/// `DtypeError` for indexes that are not integers.
PURVIEW_EXPORT Operand gather_operand(OperationName what, Operand source, GatherAxes axes,
                                      std::span<const Operand> indexes, ShapeSpan shape);

} // namespace purview
