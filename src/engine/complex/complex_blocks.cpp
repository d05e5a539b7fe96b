#include "engine/complex/complex_blocks.hpp"

#include "engine/kernels/table/lane_selection.hpp"

#include <cstddef>

namespace purview::inline v0_1::engine {
namespace {

/// In the order of `ComplexOp`.
constexpr const char* kWords[] = {"add",     "subtract", "multiply", "divide", "multiply", "divide",
                                  "complex", "negative", "conj",     "real",   "imag",     "abs"};

} // namespace

ComplexFunction::ComplexFunction(ComplexOp op, DType part)
    : LibraryFunction(FunctionName(kWords[static_cast<std::size_t>(op)], op)),
      op_(op),
      block_(lane_kernels().find_complex(op, part.id())) {}

void ComplexFunction::apply(index_t count, void* out, const void* const* operands) const {
    block_(operands[0], operands[has_two_operands(op_) ? 1 : 0], out, count);
}

bool is_complex_product(const Elementwise& operation) noexcept {
    const auto* const function = dynamic_cast<const ComplexFunction*>(operation.function());
    return function != nullptr && function->op() == ComplexOp::multiply;
}

} // namespace purview::engine
