#include "iterative_stage.hpp"

#include "elements_of.hpp"
#include "matrix_work.hpp"

#include "functional/applied/loops/captured_operands.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/program.hpp>
#include <purview/expression/derivatives.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/graph.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/symbol.hpp>
#include <purview/tensor/views.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1::linalg {
namespace {

/// A placeholder, whole.
Operand whole(const NodePtr& placeholder) {
    return {placeholder,
            Dimensions::row_major(static_cast<const SymbolNode&>(*placeholder).shape())};
}
std::vector<ArgumentSpec> specs_of(std::span<const NodePtr> placeholders) {
    std::vector<ArgumentSpec> specs;
    for (const NodePtr& placeholder : placeholders) {
        const Operand operand = whole(placeholder);
        specs.push_back({operand.dtype(), to_shape(operand.dims.max_shape())});
    }
    return specs;
}
std::vector<TracedOutputs> only(TracedOutputs traced) {
    std::vector<TracedOutputs> all;
    all.push_back(std::move(traced));
    return all;
}
std::vector<Operand> outputs_for(std::span<const Operand> outputs,
                                 std::span<const Operand> arguments) {
    std::vector<const Operand*> bindings;
    for (const Operand& argument : arguments) bindings.push_back(&argument);
    return Substitution(outputs)(bindings);
}
/// Placeholders like operands.
std::vector<Operand> placeholders_like(std::span<const Operand> operands) {
    std::vector<Operand> all;
    for (const Operand& x : operands)
        all.push_back(placeholder_operand(x.dtype(), x.dims.max_shape(), all.size()));
    return all;
}
Operand zeros_of(DType dtype, ShapeSpan shape) {
    return visit_matrix_dtype(
        dtype, [&]<typename T>(std::type_identity<T>) { return full<T>(shape, T{}).operand(); });
}
template <typename F>
Operand as_symbols(const F& f, const Operand& x) {
    if (x.dtype() == float32) return f(Symbol<float>(x)).operand();
    return f(Symbol<double>(x)).operand();
}
Operand negative(const Operand& x) {
    return as_symbols([](const auto& y) { return -y; }, x);
}
Operand difference(const Operand& x, const Operand& y) {
    return as_symbols(
        [&](const auto& left) { return left - std::remove_cvref_t<decltype(left)>(y); }, x);
}

/// The products of a graph, of what it has captured in this call.
class GraphOperator final : public LinearOperator {
public:
    GraphOperator(const LinearGraph& graph, DType dtype, std::span<const Operand> captured)
        : LinearOperator(to_shape(graph.from()), to_shape(graph.to())),
          graph_(graph),
          zeros_(zeros_of(dtype, graph.from())),
          captured_(captured) {}

    void apply(const Operand& x, const Operand& y) const override {
        std::vector<const Operand*> bindings{&x};
        for (const Operand& each : captured_) bindings.push_back(&each);
        run(graph_.product(), bindings, y);
    }
    void apply_adjoint(const Operand& x, const Operand& y) const override {
        std::vector<const Operand*> bindings{&zeros_};
        for (const Operand& each : captured_) bindings.push_back(&each);
        bindings.push_back(&x);
        run(graph_.adjoint(), bindings, y);
    }

private:
    static void run(const TracedFunction& function, const std::vector<const Operand*>& bindings,
                    const Operand& y) {
        const Bindings given(bindings.data(), bindings.size());
        std::shared_ptr<const Program> keep;
        const Destination out(leaf_of(y)->writable_memory().data);
        function.program_for(given, keep).run(given, {&out, 1});
    }

    const LinearGraph& graph_;
    Operand zeros_;
    std::span<const Operand> captured_;
};

/// What multiplies by the adjoint of another one.
class AdjointOperator final : public LinearOperator {
public:
    explicit AdjointOperator(OperatorPtr a)
        : LinearOperator(to_shape(a->to()), to_shape(a->from())), a_(std::move(a)) {}
    void apply(const Operand& x, const Operand& y) const override { a_->apply_adjoint(x, y); }
    void apply_adjoint(const Operand& x, const Operand& y) const override { a_->apply(x, y); }

private:
    OperatorPtr a_;
};

} // namespace

LinearGraph::LinearGraph(SharedGraph graph, DType dtype)
    : graph_(std::move(graph)),
      dtype_(dtype),
      from_(to_shape(whole(graph_->placeholders[0]).dims.max_shape())),
      product_(specs_of(graph_->placeholders), only(*graph_)) {}

const TracedFunction& LinearGraph::adjoint() const {
    std::call_once(made_, [&] {
        TracedOutputs made{{}, graph_->placeholders};
        const Operand x = placeholder_operand(dtype_, to(), made.placeholders.size());
        made.placeholders.push_back(x.node);
        const Operand at = whole(graph_->placeholders[0]);
        made.outputs = reverse_derivatives(graph_->outputs, {&x, 1}, 0, {&at, 1});
        std::vector<ArgumentSpec> specs = specs_of(made.placeholders);
        adjoint_ = std::make_unique<const TracedFunction>(std::move(specs), only(std::move(made)));
    });
    return *adjoint_;
}

