#pragma once

#include <purview/dimensions/affine_index.hpp>
#include <purview/expression/node.hpp>

#include <span>
#include <utility>

namespace purview::inline v0_1 {

class Deferred;
PURVIEW_EXPORT void intrusive_ptr_add_ref(const Deferred* deferred) noexcept;
PURVIEW_EXPORT void intrusive_ptr_release(const Deferred* deferred) noexcept;

/// An operand with bound dims: its axes are those dims, in order, followed by the positional axes.
/// Or a deferred operation, which waits until its dims have sizes; then there is no operand yet.
/// (Copied and destroyed in src, as every function of every program does it.)
struct PURVIEW_EXPORT DimOperand {
    Operand operand;
    DimVector dims;
    IntrusivePointer<const Deferred> deferred;

    DimOperand();
    DimOperand(Operand x, DimVector bound) : operand(std::move(x)), dims(std::move(bound)) {}
    DimOperand(const DimOperand&);
    DimOperand(DimOperand&&) noexcept;
    DimOperand& operator=(const DimOperand&);
    DimOperand& operator=(DimOperand&&) noexcept;
    ~DimOperand();

    bool is_deferred() const noexcept { return deferred != nullptr; }
    int dim_count() const noexcept { return static_cast<int>(dims.size()); }
};

/// An operand with its dims: that of a tensor, without any; the values of a Dim or of an index
/// expression.
inline DimOperand dim_operand(const Operand& operand) { return {operand, {}}; }
inline DimOperand dim_operand(Operand&& operand) { return {std::move(operand), {}}; }
PURVIEW_EXPORT DimOperand dim_operand(const AffineIndex& index);

/// Brings the operands of one operation, none of which is deferred, to the union of their dims, in
/// order of first appearance, and to one number of positional axes. Writes them to `aligned` and
/// returns the dims. Reads no element.
PURVIEW_EXPORT DimVector align_dims(std::span<const DimOperand* const> operands,
                                    std::span<Operand> aligned);

} // namespace purview
