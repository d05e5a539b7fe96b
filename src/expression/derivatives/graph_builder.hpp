#pragma once

#include "expression/derivatives/numbers.hpp"

#include <purview/expression/graph.hpp>
#include <purview/expression/loop.hpp>
#include <purview/expression/symbol.hpp>

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1::derivatives {

/// A function that a node calls, while it is put together.
class GraphBuilder {
public:
    /// A further argument, like an operand.
    Operand argument(DType dtype, ShapeSpan shape) {
        Operand operand = placeholder_operand(dtype, shape, placeholders_.size());
        placeholders_.push_back(operand.node);
        return operand;
    }
    Operand argument(const Operand& like) { return argument(like.dtype(), like.dims.max_shape()); }
    std::vector<Operand> arguments(std::span<const Operand> like) {
        std::vector<Operand> all;
        for (const Operand& each : like) all.push_back(argument(each));
        return all;
    }
    SharedGraph build(std::vector<Operand> outputs) {
        return std::make_shared<const TracedOutputs>(
            TracedOutputs{std::move(outputs), std::move(placeholders_)});
    }

private:
    std::vector<NodePtr> placeholders_;
};

/// The outputs of a graph for these arguments.
inline std::vector<Operand> outputs_for(const TracedOutputs& graph,
                                        std::span<const Operand> arguments) {
    std::vector<const Operand*> bindings;
    for (const Operand& argument : arguments) bindings.push_back(&argument);
    return Substitution(graph.outputs)(bindings);
}

inline void append(std::vector<Operand>& all, std::span<const Operand> more) {
    all.insert(all.end(), more.begin(), more.end());
}

/// Zeros of the type of derivatives by `x`, of its shape behind the leading axes.
inline Operand zeros_like(const Operand& x, ShapeSpan leading) {
    Shape shape = to_shape(leading);
    shape.insert(shape.end(), x.dims.max_shape().begin(), x.dims.max_shape().end());
    return Numbers(type_of_derivatives(x.dtype())).filled(0, shape);
}

/// Whether derivatives by elements of a type are taken.
inline bool has_slope(DType dtype) { return dtype.is_floating() || is_float16(dtype); }

/// Which of a loop's operands and results take part in derivatives. A state does where its first value does, or what
/// the step makes of those that do.
struct ActiveParts {
    ActiveParts(const Loop& loop, std::vector<bool> operands);

    std::vector<bool> operands; ///< of the step: states, inputs, others
    std::vector<bool> outputs;  ///< of the step: states, outputs
};

} // namespace purview::derivatives
