#pragma once

#include <purview/expression/node.hpp>

#include <utility>

namespace purview::inline v0_1 {

/// The cumulative sums of an operand in a traced computation, along the middle axis of its elements
/// seen as `[outer, length, inner]`. Its address space is the shape of the operand, row-major.
class PURVIEW_EXPORT ScanNode final : public Node {
public:
    static constexpr NodeKind kKind = NodeKind::scan;
    ScanNode(Operand operand, index_t length, index_t inner)
        : Node(kKind, operand.dtype(), Kind::computed, Below::symbol),
          operand_(std::move(operand)),
          length_(length),
          inner_(inner) {}

    const Operand& operand() const noexcept { return operand_; }
    index_t length() const noexcept { return length_; }
    index_t inner() const noexcept { return inner_; }

    void read(const Dimensions& view, index_t begin, index_t count, void* out) const final;

private:
    Operand operand_;
    index_t length_;
    index_t inner_;
};

/// Cumulative sums along an axis, as an operand of the same shape. Precondition: the elements are
/// float32, float64 or integers of 64 bits. Lazy: computed when the computation is called.
PURVIEW_EXPORT Operand scan_operand(Operand x, std::size_t axis);

} // namespace purview
