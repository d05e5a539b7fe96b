// Defines purview/evaluation/complex_numbers.hpp.
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/derivatives.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/opaque_stage.hpp>
#include <purview/expression/visit_node.hpp>

#include "engine/complex/complex_blocks.hpp"
#include "expression/node_map.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// The parts of complex numbers, of one shape.
struct Parts {
    Operand real, imaginary;
};

/// An expression over symbols in which all nodes of complex numbers that depend on these are parts.
class RealGraph {
public:
    explicit RealGraph(std::span<const Operand> roots) {
        for (const Node* const node : nodes_below(roots)) {
            if (!node->reads(Below::symbol)) continue;
            if (const auto* const stage = node_as<OpaqueStage>(*node); stage && divide(*stage))
                continue;
            if (is_complex(node->dtype())) {
                if (std::optional<Parts> found = parts_of(*node))
                    parts_.try_emplace(node, *std::move(found));
            } else if (std::ranges::any_of(nodes_of(*node), [&](const Node& below) {
                           return now_.contains(&below) || has_parts(below);
                       })) {
                if (std::optional<Operand> found = real_result(*node))
                    now_.try_emplace(node, *std::move(found));
            }
        }
    }
    Operand now(const Operand& x) const {
        const Operand* const found = now_.find(x.node.get());
        return found == nullptr ? x : replaced(x, *found);
    }

private:
    bool has_parts(const Node& node) const { return parts_.contains(&node); }

    /// Of real numbers, which stand beside complex ones, the imaginary part is 0.
    Parts parts(const Operand& z) const {
        if (const Parts* const found = parts_.find(z.node.get()))
            return {replaced(z, found->real), replaced(z, found->imaginary)};
        return {real_part(z), imaginary_part(z)};
    }
    static Operand whole(NodePtr node) {
        const ShapeSpan shape = shape_of(*node);
        return {std::move(node), Dimensions::row_major(shape)};
    }
    static Operand binary(Op op, const Operand& x, const Operand& y) {
        return binary_operand(op, x, y, x.dtype(), x.dtype());
    }

    /// A node of complex numbers. Nothing of a function that has no parts.
    std::optional<Parts> parts_of(const Node& node) const {
        if (const auto* const operation = node_as<Elementwise>(node)) {
            const auto* const function =
                dynamic_cast<const ComplexFunction*>(operation->function());
            return function == nullptr ? std::nullopt : parts_of(function->op(), *operation);
        }
        if (const auto* const result = node_as<StageResult>(node))
            if (const Divided* const stage = divided_.find(&result->source()))
                return parts_of(*stage, result->number() + 1);
        if (node.kind() != NodeKind::gather && node.kind() != NodeKind::piecewise)
            return std::nullopt;
        return Parts{whole(of_part(node, &Parts::real)), whole(of_part(node, &Parts::imaginary))};
    }
    std::optional<Parts> parts_of(ComplexOp op, const Elementwise& operation) const {
        if (op == ComplexOp::pair_up)
            return Parts{now(operation.operand(0)), now(operation.operand(1))};
        const auto [a, b] = parts(operation.operand(0));
        if (op == ComplexOp::negative || op == ComplexOp::conjugate) {
            const auto negative = [](const Operand& x) {
                return unary_operand(Op::negative, x, x.dtype());
            };
            return Parts{op == ComplexOp::negative ? negative(a) : a, negative(b)};
        }
        const auto [c, d] = parts(operation.operand(1));
        const auto product = [](const Operand& x, const Operand& y) {
            return binary(Op::multiply, x, y);
        };
        switch (op) {
        case ComplexOp::add: return Parts{binary(Op::add, a, c), binary(Op::add, b, d)};
        case ComplexOp::subtract:
            return Parts{binary(Op::subtract, a, c), binary(Op::subtract, b, d)};
        case ComplexOp::multiply:
            return Parts{binary(Op::subtract, product(a, c), product(b, d)),
                         binary(Op::add, product(a, d), product(b, c))};
        case ComplexOp::divide: {
            // By the larger part, so that no square overflows or vanishes; to derivatives it is a constant.
            const auto magnitude = [](const Operand& x) {
                return unary_operand(Op::absolute, x, x.dtype());
            };
            const Operand by = without_derivative(binary(Op::maximum, magnitude(c), magnitude(d)));
            const Operand e = binary(Op::divide, c, by), f = binary(Op::divide, d, by);
            const Operand size = binary(Op::add, product(c, e), product(d, f));
            return Parts{
                binary(Op::divide, binary(Op::add, product(a, e), product(b, f)), size),
                binary(Op::divide, binary(Op::subtract, product(b, e), product(a, f)), size)};
        }
        case ComplexOp::multiply_parts: return Parts{product(a, c), product(b, d)};
        case ComplexOp::divide_parts:
            return Parts{binary(Op::divide, a, c), binary(Op::divide, b, d)};
        default: return std::nullopt;
        }
    }
    /// The same node of one part of its complex operands.
    NodePtr of_part(const Node& node, Operand Parts::*part) const {
        std::vector<Operand> operands;
        for (const Operand& x : operands_of(node))
            operands.push_back(is_complex(x.dtype()) ? parts(x).*part : now(x));
        return with_operands(node, operands);
    }