Operand LinearGraph::apply(const Operand& x, std::size_t lead, std::span<const Operand> captured,
                           bool is_adjoint) const {
    std::vector<Operand> arguments{x};
    arguments.insert(arguments.end(), captured.begin(), captured.end());
    if (lead == 0 && !is_adjoint) return outputs_for(graph_->outputs, arguments)[0];
    // A linear function is its own derivative, at 0 as anywhere, and that is of many vectors at once.
    const Operand vectors =
        placeholder_operand(dtype_, x.dims.max_shape(), graph_->placeholders.size());
    const Operand at = whole(graph_->placeholders[0]);
    const Operand product =
        is_adjoint ? reverse_derivatives(graph_->outputs, {&vectors, 1}, lead, {&at, 1})[0]
                   : forward_derivative(graph_->outputs[0], {&at, 1}, {&vectors, 1}, lead);
    arguments[0] = zeros_of(dtype_, from_);
    arguments.push_back(x);
    return outputs_for({&product, 1}, arguments)[0];
}

ShapeSpan IterativeStage::right_shape() const {
    if (graph_ != nullptr) return is_adjoint_ ? graph_->from() : graph_->to();
    return request_.matrix->to(); // of an adjoint, too
}

std::vector<ResultType> IterativeStage::results(std::span<const Operand> operands) const {
    const Operand& right = operands[0];
    const ShapeSpan shape = right.dims.max_shape(), own = right_shape();
    if (right.dtype() != request_.dtype || shape.size() < own.size() ||
        !std::ranges::equal(shape.last(own.size()), own))
        throw ShapeError(
            fmt::format("{}: the operator gives vectors of {}, the right side is of {}",
                        name_of(request_.method), to_string(own), to_string(shape)));
    Shape leading(shape.begin(), shape.end() - static_cast<std::ptrdiff_t>(own.size()));
    return {{request_.dtype, to_shape(shape)}, {int64, leading}, {float64, leading}};
}

void IterativeStage::run(std::span<const Operand> operands, std::span<void* const> outs) const {
    IterativeRequest request = request_;
    if (graph_ != nullptr)
        request.matrix =
            std::make_shared<const GraphOperator>(*graph_, request_.dtype, operands.subspan(1));
    if (graph_ != nullptr && is_adjoint_)
        request.matrix = std::make_shared<const AdjointOperator>(std::move(request.matrix));
    const auto own = right_shape();
    const index_t size = Dimensions::row_major(own).size();
    visit_matrix_dtype(request_.dtype, [&]<typename T>(std::type_identity<T>) {
        const Tensor<T> rights = elements_of<T>(name_of(request_.method), operands[0]);
        const index_t members = size == 0 ? 1 : rights.size() / size;
        MutableTensor<T> right = empty<T>(own);
        request.right = right.operand();
        for (index_t i = 0; i < members; ++i) {
            const auto at = static_cast<std::size_t>(i * size);
            std::ranges::copy(as_span(rights).subspan(at, static_cast<std::size_t>(size)),
                              as_span(right).begin());
            const IterativeOperands solution = iterative_result(request);
            if (outs[0] != nullptr)
                std::ranges::copy(as_span(Tensor<T>(solution.x)), static_cast<T*>(outs[0]) + at);
            if (outs[1] != nullptr) static_cast<std::int64_t*>(outs[1])[i] = solution.iterations;
            if (outs[2] != nullptr) static_cast<double*>(outs[2])[i] = solution.residual;
        }
    });
}

Operand IterativeStage::solved(const Operand& right, std::span<const Operand> captured,
                               bool by_adjoint) const {
    const bool is_hermitian =
        request_.method == IterativeMethod::cg || request_.method == IterativeMethod::minres;
    IterativeRequest request = request_;
    request.start.reset();
    request.on_iteration = nullptr;
    bool is_adjoint = is_adjoint_;
    if (by_adjoint && !is_hermitian) {
        is_adjoint = !is_adjoint;
        if (graph_ == nullptr)
            request.matrix = std::make_shared<const AdjointOperator>(request.matrix);
        if (request.preconditioner != nullptr)
            request.preconditioner =
                std::make_shared<const AdjointOperator>(request.preconditioner);
    }
    std::vector<Operand> operands{right};
    operands.insert(operands.end(), captured.begin(), captured.end());
    return results_of_stage(make_node<OpaqueStage>(
        std::make_shared<const IterativeStage>(std::move(request), graph_, is_adjoint),
        std::move(operands)))[0];
}

