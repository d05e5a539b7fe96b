#include "matrix_stage.hpp"

#include "elements_of.hpp"
#include "small/small_kernels.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dtype/promote.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace purview::inline v0_1::linalg {
namespace {

DType real_type(DType dtype) { return is_complex(dtype) ? part_dtype(dtype) : dtype; }
DType complex_type(DType dtype) { return complex_dtype(real_type(dtype)); }

/// Floats and complex numbers as they are, integers in double; complex if one is.
DType common_type(const char* what, std::span<const Operand> operands) {
    DType common = float32;
    bool any_complex = false;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const DType dtype = operands[i].dtype();
        const DType real = real_type(dtype);
        if (!real.is_builtin() || real == boolean) throw_dtype_unsupported(what, dtype);
        const DType own = real.is_floating() ? real : float64;
        common = i == 0 ? own : promote(common, own, what);
        any_complex = any_complex || is_complex(dtype);
    }
    return any_complex ? complex_type(common) : common;
}

ShapeSpan batch_of(const Operand& matrices) {
    const ShapeSpan shape = matrices.dims.max_shape();
    return shape.first(shape.size() - 2);
}

bool takes_square(MatrixFunction function) {
    switch (function) {
    case MatrixFunction::qr:
    case MatrixFunction::lu:
    case MatrixFunction::svd:
    case MatrixFunction::svdvals: return false;
    default: return true;
    }
}

} // namespace

MatrixOperands as_matrix_operands(const char* what, std::span<const Operand> given) {
    MatrixOperands made{{given.begin(), given.end()}, common_type(what, given)};
    for (std::size_t i = 0; i < given.size(); ++i) {
        Operand& x = made.operands[i];
        // Symbols may turn out to be sparse: those are made dense when they are read.
        if (is_sparse(x) && !x.node->reads(Below::symbol)) {
            const CountedBytes counted = counted_elements(what, x, made.dtype);
            x = without_sparse(x);
        }
        Shape shape = to_shape(x.dims.max_shape());
        if (i == 1 && shape.size() == 1) {
            shape.push_back(1);
            x.dims = dimensions::reshape(x.dims, shape);
            made.is_vector = true;
        }
        if (shape.size() < 2)
            throw ShapeError(fmt::format("{}: operand {} of shape {} is no matrix", what, i,
                                         to_string(x.dims.max_shape())));
        for (std::size_t axis = shape.size() - 2; axis < shape.size(); ++axis)
            if (shape[axis] > std::numeric_limits<int>::max())
                throw ShapeError(
                    fmt::format("{}: matrices of shape {} are larger than LAPACK takes", what,
                                to_string(shape)));
    }
    if (given.size() == 2) {
        const Shape batch =
            dimensions::broadcast_shapes(batch_of(made.operands[0]), batch_of(made.operands[1]));
        for (Operand& x : made.operands) {
            const ShapeSpan own = x.dims.max_shape();
            Shape shape = batch;
            shape.insert(shape.end(), own.end() - 2, own.end());
            x.dims = dimensions::expand(x.dims, shape);
        }
    }
    return made;
}

std::vector<Operand> as_symbols(const char* what, const MatrixOperands& given) {
    if (!given.dtype.is_builtin())
        throw DtypeError(
            fmt::format("{}: {} is not traced: matrices in a computation are float32 or float64",
                        what, given.dtype.name()));
    std::vector<Operand> operands = given.operands;
    for (Operand& x : operands)
        if (x.dtype() != given.dtype) x = cast_operand(std::move(x), given.dtype, Op::cast);
    return operands;
}

