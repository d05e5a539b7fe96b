#pragma once

#include <purview/linalg/export.hpp>

#include <purview/base/errors.hpp>
#include <purview/dimensions/affine_index.hpp>
#include <purview/dtype/complex_element.hpp>
#include <purview/dtype/promote.hpp>
#include <purview/expression/node.hpp>
#include <purview/named/dim_tensor.hpp>
#include <purview/tensor/result_handle.hpp>

#include <complex>
#include <concepts>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// A matrix that is singular, or not positive definite, or whose eigenvalues do not converge. The message names the
/// member of a batch, and the pivot.
class PURVIEW_LINALG_EXPORT LinearAlgebraError : public ArithmeticError {
public:
    using ArithmeticError::ArithmeticError;
    LinearAlgebraError(const LinearAlgebraError&) = default;
    LinearAlgebraError& operator=(const LinearAlgebraError&) = default;
    ~LinearAlgebraError() override;
};

namespace linalg {

/// What is done with a member of a batch that has no result.
enum class IfSingular : std::uint8_t {
    error, ///< throws `LinearAlgebraError`
    nan    ///< all of its results are NaN, and the others are computed
};

/// A function of whole matrices.
enum class MatrixFunction : std::uint8_t {
    solve,
    solve_triangular,
    inv,
    det,
    slogdet,
    cholesky,
    qr,
    lu,
    svd,
    svdvals,
    eigh,
    eigvalsh,
    eig,
    eigvals,
    expm,
    cofactors, ///< of singular matrices; of others 0: what is `inv` times `det` for them
    lu_factors ///< [n + 1, n]: what LAPACK makes of the transpose, and its pivots: what `solve`, `inv`, `det`, `slogdet` begin with
};

struct MatrixOptions {
    bool upper = false; ///< the triangle that is read, or made
    bool full = false;  ///< square factors
    IfSingular if_singular = IfSingular::error;
    bool transposed = false; ///< `solve` with the transposes, by factors
};

/// The results of a function of the last two axes of each operand, batches broadcast together. Of symbols lazy, else
/// computed now, in memory. Throws `ShapeError`, `DtypeError`, `MemoryLimitError`, `LinearAlgebraError`, `Error`.
PURVIEW_LINALG_EXPORT std::vector<Operand> matrix_results(MatrixFunction function,
                                                          std::span<const Operand> operands,
                                                          const MatrixOptions& options = {});

/// Has computations loaded that were saved with these functions.
PURVIEW_LINALG_EXPORT bool register_matrix_functions();
inline const bool kAreMatrixFunctionsRegistered = register_matrix_functions();

/// The results of a function of matrices over `rows` and `columns` and, if there is a second operand, of vectors over
/// `rows`, for each of the other dims and axes, which are aligned by name. What indexes of results count that are
/// neither rows nor columns, such as singular values, is a positional axis, the last one.
PURVIEW_LINALG_EXPORT std::vector<DimOperand>
matrix_results_over(MatrixFunction function, std::span<const DimOperand> operands, const Dim& rows,
                    const Dim& columns, const MatrixOptions& options = {});
/// What an axis of a result is an index of, behind the axes of the batch.
enum class IndexOf : std::uint8_t { rows, columns, made };
using ResultAxes = std::vector<IndexOf>;
/// What `work` makes of matrices over two dims, as its last two axes, bound to dims as each result's axes say.
PURVIEW_LINALG_EXPORT std::vector<DimOperand>
results_over_dims(const char* what, const DimOperand& a, const Dim& rows, const Dim& columns,
                  const std::vector<ResultAxes>& axes,
                  const std::function<std::vector<Operand>(const Operand&)>& work);
/// Computed now, in memory, but of symbols.
PURVIEW_LINALG_EXPORT DimOperand kept_result(const DimOperand& x);
/// For functions made of others, or that read an operand twice: a sparse one, and one in chunks, as elements in memory,
/// dense. Throws `MemoryLimitError` naming `what` where these have no room, and `DeviceError`.
PURVIEW_LINALG_EXPORT Operand operand_read_once(const char* what, const Operand& x);

/// What the elements of results are, of such elements of an operand: floats and complex numbers as they are, integers as
/// double; `void` for others.
template <typename T>
using MatrixElement =
    std::conditional_t<std::same_as<T, float> || std::same_as<T, double> ||
                           std::same_as<T, std::complex<float>> ||
                           std::same_as<T, std::complex<double>>,
                       T, std::conditional_t<std::integral<T> && BuiltinType<T>, double, void>>;

template <typename X>
concept MatrixOperand =
    TypedTensor<X> && !std::is_void_v<MatrixElement<typename std::remove_cvref_t<X>::value_type>>;

template <typename X>
using Element = MatrixElement<typename std::remove_cvref_t<X>::value_type>;
template <typename X>
using RealOf = typename PartOfComplex<Element<X>>::type;
/// Of two operands: complex if one is, in double precision if one is.
template <typename A, typename B>
using Common = std::conditional_t<ComplexElement<Element<A>> || ComplexElement<Element<B>>,
                                  std::complex<Promoted<RealOf<A>, RealOf<B>>>,
                                  Promoted<RealOf<A>, RealOf<B>>>;

/// The handle of a result: what is computed now lies in memory, of its own.
template <typename R, typename... X>
using MatrixResult = std::conditional_t<std::same_as<ResultKind<X...>, TensorKind>,
                                        MutableTensor<R>, ResultHandle<R, X...>>;

/// `matrix_results_over` of one tensor.
template <typename A>
std::vector<DimOperand> results_over(MatrixFunction function, const A& a, const Dim& rows,
                                     const Dim& columns, const MatrixOptions& options = {}) {
    const DimOperand x = bound_operand(a);
    return matrix_results_over(function, {&x, 1}, rows, columns, options);
}

} // namespace linalg
} // namespace purview
