#include "expression/constants.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/constant.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// Whether an operand is a constant of a built-in type.
bool is_builtin_constant(const Operand& operand) noexcept {
    return operand.node->kind() == NodeKind::constant && operand.dtype().is_builtin();
}

template <typename T>
void multiply_by_reciprocal(Op& op, NodePtr& divisor) {
    const T value = *static_cast<const T*>(static_cast<const Constant&>(*divisor).value());
    int exponent = 0;
    if (!std::isnormal(value) || std::abs(std::frexp(value, &exponent)) != T{0.5}) return;
    const T reciprocal = T{1} / value;
    if (!std::isnormal(reciprocal)) return;
    divisor = make_node<ConstantOf<T>>(reciprocal);
    op = Op::multiply;
}

} // namespace

Operand folded(Operand operation) {
    const auto& node = static_cast<const Elementwise&>(*operation.node);
    if (node.op() == Op::map || !std::ranges::all_of(node.operands(), is_builtin_constant))
        return operation;
    if (operation.dims.size() == 0) return operation;
    try {
        return visit_dtype(node.dtype(), name_of(node.op()).data(),
                           [&]<typename T>(std::type_identity<T>) {
                               T value{};
                               Evaluation(Operand{operation.node, Dimensions()}).read(0, 1, &value);
                               return constant_operand<T>(value, operation.dims.max_shape());
                           });
    } catch (const Error&) {
        return operation;
    }
}

bool is_two(const Operand& exponent) {
    if (exponent.node->kind() != NodeKind::constant) return false;
    const void* const value = static_cast<const Constant&>(*exponent.node).value();
    if (exponent.dtype().id() == TypeId::float64) return *static_cast<const double*>(value) == 2;
    return exponent.dtype().id() == TypeId::float32 && *static_cast<const float*>(value) == 2;
}

void multiply_if_exact(Op& op, NodePtr& divisor) {
    if (op != Op::divide || divisor->kind() != NodeKind::constant) return;
    if (divisor->dtype().id() == TypeId::float64) multiply_by_reciprocal<double>(op, divisor);
    if (divisor->dtype().id() == TypeId::float32) multiply_by_reciprocal<float>(op, divisor);
}

} // namespace purview
