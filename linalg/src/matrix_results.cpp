// Defines purview/linalg/matrix_function.hpp.
#include "matrix_stage.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/named/deferred.hpp>
#include <purview/named/dim_operand.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace purview::inline v0_1 {

LinearAlgebraError::~LinearAlgebraError() = default;

namespace linalg {
namespace {

/// A new array in memory, and where its elements are.
std::pair<Operand, void*> new_array(const ResultType& type) {
    const auto made = [&]<typename T>(std::type_identity<T>) {
        MutableTensor<T> result = empty<T>(type.shape);
        void* const memory = as_span(result).data();
        return std::pair<Operand, void*>(result.operand(), memory);
    };
    if (type.dtype == int64) return made(std::type_identity<std::int64_t>{});
    return visit_matrix_dtype(type.dtype, made);
}

/// In memory, now.
std::vector<Operand> computed(MatrixFunction function, const MatrixOptions& options,
                              const MatrixOperands& given) {
    const DescribedWork work = described(function, options, given.dtype, given.operands);
    std::vector<Operand> results;
    std::vector<void*> outs;
    for (const ResultType& type : work.results) {
        auto [operand, memory] = new_array(type);
        results.push_back(std::move(operand));
        outs.push_back(memory);
    }
    compute_results(work, given.dtype, given.operands, outs);
    return results;
}

/// Moves an axis to the end.
void move_last(Operand& x, index_t axis) {
    x.dims = dimensions::move_axis(x.dims, axis, x.dims.rank() - 1);
}
void reshape_to(Operand& x, const Shape& shape) { x.dims = dimensions::reshape(x.dims, shape); }

/// A right side of one matrix for a batch: of all of the batch one, so that the matrix is factorised once. Its shape is
/// [batch..., n, k]; `work` makes of [n, columns] what has as many columns.
template <typename Work>
Operand with_batch_as_columns(const Operand& right, const Work& work) {
    const Shape shape = to_shape(right.dims.max_shape());
    const index_t last = static_cast<index_t>(shape.size()) - 1;
    Operand x{right.node, dimensions::move_axis(right.dims, last - 1, 0)};
    Shape all = to_shape(x.dims.max_shape()); // [n, batch..., k]
    index_t columns = 1;
    for (std::size_t axis = 1; axis < all.size(); ++axis) columns *= all[axis];
    reshape_to(x, {all[0], columns});
    Operand result = work(std::move(x));
    all[0] = result.dims.max_shape()[0];
    reshape_to(result, all);
    result.dims = dimensions::move_axis(result.dims, 0, last - 1);
    return result;
}

/// A tensor with dims as matrices over two of them: those last, behind other dims and axes.
struct DimMatrix {
    Operand operand;
    DimVector others;
};
/// Throws `DimError` naming `what` for dims that the tensor does not have.
DimMatrix as_matrices(const char* what, const DimOperand& x, const Dim& rows, const Dim& columns) {
    DimMatrix made{x.operand, x.dims};
    for (const Dim* const dim : {&rows, &columns}) {
        const auto found = std::ranges::find(made.others, dim->id(), &Dim::id);
        if (found == made.others.end())
            throw DimError(fmt::format("{}: the tensor is not over Dim '{}'", what, dim->name()));
        made.operand.dims = dimensions::move_axis(made.operand.dims, found - made.others.begin(),
                                                  made.operand.dims.rank() - 1);
        made.others.erase(found);
    }
    return made;
}

/// Over dims: what only the right side is over are its columns.
DimOperand solved_over(MatrixFunction function, const MatrixOptions& options, DimMatrix matrices,
                       DimOperand right, const Dim& rows, const Dim& columns) {
    const char* const what = name_of(function);
    const auto is_over = [](const DimVector& dims, const Dim& dim) {
        return std::ranges::find(dims, dim.id(), &Dim::id) != dims.end();
    };
    if (is_over(right.dims, columns))
        throw DimError(fmt::format("{}: the right side is over Dim '{}', as the result is", what,
                                   columns.name()));
    if (!is_over(right.dims, rows))
        throw DimError(fmt::format("{}: the right side is not over Dim '{}'", what, rows.name()));
    DimVector shared, own;
    Shape own_shape;
    Operand x = right.operand;
    const auto take = [&](const Dim& dim) {
        const auto found = std::ranges::find(right.dims, dim.id(), &Dim::id);
        move_last(x, found - right.dims.begin());
        right.dims.erase(found);
    };
    for (const Dim& dim : right.dims)
        if (is_over(matrices.others, dim))
            shared.push_back(dim);
        else if (dim.id() != rows.id())
            own.push_back(dim);
    take(rows);
    for (const Dim& dim : own) take(dim);
    const bool has_axes = matrices.operand.dims.rank() > std::ssize(matrices.others) + 2;
    const index_t axes = right.operand.dims.rank() - std::ssize(shared) - std::ssize(own) - 1;
    for (index_t axis = 0; axis < axes && !has_axes; ++axis) move_last(x, std::ssize(shared));
    // [shared..., (axes...), rows, own..., (axes...)]
    const Shape shape = to_shape(x.dims.max_shape());
    const std::size_t batch = shared.size() + static_cast<std::size_t>(has_axes ? axes : 0);
    Shape as_columns(shape.begin(), shape.begin() + batch + 1);
    own_shape.assign(shape.begin() + batch + 1, shape.end());
    as_columns.push_back(Dimensions::row_major(own_shape).size());
    reshape_to(x, as_columns);

    const DimOperand both[] = {{std::move(matrices.operand), std::move(matrices.others)},
                               {std::move(x), std::move(shared)}};
    const DimOperand* const pointers[] = {&both[0], &both[1]};
    std::array<Operand, 2> aligned;
    DimVector dims = align_dims(pointers, aligned);
    Operand result = std::move(matrix_results(function, aligned, options)[0]);
    Shape all = to_shape(result.dims.max_shape());
    all.pop_back();
    all.insert(all.end(), own_shape.begin(), own_shape.end());
    const auto solution = static_cast<index_t>(all.size() - own_shape.size()) - 1;
    reshape_to(result, all);
    // Dims first: the solution's, and those of the right side alone; positional axes of a batch stay behind them.
    result.dims = dimensions::move_axis(result.dims, solution, std::ssize(dims));
    dims.push_back(columns);
    for (std::size_t i = 0; i < own.size(); ++i) {
        result.dims = dimensions::move_axis(result.dims, solution + 1 + static_cast<index_t>(i),
                                            std::ssize(dims));
        dims.push_back(own[i]);
    }
    return {std::move(result), std::move(dims)};
}

/// What an axis of a result is an index of, behind the axes of the batch.
enum class IndexOf : std::uint8_t { rows, columns, made };
using ResultAxes = std::vector<IndexOf>;

/// Of each result of one matrix.
std::vector<ResultAxes> axes_of_results(MatrixFunction function, bool upper) {
    constexpr auto rows = IndexOf::rows, columns = IndexOf::columns, made = IndexOf::made;
    switch (function) {
    case MatrixFunction::inv: return {{columns, rows}};
    case MatrixFunction::det: return {{}};
    case MatrixFunction::slogdet: return {{}, {}};
    case MatrixFunction::cholesky:
        return {upper ? ResultAxes{made, columns} : ResultAxes{rows, made}};
    case MatrixFunction::qr: return {{rows, made}, {made, columns}};
    case MatrixFunction::lu: return {{rows}, {rows, made}, {made, columns}};
    case MatrixFunction::svd: return {{rows, made}, {made}, {made, columns}};
    case MatrixFunction::svdvals:
    case MatrixFunction::eigvalsh:
    case MatrixFunction::eigvals: return {{made}};
    case MatrixFunction::eigh:
    case MatrixFunction::eig: return {{made}, {columns, made}};
    case MatrixFunction::expm:
    case MatrixFunction::cofactors: return {{rows, columns}};
    case MatrixFunction::solve:
    case MatrixFunction::solve_triangular: break; // of two operands
    }
    __builtin_unreachable();
}

/// A result of matrices whose batch is over `dims`, and then of positional axes: what is made stays behind these.
DimOperand bound_result(Operand result, DimVector dims, const ResultAxes& axes, const Dim& rows,
                        const Dim& columns) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i] == IndexOf::made) continue;
        const auto from_end = static_cast<index_t>(axes.size() - i);
        result.dims =
            dimensions::move_axis(result.dims, result.dims.rank() - from_end, std::ssize(dims));
        dims.push_back(axes[i] == IndexOf::rows ? rows : columns);
    }
    return {std::move(result), std::move(dims)};
}

} // namespace

