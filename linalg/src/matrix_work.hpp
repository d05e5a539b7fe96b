#pragma once

#include <purview/dtype/dtype.hpp>
#include <purview/linalg/matrix_function.hpp>

#include <complex>
#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1::linalg {

/// A function of the members of a batch, and the shapes of its operands.
struct MatrixWork {
    MatrixFunction function;
    MatrixOptions options;
    Shape batch_shape;
    index_t batch = 1;        ///< how many members
    index_t m = 0, n = 0;     ///< of the first operand
    index_t columns = 0;      ///< of the second, which has m rows
    bool is_factored = false; ///< the last operand are `lu_factors` of the first
};

/// Whether the second operand is a right side.
constexpr bool has_right_side(MatrixFunction function) noexcept {
    return function == MatrixFunction::solve || function == MatrixFunction::solve_triangular;
}

/// Whether a function begins with an LU decomposition, and takes one as its last operand.
constexpr bool takes_factors(MatrixFunction function) noexcept {
    return function == MatrixFunction::solve || function == MatrixFunction::inv ||
           function == MatrixFunction::det || function == MatrixFunction::slogdet;
}

/// What a result has for each member.
struct ResultSize {
    std::size_t elements;
    std::size_t bytes; ///< of each
    DType dtype;

    void fill_with_nan(void* out) const;
};

/// "solve".
const char* name_of(MatrixFunction function) noexcept;

/// Calls `f(std::type_identity<T>{})` with the type of floats or complex numbers of `dtype`.
template <typename F>
decltype(auto) visit_matrix_dtype(DType dtype, F&& f) {
    if (dtype == float32) return f(std::type_identity<float>{});
    if (dtype == float64) return f(std::type_identity<double>{});
    if (dtype == kDType<std::complex<float>>) return f(std::type_identity<std::complex<float>>{});
    return f(std::type_identity<std::complex<double>>{});
}

/// Computes all members, on all threads: `operands` are elements of `dtype` in row-major order, `outs` those of results;
/// null: nobody asks for it. Throws `LinearAlgebraError`, `Error`.
void compute_members(const MatrixWork& work, DType dtype, std::span<const void* const> operands,
                     std::span<void* const> outs, std::span<const ResultSize> sizes);

} // namespace purview::linalg