DescribedWork described(MatrixFunction function, const MatrixOptions& options, DType dtype,
                        std::span<const Operand> operands) {
    const char* const what = name_of(function);
    const bool is_solved = has_right_side(function);
    const std::size_t fewest = is_solved ? 2 : 1;
    const bool is_factored = operands.size() == fewest + 1 && takes_factors(function);
    if (operands.size() != fewest && !is_factored)
        throw ShapeError(fmt::format("{}: {} operands", what, operands.size()));
    for (const Operand& x : operands)
        if (x.dims.rank() < 2)
            throw ShapeError(
                fmt::format("{}: {} is no matrix", what, to_string(x.dims.max_shape())));
    const ShapeSpan shape = operands[0].dims.max_shape();
    const Shape batch = to_shape(batch_of(operands[0]));
    const index_t m = shape[shape.size() - 2], n = shape.back(), k = std::min(m, n);
    if (takes_square(function) && m != n)
        throw ShapeError(fmt::format("{}: matrices of {} are not square", what, to_string(shape)));
    MatrixWork work{function, options, batch, Dimensions::row_major(batch).size(), m, n};
    if (is_factored) {
        Shape expected = batch;
        expected.push_back(n + 1);
        expected.push_back(n);
        const ShapeSpan given = operands.back().dims.max_shape();
        if (!std::ranges::equal(given, expected))
            throw ShapeError(fmt::format("{}: factors of shape {} for matrices of {}", what,
                                         to_string(given), to_string(shape)));
        work.is_factored = true;
    }
    if (is_solved) {
        const ShapeSpan other = operands[1].dims.max_shape();
        if (other[other.size() - 2] != m)
            throw ShapeError(
                fmt::format("{}: a right side of shape {} has not the {} rows of matrices of {}",
                            what, to_string(other), m, to_string(shape)));
        if (!std::ranges::equal(batch_of(operands[1]), batch))
            throw ShapeError(
                fmt::format("{}: batches of {} and {}", what, to_string(shape), to_string(other)));
        work.columns = other.back();
    }
    const DType real = real_type(dtype);
    const auto of = [&](DType type, std::initializer_list<index_t> own) {
        Shape all = batch;
        all.insert(all.end(), own.begin(), own.end());
        return ResultType{type, std::move(all)};
    };
    const bool full = options.full;
    std::vector<ResultType> results;
    switch (function) {
    case MatrixFunction::solve:
    case MatrixFunction::solve_triangular: results = {of(dtype, {n, work.columns})}; break;
    case MatrixFunction::inv:
    case MatrixFunction::cholesky:
    case MatrixFunction::cofactors:
    case MatrixFunction::expm: results = {of(dtype, {n, n})}; break;
    case MatrixFunction::lu_factors: results = {of(dtype, {n + 1, n})}; break;
    case MatrixFunction::det: results = {of(dtype, {})}; break;
    case MatrixFunction::slogdet: results = {of(dtype, {}), of(real, {})}; break;
    case MatrixFunction::qr:
        results = {of(dtype, {m, full ? m : k}), of(dtype, {full ? m : k, n})};
        break;
    case MatrixFunction::lu:
        results = {of(int64, {m}), of(dtype, {m, k}), of(dtype, {k, n})};
        break;
    case MatrixFunction::svd:
        results = {of(dtype, {m, full ? m : k}), of(real, {k}), of(dtype, {full ? n : k, n})};
        break;
    case MatrixFunction::svdvals: results = {of(real, {k})}; break;
    case MatrixFunction::eigh: results = {of(real, {n}), of(dtype, {n, n})}; break;
    case MatrixFunction::eigvalsh: results = {of(real, {n})}; break;
    case MatrixFunction::eig:
        results = {of(complex_type(dtype), {n}), of(complex_type(dtype), {n, n})};
        break;
    case MatrixFunction::eigvals: results = {of(complex_type(dtype), {n})}; break;
    }
    return {std::move(work), std::move(results)};
}

void ResultSize::fill_with_nan(void* out) const {
    if (dtype == int64) return;
    visit_matrix_dtype(dtype, [&]<typename T>(std::type_identity<T>) {
        std::fill_n(static_cast<T*>(out), elements, T(std::numeric_limits<double>::quiet_NaN()));
    });
}

