#include <purview/linalg/linear_operator.hpp>

#include "compressed_rows.hpp"
#include "elements_of.hpp"
#include "matrix_work.hpp"
#include "sparse_entries.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/graph.hpp>
#include <purview/functional/applied/gradient.hpp>
#include <purview/functional/elementwise/complex.hpp>
#include <purview/linalg/iterative.hpp>
#include <purview/linalg/products.hpp>
#include <purview/tensor/sparse_tensor.hpp>

#include <fmt/format.h>

#include <mutex>
#include <optional>

namespace purview::inline v0_1::linalg {

LinearOperator::~LinearOperator() = default;

namespace {

/// [elements of the shape, columns]
Shape flat_shape(ShapeSpan shape, index_t columns) {
    index_t n = 1;
    for (const index_t extent : shape) n *= extent;
    return {n, columns};
}

void* memory_of(const Operand& x) { return leaf_of(x)->writable_memory().data; }

void check_shape(const char* what, ShapeSpan given, ShapeSpan wanted) {
    if (!std::ranges::equal(given, wanted))
        throw ShapeError(fmt::format("{}: the operator gives a tensor of {} where {} is wanted",
                                     what, to_string(given), to_string(wanted)));
}
void check_dtype(const char* what, DType given, DType wanted) {
    if (given != wanted)
        throw DtypeError(fmt::format("{}: the operator makes {} of {}: cast what it captures", what,
                                     given.name(), wanted.name()));
}

} // namespace

Operand LinearOperator::products(const Operand& x, bool of_adjoint) const {
    return visit_matrix_dtype(x.dtype(), [&]<typename T>(std::type_identity<T>) {
        const index_t width = x.dims.max_shape()[1];
        const std::span<const T> from_all = as_span(Tensor<T>(x));
        const MutableTensor<T> one = empty<T>(of_adjoint ? to_ : from_);
        const MutableTensor<T> image = empty<T>(of_adjoint ? from_ : to_);
        const MutableTensor<T> made = empty<T>(flat_shape(image.shape(), width));
        const auto each = [&](std::span<T> column, const auto& f) {
            for (std::size_t i = 0; i < column.size(); ++i) f(column[i], i);
        };
        const auto columns = static_cast<std::size_t>(width);
        for (std::size_t j = 0; j < columns; ++j) {
            each(as_span(one), [&](T& to, std::size_t i) { to = from_all[i * columns + j]; });
            if (of_adjoint)
                apply_adjoint(one.operand(), image.operand());
            else
                apply(one.operand(), image.operand());
            const std::span<T> to_all = as_span(made);
            each(as_span(image), [&](T& from, std::size_t i) { to_all[i * columns + j] = from; });
        }
        return made.operand();
    });
}

namespace {

/// A function with one result, of a type.
class OneResult final : public FunctionOfSymbols {
public:
    OneResult(const char* what, std::unique_ptr<const FunctionOfSymbols> function, DType dtype)
        : what_(what), function_(std::move(function)), dtype_(dtype) {}
    std::vector<Operand> call(std::span<const Operand> arguments) const override {
        std::vector<Operand> results = function_->call(arguments);
        if (results.size() != 1)
            throw ShapeError(fmt::format("{}: the operator gives {} tensors instead of one", what_,
                                         results.size()));
        check_dtype(what_, results[0].dtype(), dtype_);
        return results;
    }

private:
    const char* what_;
    std::unique_ptr<const FunctionOfSymbols> function_;
    DType dtype_;
};

/// Calls another one.
class SharedFunction final : public FunctionOfSymbols {
public:
    explicit SharedFunction(std::shared_ptr<const FunctionOfSymbols> function)
        : function_(std::move(function)) {}
    std::vector<Operand> call(std::span<const Operand> arguments) const override {
        return function_->call(arguments);
    }

private:
    std::shared_ptr<const FunctionOfSymbols> function_;
};
/// The derivative at x times v, of x and v.
class AdjointFunction final : public FunctionOfSymbols {
public:
    explicit AdjointFunction(std::shared_ptr<const FunctionOfSymbols> function)
        : function_(std::move(function)) {}
    std::vector<Operand> call(std::span<const Operand> arguments) const override {
        return vector_jacobian_operands(function_->call(arguments.first(1))[0], arguments[1],
                                        arguments.first(1));
    }

private:
    std::shared_ptr<const FunctionOfSymbols> function_;
};

/// Traced once; a product is a run of the program.
class TracedOperator final : public LinearOperator {
public:
    TracedOperator(std::shared_ptr<const FunctionOfSymbols> function,
                   std::shared_ptr<const TracedFunction> product, DType dtype, const Shape& from)
        : LinearOperator(from, to_shape(product->traced()[0].outputs[0].dims.max_shape())),
          function_(std::move(function)),
          product_(std::move(product)),
          dtype_(dtype),
          zeros_(visit_matrix_dtype(dtype, [&]<typename T>(std::type_identity<T>) {
              return full<T>(from, T{}).operand(); // a constant: no memory
          })) {}

