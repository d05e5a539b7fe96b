// Defines purview/linalg/matrix_function.hpp.
#include "matrix_stage.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/create.hpp>

#include <fmt/format.h>

#include <algorithm>
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

} // namespace

std::vector<Operand> matrix_results(MatrixFunction function, std::span<const Operand> operands,
                                    const MatrixOptions& options) {
    const char* const what = name_of(function);
    if (operands.size() == 2 && operands[0].dims.rank() == 2 && operands[1].dims.rank() > 2)
        return {with_batch_as_columns(operands[1], [&](Operand columns) {
            const Operand both[] = {operands[0], std::move(columns)};
            return std::move(matrix_results(function, both, options)[0]);
        })};
    const MatrixOperands given = as_matrix_operands(what, operands);
    const bool is_traced = std::ranges::any_of(
        operands, [](const Operand& x) { return x.node->reads(Below::symbol); });
    std::vector<Operand> results;
    if (is_traced) {
        results = staged(function, options, as_symbols(what, given));
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

} // namespace linalg
} // namespace purview
