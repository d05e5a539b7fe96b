#pragma once

#include <purview/expression/loop.hpp>
#include <purview/expression/opaque_stage.hpp>
#include <purview/functional/applied/traced_function.hpp>
#include <purview/linalg/iterative.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace purview::inline v0_1::linalg {

/// A linear function in a traced computation: a graph of a vector and of what it captures besides.
class LinearGraph {
public:
    LinearGraph(SharedGraph graph, DType dtype);

    ShapeSpan from() const noexcept { return from_; }
    ShapeSpan to() const noexcept { return graph_->outputs[0].dims.max_shape(); }
    const TracedFunction& product() const noexcept { return product_; }
    /// Of a vector at which the derivative is taken, of what is captured, and of what it multiplies; made when it is first
    /// asked for.
    const TracedFunction& adjoint() const;

    /// The products with vectors that have leading axes, as an expression; `captured` are those of the graph.
    Operand apply(const Operand& x, std::size_t lead, std::span<const Operand> captured,
                  bool is_adjoint) const;

private:
    SharedGraph graph_;
    DType dtype_;
    Shape from_;
    TracedFunction product_;
    mutable std::once_flag made_;
    mutable std::unique_ptr<const TracedFunction> adjoint_;
};

/// A call of an iterative method in a traced computation, of right sides with leading axes, and of what the operator
/// captures. Its results are x, iterations and residuals.
class IterativeStage final : public StageFunction {
public:
    /// Of an operator that captures nothing, or of a graph.
    IterativeStage(IterativeRequest request, std::shared_ptr<const LinearGraph> graph,
                   bool is_adjoint)
        : request_(std::move(request)),
          graph_(std::move(graph)),
          is_adjoint_(is_adjoint),
          name_(std::string("linalg.") + name_of(request_.method)) {}

    std::string_view name() const noexcept override { return name_; }
    std::vector<ResultType> results(std::span<const Operand> operands) const override;
    void run(std::span<const Operand> operands, std::span<void* const> outs) const override;
    bool does_same(const StageFunction& other) const noexcept override { return this == &other; }
    Derivatives reverse(std::span<const Operand> operands, std::span<const Operand> results,
                        const Derivatives& seeds, std::size_t lead) const override;
    Derivatives forward(std::span<const Operand> operands, std::span<const Operand> results,
                        const Derivatives& tangents, ShapeSpan leading) const override;

private:
    /// The shape of a right side.
    ShapeSpan right_shape() const;
    std::size_t leading_axes(const Operand& right) const {
        return static_cast<std::size_t>(right.dims.rank()) - right_shape().size();
    }
    /// Solutions of other right sides, by the same operator or its adjoint.
    Operand solved(const Operand& right, std::span<const Operand> captured, bool by_adjoint) const;

    IterativeRequest request_;
    std::shared_ptr<const LinearGraph> graph_; ///< null where `request_.matrix` is what multiplies
    bool is_adjoint_;
    std::string name_;
};

} // namespace purview::linalg
