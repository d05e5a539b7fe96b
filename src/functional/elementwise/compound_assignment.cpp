#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/replace.hpp>
#include <purview/evaluation/scatter.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/functional/elementwise/compound_assignment.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {

void update_operand(const char* what, Op op, const Operand& values, const Operand& destination) {
    // What is computed with a float of 16 bits is rounded once, when it is stored.
    const DType dtype = is_float16(destination.dtype()) ? float32 : destination.dtype();
    const bool alone = is_writable(destination);
    if (!alone && !destination.dtype().is_builtin()) throw_read_only(what, destination);
    if (is_complex(dtype) && has_complex_binary(op))
        return replace_elements(
            complex_binary(op, destination,
                           scattered_operand(what, values, destination, values.dtype()), dtype),
            destination);
    if (!supports(op, dtype))
        throw DtypeError(
            fmt::format("{}: not defined for elements of type {}", what, dtype.name()));
    const Operand source = scattered_operand(what, values, destination, dtype);
    if (!alone && op == Op::add) return scatter(what, ScatterKind::add, source, destination);
    if (!alone && op == Op::subtract)
        return scatter(what, ScatterKind::add, unary_operand(Op::negative, source, dtype),
                       destination);
    if (!alone) throw_read_only(what, destination);
    replace_elements(cast_operand(binary_operand(op, destination, source, dtype, dtype),
                                  destination.dtype(), Op::cast),
                     destination);
}

void update_any(const char* what, Op op, WeakOperand values, const Operand& destination) {
    if (is_complex(destination.dtype()))
        return update_operand(what, op, values.operand, destination);
    WeakOperand x{destination, false};
    const DType computed = computed_dtype(what, x, values);
    if (computed.is_floating() && !x.operand.dtype().is_floating())
        throw DtypeError(fmt::format(
            "{}: the result is of type {}, and the destination holds {}; cast one of them", what,
            computed.name(), destination.dtype().name()));
    update_operand(what, op, values.operand, destination);
}

} // namespace purview
