// Defines purview/linalg/matrix_function.hpp.
#include "matrix_work.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/linalg/least_squares.hpp>
#include <purview/named/deferred.hpp>
#include <purview/named/dim_operand.hpp>
#include <purview/tensor/copy.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace purview::inline v0_1::linalg {
namespace {

/// Moves an axis to the end.
void move_last(Operand& x, index_t axis) {
    x.dims = dimensions::move_axis(x.dims, axis, x.dims.rank() - 1);
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
    x.dims = dimensions::reshape(x.dims, as_columns);

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
    result.dims = dimensions::reshape(result.dims, all);
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
    case MatrixFunction::lu_factors:
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

std::vector<DimOperand> matrix_results_over(MatrixFunction function,
                                            std::span<const DimOperand> operands, const Dim& rows,
                                            const Dim& columns, const MatrixOptions& options) {
    const char* const what = name_of(function);
    if (operands.size() == 1)
        return results_over_dims(what, operands[0], rows, columns,
                                 axes_of_results(function, options.upper),
                                 [&](const Operand& matrices) {
                                     return matrix_results(function, {&matrices, 1}, options);
                                 });
    return {solved_over(function, options, as_matrices(what, settled(operands[0]), rows, columns),
                        settled(operands[1]), rows, columns)};
}

std::vector<DimOperand>
results_over_dims(const char* what, const DimOperand& a, const Dim& rows, const Dim& columns,
                  const std::vector<ResultAxes>& axes,
                  const std::function<std::vector<Operand>(const Operand&)>& work) {
    const DimMatrix matrices = as_matrices(what, settled(a), rows, columns);
    std::vector<Operand> results = work(matrices.operand);
    std::vector<DimOperand> bound;
    for (std::size_t i = 0; i < results.size(); ++i)
        bound.push_back(
            bound_result(std::move(results[i]), matrices.others, axes[i], rows, columns));
    return bound;
}

DimOperand cholesky_solved_over(const DimOperand& given, const DimOperand& conjugate,
                                const DimOperand& right, const Dim& rows, const Dim& columns,
                                bool upper) {
    const Dim& own = upper ? columns : rows;
    const Dim& other = upper ? rows : columns;
    DimOperand l = settled(given), adjoint = settled(conjugate);
    if (l.operand.dims.rank() == std::ssize(l.dims))
        throw DimError(
            "cholesky_solve: the factor has no positional axis, as those of `cholesky` have");
    const Dim made("made", l.operand.dims.max_shape().back());
    for (DimOperand* const x : {&l, &adjoint}) {
        x->operand.dims =
            dimensions::move_axis(x->operand.dims, x->operand.dims.rank() - 1, std::ssize(x->dims));
        x->dims.push_back(made);
    }
    const auto found = std::ranges::find(adjoint.dims, own.id(), &Dim::id);
    if (found == adjoint.dims.end())
        throw DimError(fmt::format("cholesky_solve: the factor is not over Dim '{}'", own.name()));
    *found = other;
    const DimOperand first[] = {upper ? adjoint : l, right};
    DimOperand inner =
        std::move(matrix_results_over(MatrixFunction::solve_triangular, first, rows, made, {})[0]);
    const DimOperand second[] = {upper ? l : adjoint, std::move(inner)};
    return std::move(matrix_results_over(MatrixFunction::solve_triangular, second, made, columns,
                                         {.upper = true})[0]);
}

DimOperand kept_result(const DimOperand& x) {
    DimOperand result = settled(x);
    if (result.operand.node->reads(Below::symbol)) return result;
    result.operand = contiguous(AnyTensor(result.operand)).operand();
    return result;
}

} // namespace purview::linalg
