#include <purview/functional/elementwise/maths.hpp>

#include "functional/elementwise/operations_in.hpp"

namespace purview::inline v0_1 {

Operand traced_clamp(const Operand& clamped) {
    const auto operation = [](const Operand& x, Op op) -> const Elementwise* {
        const auto* const node = node_as<Elementwise>(*x.node);
        return node != nullptr && node->op() == op ? node : nullptr;
    };
    const Elementwise* const outer = operation(clamped, Op::minimum);
    if (outer == nullptr) return clamped; // of constants
    Operand raised = outer->operand(0);
    while (const Elementwise* const cast = operation(raised, Op::cast)) raised = cast->operand(0);
    const Elementwise* const inner = operation(raised, Op::maximum);
    if (inner == nullptr) return clamped;
    const DType dtype = clamped.dtype();
    const OperationsIn of(dtype);
    const Operand x = cast_operand(inner->operand(0), dtype, Op::cast);
    const Operand is_within =
        binary_operand(Op::logical_and, of.binary(Op::greater_equal, x, inner->operand(1)),
                       of.binary(Op::less_equal, x, outer->operand(1)), boolean, boolean);
    return choose_operand(is_within, x, clamped, dtype);
}

} // namespace purview
