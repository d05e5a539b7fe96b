// Defines purview/linalg/incomplete.hpp.
#include <purview/linalg/incomplete.hpp>

#include "elements_of.hpp"
#include "matrix_work.hpp"
#include "sparse_entries.hpp"
#include "vector_passes.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace purview::inline v0_1::linalg {
namespace {

/// Factors in rows, columns ascending, each row up to its diagonal, or all of it.
template <typename T>
class FactorsInPlace : public LinearOperator {
public:
    FactorsInPlace(const char* what, index_t n, bool is_lower, std::span<const index_t> indexes,
                   std::span<const T> values)
        : LinearOperator({n}, {n}), what_(what), n_(static_cast<std::size_t>(n)) {
        std::size_t k = 0;
        for (std::size_t row = 0; row < n_; ++row) {
            starts_.push_back(columns_.size());
            std::size_t diagonal = kNone;
            for (; k < indexes.size() && static_cast<std::size_t>(indexes[k]) / n_ == row; ++k) {
                const std::size_t column = static_cast<std::size_t>(indexes[k]) % n_;
                if (is_lower && column > row) continue;
                if (column == row) diagonal = columns_.size();
                columns_.push_back(column);
                values_.push_back(values[k]);
            }
            if (diagonal == kNone)
                throw LinearAlgebraError(
                    fmt::format("{}: the pivot of row {} is not stored", what, row));
            diagonals_.push_back(diagonal);
        }
        starts_.push_back(columns_.size());
    }
    void apply(const Operand& x, const Operand& y) const override { run(x, y, false); }
    void apply_adjoint(const Operand& x, const Operand& y) const override { run(x, y, true); }

protected:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    virtual void solve(T* y, bool of_adjoint) const = 0;

    [[noreturn]] void refuse(std::size_t row, const T& pivot) const {
        if constexpr (BuiltinType<T>)
            throw LinearAlgebraError(
                fmt::format("{}: the pivot of row {} is {:g}", what_, row, pivot));
        else
            throw LinearAlgebraError(fmt::format("{}: the pivot of row {} is {:g}{:+g}i", what_,
                                                 row, pivot.real(), pivot.imag()));
    }
    /// L x = y, or Lᴴ x = y, of what is below the diagonal, and the diagonal, or ones.
    void solve_below(T* y, bool of_adjoint, bool of_ones) const {
        for (std::size_t at = 0; at < n_; ++at) {
            const std::size_t row = of_adjoint ? n_ - 1 - at : at, end = diagonals_[row];
            if (of_adjoint) {
                if (!of_ones) y[row] /= conjugate_times(values_[end], T(1));
                for (std::size_t k = starts_[row]; k < end; ++k)
                    y[columns_[k]] -= conjugate_times(values_[k], y[row]);
            } else {
                T sum = y[row];
                for (std::size_t k = starts_[row]; k < end; ++k)
                    sum -= times(values_[k], y[columns_[k]]);
                y[row] = of_ones ? sum : sum / values_[end];
            }
        }
    }
    /// U x = y, or Uᴴ x = y.
    void solve_above(T* y, bool of_adjoint) const {
        for (std::size_t at = 0; at < n_; ++at) {
            const std::size_t row = of_adjoint ? at : n_ - 1 - at, begin = diagonals_[row];
            if (of_adjoint) {
                y[row] /= conjugate_times(values_[begin], T(1));
                for (std::size_t k = begin + 1; k < starts_[row + 1]; ++k)
                    y[columns_[k]] -= conjugate_times(values_[k], y[row]);
            } else {
                T sum = y[row];
                for (std::size_t k = begin + 1; k < starts_[row + 1]; ++k)
                    sum -= times(values_[k], y[columns_[k]]);
                y[row] = sum / values_[begin];
            }
        }
    }

