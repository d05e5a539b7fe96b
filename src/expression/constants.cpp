#include "expression/constants.hpp"

#include <purview/expression/graph.hpp>

#include <purview/dimensions/broadcast.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/constant.hpp>

#include "dtype/element_block.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// A constant of a run-time type.
class BlockConstant final : public Constant {
public:
    BlockConstant(DType dtype, std::unique_ptr<ElementBlock> element) noexcept
        : Constant(dtype, element->data()), element_(std::move(element)) {}

private:
    std::unique_ptr<ElementBlock> element_;
};

bool is_constant_node(const Node& node) noexcept { return node.kind() == NodeKind::constant; }

template <typename T>
bool invert_if_exact(PlainNumber& number) {
    T value{};
    std::memcpy(&value, &number.bytes, sizeof(T));
    int exponent = 0;
    if (!std::isnormal(value) || std::abs(std::frexp(value, &exponent)) != T{0.5}) return false;
    const T reciprocal = T{1} / value;
    if (!std::isnormal(reciprocal)) return false;
    number = PlainNumber(reciprocal);
    return true;
}

} // namespace

NodePtr block_constant(DType dtype, const void* value) {
    auto element = std::make_unique<ElementBlock>(dtype, 1);
    dtype.descriptor().copy(value, element->data(), 1);
    return make_node<BlockConstant>(dtype, std::move(element));
}

NodePtr block_constant(const Operand& source) {
    auto element = std::make_unique<ElementBlock>(source.dtype(), 1);
    Evaluation(source).read(0, 1, element->data());
    return make_node<BlockConstant>(source.dtype(), std::move(element));
}

Operand computed_constant(Operand operation) {
    const auto& node = static_cast<const Elementwise&>(*operation.node);
    if (!std::ranges::all_of(nodes_of(node), is_constant_node)) return operation;
    try {
        return {block_constant({operation.node, Dimensions()}), Dimensions()};
    } catch (const std::bad_alloc&) {
        throw;
    } catch (...) {
        return operation;
    }
}

Operand folded(Operand operation) {
    const auto& node = static_cast<const Elementwise&>(*operation.node);
    if (node.op() == Op::map || operation.dims.size() == 0 ||
        !std::ranges::all_of(nodes_of(node), [](const Node& x) {
            return is_constant_node(x) && x.dtype().is_builtin();
        }))
        return operation;
    const Dimensions dims = dimensions::repeated(operation.dims.max_shape());
    Operand computed = computed_constant(std::move(operation));
    return is_constant(computed) ? Operand{std::move(computed.node), dims} : computed;
}

bool is_two(const Operand& exponent) {
    const auto* const constant = node_as<Constant>(*exponent.node);
    if (constant == nullptr) return false;
    const void* const value = constant->value();
    if (exponent.dtype().id() == TypeId::float64) return *static_cast<const double*>(value) == 2;
    return exponent.dtype().id() == TypeId::float32 && *static_cast<const float*>(value) == 2;
}

bool becomes_reciprocal(PlainNumber& divisor, DType dtype) {
    return (dtype.id() == TypeId::float64 && invert_if_exact<double>(divisor)) ||
           (dtype.id() == TypeId::float32 && invert_if_exact<float>(divisor));
}

void multiply_if_exact(Op& op, NodePtr& divisor) {
    const DType dtype = divisor->dtype();
    if (op != Op::divide || divisor->kind() != NodeKind::constant || !dtype.is_builtin()) return;
    PlainNumber number = number_of(*divisor);
    if (!becomes_reciprocal(number, dtype)) return;
    divisor = make_node<NumberConstant>(dtype, number);
    op = Op::multiply;
}

} // namespace purview