    void apply(const Operand& x, const Operand& y) const override { run(*product_, {&x, 1}, y); }
    void apply_adjoint(const Operand& x, const Operand& y) const override {
        std::call_once(made_, [&] {
            adjoint_ = traced({{dtype_, to_shape(from())}, {dtype_, to_shape(to())}},
                              std::make_unique<const AdjointFunction>(function_));
        });
        // A linear function has the same derivative everywhere, at 0 too.
        const Operand inputs[] = {zeros_, x};
        run(*adjoint_, inputs, y);
    }

private:
    static void run(const TracedFunction& function, std::span<const Operand> inputs,
                    const Operand& y) {
        const Operand* const bindings[] = {&inputs.front(), &inputs.back()};
        const Bindings given(bindings, inputs.size());
        std::shared_ptr<const Program> keep;
        const Destination out(memory_of(y));
        function.program_for(given, keep).run(given, {&out, 1});
    }

    std::shared_ptr<const FunctionOfSymbols> function_;
    std::shared_ptr<const TracedFunction> product_;
    mutable std::once_flag made_;
    mutable std::shared_ptr<const TracedFunction> adjoint_;
    DType dtype_;
    Operand zeros_;
};

/// Called for each product.
class CalledOperator final : public LinearOperator {
public:
    using Function = std::function<Operand(const Operand&)>;
    CalledOperator(const char* what, Function function, Shape from, Shape to)
        : LinearOperator(std::move(from), std::move(to)),
          what_(what),
          function_(std::move(function)) {}

    void apply(const Operand& x, const Operand& y) const override {
        const Operand result = function_(x);
        check_dtype(what_, result.dtype(), y.dtype());
        check_shape(what_, result.dims.max_shape(), y.dims.max_shape());
        assign(result, y);
    }
    void apply_adjoint(const Operand&, const Operand&) const override {
        throw Error(
            fmt::format("{}: the operator is a function without a derivative: let it take what "
                        "comes (auto), or give its adjoint, too: {}(a, adjoint, ...)",
                        what_, what_));
    }

private:
    const char* what_;
    Function function_;
};

template <typename T, typename I>
class SparseOperator final : public LinearOperator {
public:
    SparseOperator(index_t rows, index_t columns, CompressedRows<T, I> a)
        : LinearOperator({columns}, {rows}), a_(std::move(a)) {}

    void apply(const Operand& x, const Operand& y) const override { multiply(a_, x, y); }
    void apply_adjoint(const Operand& x, const Operand& y) const override {
        std::call_once(made_, [&] { adjoint_.emplace(a_.adjoint()); });
        multiply(*adjoint_, x, y);
    }

private:
    static void multiply(const CompressedRows<T, I>& a, const Operand& x, const Operand& y) {
        a.multiply(static_cast<const T*>(memory_of(x)), static_cast<T*>(memory_of(y)));
    }

    CompressedRows<T, I> a_;
    mutable std::once_flag made_;
    mutable std::optional<CompressedRows<T, I>> adjoint_;
};

class PairedOperator final : public LinearOperator {
public:
    PairedOperator(const char* what, OperatorPtr a, OperatorPtr adjoint)
        : LinearOperator(to_shape(a->from()), to_shape(a->to())),
          a_(std::move(a)),
          adjoint_(std::move(adjoint)) {
        check_shape(what, adjoint_->to(), from());
    }
    void apply(const Operand& x, const Operand& y) const override { a_->apply(x, y); }
    void apply_adjoint(const Operand& x, const Operand& y) const override { adjoint_->apply(x, y); }

private:
    OperatorPtr a_, adjoint_;
};

/// A sparse matrix of zeros in compressed rows; null for one of another fill.
template <typename T>
OperatorPtr sparse_matrix(const Operand& matrix, index_t rows, index_t columns) {
    std::optional<SparseEntries<T>> entries = sparse_entries<T>(matrix);
    if (!entries) return nullptr;
    const auto made = [&]<typename I>(std::type_identity<I>) -> OperatorPtr {
        return std::make_shared<const SparseOperator<T, I>>(
            rows, columns,
            CompressedRows<T, I>(rows, columns, entries->indexes(), std::move(entries->values)));
    };
    if (columns <= std::numeric_limits<std::int32_t>::max() &&
        rows <= std::numeric_limits<std::int32_t>::max())
        return made(std::type_identity<std::int32_t>{});
    return made(std::type_identity<index_t>{});
}

/// Read at each product.
template <typename T>
class DenseOperator final : public LinearOperator {
public:
    DenseOperator(Tensor<T> a, index_t rows, index_t columns)
        : LinearOperator({columns}, {rows}), a_(std::move(a)) {}