    const char* what_;
    std::size_t n_;
    std::vector<std::size_t> starts_, columns_, diagonals_;
    std::vector<T> values_;

private:
    void run(const Operand& x, const Operand& y, bool of_adjoint) const {
        const std::span<T> to = as_span(MutableTensor<T>(Operand(y)));
        std::ranges::copy(as_span(Tensor<T>(x)), to.begin());
        solve(to.data(), of_adjoint);
    }
};

/// Meijerink and van der Vorst 1977.
template <typename T>
class IncompleteCholesky final : public FactorsInPlace<T> {
public:
    IncompleteCholesky(index_t n, std::span<const index_t> indexes, std::span<const T> values)
        : FactorsInPlace<T>("ic0", n, true, indexes, values) {
        std::vector<std::size_t> places(this->n_, this->kNone); // of the columns of a row
        auto& l = this->values_;
        for (std::size_t row = 0; row < this->n_; ++row) {
            const std::size_t begin = this->starts_[row], end = this->diagonals_[row];
            for (std::size_t k = begin; k < end; ++k) places[this->columns_[k]] = k;
            double square = 0;
            for (std::size_t k = begin; k < end; ++k) {
                const std::size_t above = this->columns_[k], pivot = this->diagonals_[above];
                for (std::size_t j = this->starts_[above]; j < pivot; ++j)
                    if (const std::size_t at = places[this->columns_[j]]; at != this->kNone)
                        l[k] -= conjugate_times(l[j], l[at]);
                l[k] /= l[pivot];
                square += double(std::norm(l[k]));
            }
            const double rest = double(std::real(l[end])) - square;
            using P = typename PartOfComplex<T>::type;
            if (!(rest > 0) || !std::isfinite(rest)) this->refuse(row, T(static_cast<P>(rest)));
            l[end] = T(static_cast<P>(std::sqrt(rest)));
            for (std::size_t k = begin; k < end; ++k) places[this->columns_[k]] = this->kNone;
        }
    }

private:
    void solve(T* y, bool) const override {
        this->solve_below(y, false, false);
        this->solve_below(y, true, false);
    }
};
template <typename T>
class IncompleteLu final : public FactorsInPlace<T> {
public:
    IncompleteLu(index_t n, std::span<const index_t> indexes, std::span<const T> values)
        : FactorsInPlace<T>("ilu0", n, false, indexes, values) {
        std::vector<std::size_t> places(this->n_, this->kNone); // of the columns of a row
        auto& a = this->values_;
        for (std::size_t row = 0; row < this->n_; ++row) {
            const std::size_t begin = this->starts_[row], end = this->starts_[row + 1];
            for (std::size_t k = begin; k < end; ++k) places[this->columns_[k]] = k;
            for (std::size_t k = begin; k < this->diagonals_[row]; ++k) {
                const std::size_t above = this->columns_[k], pivot = this->diagonals_[above];
                a[k] /= a[pivot];
                for (std::size_t j = pivot + 1; j < this->starts_[above + 1]; ++j)
                    if (const std::size_t at = places[this->columns_[j]]; at != this->kNone)
                        a[at] -= times(a[k], a[j]);
            }
            const T& pivot = a[this->diagonals_[row]];
            if (pivot == T{} || !std::isfinite(std::abs(pivot))) this->refuse(row, pivot);
            for (std::size_t k = begin; k < end; ++k) places[this->columns_[k]] = this->kNone;
        }
    }

private:
    void solve(T* y, bool of_adjoint) const override {
        if (of_adjoint) {
            this->solve_above(y, true);
            this->solve_below(y, true, true);
        } else {
            this->solve_below(y, false, true);
            this->solve_above(y, false);
        }
    }
};

} // namespace

OperatorPtr incomplete_factors(Incomplete kind, const Operand& matrix, DType dtype) {
    const char* const what = kind == Incomplete::cholesky ? "ic0" : "ilu0";
    const ShapeSpan shape = matrix.dims.max_shape();
    if (shape.size() != 2 || shape[0] != shape[1])
        throw ShapeError(fmt::format("{}: {} is no square matrix", what, to_string(shape)));
    if (!is_sparse(matrix))
        throw KindError(fmt::format("{}: the matrix is not sparse, as to_sparse(a, 0) is", what));
    return visit_matrix_dtype(dtype, [&]<typename T>(std::type_identity<T>) -> OperatorPtr {
        const auto entries = sparse_entries<T>(matrix);
        if (!entries)
            throw KindError(fmt::format("{}: the sparse matrix has another fill than 0", what));
        const std::span<const T> values = as_span(entries->values);
        if (kind == Incomplete::cholesky)
            return std::make_shared<const IncompleteCholesky<T>>(shape[0], entries->indexes(),
                                                                 values);
        return std::make_shared<const IncompleteLu<T>>(shape[0], entries->indexes(), values);
    });
}

Operand product_with(const char* what, const LinearOperator& a, const Operand& x) {
    if (!std::ranges::equal(x.dims.max_shape(), a.from()))
        throw ShapeError(fmt::format("{}: the factors are of vectors of {}, this one is of {}",
                                     what, to_string(a.from()), to_string(x.dims.max_shape())));
    return visit_matrix_dtype(x.dtype(), [&]<typename T>(std::type_identity<T>) {
        const Tensor<T> from = elements_of<T>(what, x);
        const MutableTensor<T> to = empty<T>(a.to());
        a.apply(from.operand(), to.operand());
        return to.operand();
    });
}

} // namespace purview::linalg