    /// A node of real numbers over nodes that were replaced. Nothing where it has to stay.
    std::optional<Operand> real_result(const Node& node) const {
        if (const auto* const operation = node_as<Elementwise>(node)) {
            const auto* const function =
                dynamic_cast<const ComplexFunction*>(operation->function());
            if (function != nullptr) {
                const Parts z = parts(operation->operand(0));
                switch (function->op()) {
                case ComplexOp::real_part: return z.real;
                case ComplexOp::imaginary_part: return z.imaginary;
                case ComplexOp::absolute: return binary(Op::hypot, z.real, z.imaginary);
                default: break;
                }
            }
        }
        if (const auto* const result = node_as<StageResult>(node))
            if (const Divided* const stage = divided_.find(&result->source()))
                return stage->results[stage->firsts[result->number() + 1]];
        std::vector<Operand> operands;
        for (const Operand& x : operands_of(node)) {
            if (has_parts(*x.node)) return std::nullopt; // of a function that knows no parts
            operands.push_back(now(x));
        }
        NodePtr made = with_operands(node, operands);
        const Dimensions all = Dimensions::row_major(Shape{size_of(*made)});
        return Operand{std::move(made), all};
    }

    /// A stage that knows parts: all of its results, and which is the first one of each of its former ones.
    struct Divided {
        std::vector<Operand> results;
        std::vector<std::size_t> firsts;
    };
    static std::optional<Parts> parts_of(const Divided& stage, std::size_t number) {
        const std::size_t first = stage.firsts[number];
        return Parts{stage.results[first], stage.results[first + 1]};
    }
    bool divide(const OpaqueStage& stage) {
        const bool is_of_complex =
            std::ranges::any_of(stage.results(),
                                [](const ResultType& type) { return is_complex(type.dtype); }) ||
            std::ranges::any_of(stage.operands(),
                                [](const Operand& x) { return is_complex(x.dtype()); });
        std::shared_ptr<const StageFunction> function =
            is_of_complex ? stage.function().of_parts() : nullptr;
        if (function == nullptr) return false;
        std::vector<Operand> operands;
        for (const Operand& x : stage.operands()) {
            if (!is_complex(x.dtype())) {
                operands.push_back(now(x));
                continue;
            }
            Parts z = parts(x);
            operands.push_back(std::move(z.real));
            operands.push_back(std::move(z.imaginary));
        }
        Divided made{
            results_of_stage(make_node<OpaqueStage>(std::move(function), std::move(operands))), {}};
        std::size_t next = 0;
        for (const ResultType& type : stage.results()) {
            made.firsts.push_back(next);
            next += is_complex(type.dtype) ? 2 : 1;
        }
        if (is_complex(stage.dtype()))
            parts_.try_emplace(&stage, *parts_of(made, 0));
        else
            now_.try_emplace(&stage, made.results[0]);
        divided_.try_emplace(&stage, std::move(made));
        return true;
    }

    NodeMap<Parts> parts_; ///< of nodes of complex numbers
    NodeMap<Operand> now_; ///< what stands in the place of nodes of real numbers
    NodeMap<Divided> divided_;
};

} // namespace

std::vector<Operand> in_real_numbers(std::span<const Operand> y) {
    const std::vector<const Node*> nodes = nodes_below(y);
    std::vector<Operand> results(y.begin(), y.end());
    if (std::ranges::none_of(nodes, [](const Node* node) {
            return is_complex(node->dtype()) && node->reads(Below::symbol);
        }))
        return results;
    const RealGraph graph(y);
    for (Operand& each : results) each = graph.now(each);
    return results;
}

} // namespace purview