    void apply(const Operand& x, const Operand& y) const override { multiply(x, y, false); }
    void apply_adjoint(const Operand& x, const Operand& y) const override { multiply(x, y, true); }
    Operand products(const Operand& x, bool of_adjoint) const override {
        return of_adjoint ? clone(matmul(adjoint(a_), Tensor<T>(x))).operand()
                          : clone(matmul(a_, Tensor<T>(x))).operand();
    }

private:
    void multiply(const Operand& x, const Operand& y, bool of_adjoint) const {
        const Operand column{x.node, Dimensions::row_major(Shape{x.dims.size(), 1})};
        const auto into = [&](const auto& a) {
            assign(reshape(matmul(a, Tensor<T>(column)), {a.shape()[0]}).operand(), y);
        };
        if (of_adjoint)
            into(adjoint(a_));
        else
            into(a_);
    }

    Tensor<T> a_;
};

} // namespace

OperatorPtr matrix_operator(const char* what, const Operand& matrix, DType dtype) {
    const ShapeSpan shape = matrix.dims.max_shape();
    if (shape.size() != 2)
        throw ShapeError(fmt::format("{}: {} is no matrix", what, to_string(shape)));
    require_host_reads(what, matrix);
    return visit_matrix_dtype(dtype, [&]<typename T>(std::type_identity<T>) -> OperatorPtr {
        if (is_sparse(matrix))
            if (OperatorPtr made = sparse_matrix<T>(matrix, shape[0], shape[1])) return made;
        // Another type is brought to T once.
        Tensor<T> a =
            matrix.dtype() == kDType<T> ? Tensor<T>(matrix) : elements_of<T>(what, matrix);
        return std::make_shared<const DenseOperator<T>>(std::move(a), shape[0], shape[1]);
    });
}

OperatorPtr traced_operator(const char* what, std::unique_ptr<const FunctionOfSymbols> function,
                            DType dtype, ShapeSpan from) {
    const Shape shape = to_shape(from);
    const auto shared = std::make_shared<const OneResult>(what, std::move(function), dtype);
    auto product = traced({{dtype, shape}}, std::make_unique<const SharedFunction>(shared));
    for (const TracedOutputs& each : product->traced())
        for (const Node* const node : nodes_below(each.outputs)) // what it captures
            if (node->kind() == NodeKind::leaf && node->reads(Below::device))
                require_host_reads(what, Operand{NodePtr(node), {}});
    return std::make_shared<const TracedOperator>(shared, std::move(product), dtype, shape);
}
OperatorPtr called_operator(const char* what, std::function<Operand(const Operand&)> function,
                            ShapeSpan from, ShapeSpan to) {
    return std::make_shared<const CalledOperator>(what, std::move(function), to_shape(from),
                                                  to_shape(to));
}
OperatorPtr paired_operator(const char* what, OperatorPtr a, OperatorPtr adjoint) {
    return std::make_shared<const PairedOperator>(what, std::move(a), std::move(adjoint));
}

Operand inverse_diagonal(const char* what, const Operand& matrix, DType dtype) {
    require_square(what, matrix);
    if (matrix.dims.rank() != 2)
        throw ShapeError(
            fmt::format("{}: {} is no matrix", what, to_string(matrix.dims.max_shape())));
    Operand line = diagonal_operand(matrix, Shape{0, 1, 0});
    if (is_sparse(line)) {
        if (line.dtype().is_builtin() && line.dtype() != float64)
            line = cast_operand(line, float64, Op::cast);
        line = visit_matrix_dtype(line.dtype(), [&]<typename P>(std::type_identity<P>) {
            const MutableTensor<P> dense = empty<P>(to_shape(line.dims.max_shape()));
            assign(line, dense.operand());
            return dense.operand();
        });
    }
    return visit_matrix_dtype(dtype, [&]<typename T>(std::type_identity<T>) {
        const Tensor<T> diagonal = elements_of<T>(what, line);
        const MutableTensor<T> inverse = empty<T>(to_shape(diagonal.shape()));
        std::ranges::transform(as_span(diagonal), as_span(inverse).begin(),
                               [](const T& d) { return d == T{} ? T(1) : T(1) / d; });
        return inverse.operand();
    });
}

} // namespace purview::linalg