void compute_results(const DescribedWork& described, DType dtype, std::span<const Operand> operands,
                     std::span<void* const> outs) {
    const MatrixWork& work = described.work;
    std::vector<ResultSize> sizes;
    for (const ResultType& type : described.results) {
        std::size_t elements = 1;
        for (std::size_t axis = work.batch_shape.size(); axis < type.shape.size(); ++axis)
            elements *= static_cast<std::size_t>(type.shape[axis]);
        sizes.push_back({elements, static_cast<std::size_t>(type.dtype.size_bytes()), type.dtype});
    }
    visit_matrix_dtype(dtype, [&]<typename T>(std::type_identity<T>) {
        std::vector<CountedBytes> counted;
        std::vector<Tensor<T>> held;
        std::vector<const void*> memory;
        held.reserve(operands.size());
        for (const Operand& operand : operands) {
            const char* const what = name_of(work.function);
            counted.push_back(counted_elements(what, operand, dtype));
            held.push_back(elements_of<T>(what, operand));
            memory.push_back(as_span(held.back()).data());
        }
        compute_members(work, dtype, memory, outs, sizes);
    });
}

std::vector<ResultType> MatrixStage::results(std::span<const Operand> operands) const {
    for (const Operand& x : operands)
        if (x.dtype() != dtype_)
            throw DtypeError(fmt::format("{}: an operand of {}, where {} is computed", name_,
                                         x.dtype().name(), dtype_.name()));
    return described(function_, options_, dtype_, operands).results;
}

bool MatrixStage::does_same(const StageFunction& other) const noexcept {
    const auto* const stage = dynamic_cast<const MatrixStage*>(&other);
    return stage != nullptr && stage->attributes() == attributes() && stage->name_ == name_;
}

std::optional<std::vector<index_t>> MatrixStage::attributes() const {
    std::vector<index_t> all{dtype_ == float32 ? 32 : 64, options_.upper, options_.full,
                             static_cast<index_t>(options_.if_singular)};
    if (options_.transposed) all.push_back(1);
    return all;
}

std::vector<Operand> staged(MatrixFunction function, const MatrixOptions& options,
                            std::vector<Operand> operands) {
    const DType dtype = operands[0].dtype();
    // Nodes that begin with the same factors have them once.
    if (takes_factors(function) && operands.size() == (has_right_side(function) ? 2U : 1U) &&
        operands[0].dims.max_shape().back() > kLargestSmall)
        operands.push_back(staged(MatrixFunction::lu_factors, {}, {operands[0]})[0]);
    return results_of_stage(make_node<OpaqueStage>(
        std::make_shared<const MatrixStage>(function, options, dtype), std::move(operands)));
}

namespace {

template <MatrixFunction function>
std::shared_ptr<const StageFunction> made_of(std::span<const index_t> attributes) {
    const auto is_bool = [&](std::size_t i) { return attributes[i] == 0 || attributes[i] == 1; };
    const bool is_transposed = attributes.size() == 5 && attributes[4] == 1;
    if ((attributes.size() != 4 && !is_transposed) ||
        (attributes[0] != 32 && attributes[0] != 64) || !is_bool(1) || !is_bool(2) || !is_bool(3))
        return nullptr;
    return std::make_shared<const MatrixStage>(function,
                                               MatrixOptions{attributes[1] == 1, attributes[2] == 1,
                                                             static_cast<IfSingular>(attributes[3]),
                                                             is_transposed},
                                               attributes[0] == 32 ? float32 : float64);
}

} // namespace

bool register_matrix_functions() {
    register_pseudo_inverse();
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (register_stage_function(std::string("linalg.") + name_of(static_cast<MatrixFunction>(I)),
                                 made_of<static_cast<MatrixFunction>(I)>),
         ...);
    }
    (std::make_index_sequence<static_cast<std::size_t>(MatrixFunction::lu_factors) + 1>{});
    return true;
}

} // namespace purview::linalg