// A x = b, so that dx = A⁻¹ (db - dA x).

Derivatives IterativeStage::reverse(std::span<const Operand> operands,
                                    std::span<const Operand> results, const Derivatives& seeds,
                                    std::size_t lead) const {
    Derivatives by(operands.size());
    if (!seeds[0]) return by; // those of iterations and residuals are 0
    const std::span<const Operand> captured = operands.subspan(1);
    const Operand by_right = solved(*seeds[0], captured, true);
    by[0] = by_right;
    std::vector<std::size_t> numbers;
    for (std::size_t i = 1; i < operands.size(); ++i)
        if (operands[i].node->reads(Below::symbol) &&
            (operands[i].dtype() == float32 || operands[i].dtype() == float64))
            numbers.push_back(i);
    if (numbers.empty()) return by;
    std::vector<Operand> arguments{results[0]};
    arguments.insert(arguments.end(), captured.begin(), captured.end());
    arguments.push_back(negative(by_right));
    const std::vector<Operand> inner = placeholders_like(arguments);
    const Operand product =
        graph_->apply(inner[0], leading_axes(operands[0]),
                      std::span(inner).subspan(1, captured.size()), is_adjoint_);
    std::vector<Operand> active;
    for (const std::size_t i : numbers) active.push_back(inner[i]);
    const std::vector<Operand> slopes = outputs_for(
        reverse_derivatives({&product, 1}, {&inner.back(), 1}, lead, active), arguments);
    for (std::size_t i = 0; i < numbers.size(); ++i) by[numbers[i]] = slopes[i];
    return by;
}

Derivatives IterativeStage::forward(std::span<const Operand> operands,
                                    std::span<const Operand> results, const Derivatives& tangents,
                                    ShapeSpan leading) const {
    const std::span<const Operand> captured = operands.subspan(1);
    std::optional<Operand> rest = tangents[0];
    std::vector<Operand> arguments{results[0]};
    arguments.insert(arguments.end(), captured.begin(), captured.end());
    std::vector<std::size_t> numbers;
    for (std::size_t i = 1; i < operands.size(); ++i)
        if (tangents[i]) {
            numbers.push_back(i);
            arguments.push_back(*tangents[i]);
        }
    if (!numbers.empty()) {
        const std::vector<Operand> inner = placeholders_like(arguments);
        const Operand product =
            graph_->apply(inner[0], leading_axes(operands[0]),
                          std::span(inner).subspan(1, captured.size()), is_adjoint_);
        std::vector<Operand> active;
        for (const std::size_t i : numbers) active.push_back(inner[i]);
        const Operand along = forward_derivative(
            product, active, std::span(inner).subspan(operands.size()), leading.size());
        const Operand moved = outputs_for({&along, 1}, arguments)[0];
        rest = rest ? difference(*rest, moved) : negative(moved);
    }
    Derivatives of_results(results.size());
    if (rest) of_results[0] = solved(*rest, captured, false);
    return of_results;
}

std::vector<Operand> iterative_stage(IterativeRequest request,
                                     std::unique_ptr<const FunctionOfSymbols> function,
                                     ShapeSpan from) {
    const char* const what = name_of(request.method);
    if (request.dtype != float32 && request.dtype != float64)
        throw DtypeError(
            fmt::format("{}: {} is not traced: vectors in a computation are float32 or float64",
                        what, request.dtype.name()));
    Operand right = request.right;
    if (right.dtype() != request.dtype) right = cast_operand(right, request.dtype, Op::cast);
    std::vector<Operand> operands{std::move(right)};
    std::shared_ptr<const LinearGraph> graph;
    if (function == nullptr && !std::ranges::equal(request.matrix->from(), request.matrix->to()))
        throw ShapeError(fmt::format("{}: the operator takes vectors of {} and gives vectors of {}",
                                     what, to_string(request.matrix->from()),
                                     to_string(request.matrix->to())));
    if (function != nullptr) {
        CapturedOperands captured;
        const Operand vector = placeholder_operand(request.dtype, from, 0);
        const TracedOutputs traced = captured.trace(*function, {&vector, 1});
        if (traced.outputs.size() != 1 || traced.outputs[0].dtype() != request.dtype ||
            !std::ranges::equal(traced.outputs[0].dims.max_shape(), from))
            throw ShapeError(fmt::format(
                "{}: the operator makes other tensors than one of {} and {}, which it takes", what,
                request.dtype.name(), to_string(from)));
        graph = std::make_shared<const LinearGraph>(captured.graph(traced), request.dtype);
        operands.insert(operands.end(), captured.operands().begin(), captured.operands().end());
    }
    return results_of_stage(make_node<OpaqueStage>(
        std::make_shared<const IterativeStage>(std::move(request), std::move(graph), false),
        std::move(operands)));
}

} // namespace purview::linalg