std::vector<Operand> matrix_results(MatrixFunction function, std::span<const Operand> operands,
                                    const MatrixOptions& options) {
    const char* const what = name_of(function);
    if (operands.size() == 2 && operands[0].dims.rank() == 2 && operands[1].dims.rank() > 2)
        return {with_batch_as_columns(operands[1], [&](Operand columns) {
            const Operand both[] = {operands[0], std::move(columns)};
            return std::move(matrix_results(function, both, options)[0]);
        })};
    MatrixOperands given = as_matrix_operands(what, operands);
    const bool is_traced = std::ranges::any_of(
        operands, [](const Operand& x) { return x.node->reads(Below::symbol); });
    std::vector<Operand> results;
    if (is_traced) {
        if (!given.dtype.is_builtin())
            throw DtypeError(fmt::format(
                "{}: {} is not traced: matrices in a computation are float32 or float64", what,
                given.dtype.name()));
        for (Operand& x : given.operands)
            if (x.dtype() != given.dtype) x = cast_operand(std::move(x), given.dtype, Op::cast);
        results = staged(function, options, std::move(given.operands));
    } else {
        results = computed(function, options, given);
    }
    if (given.is_vector) {
        Shape shape = to_shape(results[0].dims.max_shape());
        shape.pop_back();
        results[0].dims = dimensions::reshape(results[0].dims, shape);
    }
    return results;
}

std::vector<DimOperand> matrix_results_over(MatrixFunction function,
                                            std::span<const DimOperand> operands, const Dim& rows,
                                            const Dim& columns, const MatrixOptions& options) {
    const char* const what = name_of(function);
    DimMatrix matrices = as_matrices(what, settled(operands[0]), rows, columns);
    if (operands.size() == 1) {
        std::vector<Operand> results = matrix_results(function, {&matrices.operand, 1}, options);
        const std::vector<ResultAxes> axes = axes_of_results(function, options.upper);
        std::vector<DimOperand> bound;
        for (std::size_t i = 0; i < results.size(); ++i)
            bound.push_back(
                bound_result(std::move(results[i]), matrices.others, axes[i], rows, columns));
        return bound;
    }
    return {
        solved_over(function, options, std::move(matrices), settled(operands[1]), rows, columns)};
}

DimOperand kept_result(const DimOperand& x) {
    DimOperand result = settled(x);
    if (result.operand.node->reads(Below::symbol)) return result;
    result.operand = contiguous(AnyTensor(result.operand)).operand();
    return result;
}

} // namespace linalg
} // namespace purview
