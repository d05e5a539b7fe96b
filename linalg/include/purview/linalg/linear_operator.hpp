#pragma once

#include <purview/functional/applied/computation.hpp>
#include <purview/functional/applied/traced_function.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/functional/reductions/product.hpp>
#include <purview/linalg/matrix_function.hpp>
#include <purview/tensor/views.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1::linalg {

/// What is known of a matrix by its products alone. Vectors are tensors of any shape, in memory, in row-major order, of
/// the type that the operator was made for.
class PURVIEW_LINALG_EXPORT LinearOperator {
public:
    LinearOperator(Shape from, Shape to) : from_(std::move(from)), to_(std::move(to)) {}
    LinearOperator(const LinearOperator&) = delete;
    LinearOperator& operator=(const LinearOperator&) = delete;
    virtual ~LinearOperator();

    ShapeSpan from() const noexcept { return from_; }
    ShapeSpan to() const noexcept { return to_; }

    /// `y = A x`; the two do not overlap.
    virtual void apply(const Operand& x, const Operand& y) const = 0;
    /// `y = Aᴴ x`. Throws `Error` where that is not known.
    virtual void apply_adjoint(const Operand& x, const Operand& y) const = 0;
    /// A X, of vectors that are columns of X [n, l], or Aᴴ X: [m, l], in new memory. Matrices that are read at each product are
    /// read once.
    virtual Operand products(const Operand& x, bool of_adjoint) const;

private:
    Shape from_, to_;
};
using OperatorPtr = std::shared_ptr<const LinearOperator>;

/// A matrix [m, n], whose vectors have the shapes [n] and [m]. A sparse one is brought into compressed rows, once: O(stored);
/// others are read at each product, as they are: dense, lazy, or in chunks. Throws `ShapeError`.
PURVIEW_LINALG_EXPORT OperatorPtr matrix_operator(const char* what, const Operand& matrix,
                                                  DType dtype);
/// A linear function of one symbol, which is traced and compiled now; its adjoint is its derivative. Throws `DtypeError` for
/// another type of results.
PURVIEW_LINALG_EXPORT OperatorPtr traced_operator(const char* what,
                                                  std::unique_ptr<const FunctionOfSymbols> function,
                                                  DType dtype, ShapeSpan from);
/// A function that is called with a tensor for each product, with results of the shape `to`.
PURVIEW_LINALG_EXPORT OperatorPtr called_operator(const char* what,
                                                  std::function<Operand(const Operand&)> function,
                                                  ShapeSpan from, ShapeSpan to);
/// 1 / diagonal of a matrix, in memory, 1 where that is 0. Throws `ShapeError` for matrices that are not square.
PURVIEW_LINALG_EXPORT Operand inverse_diagonal(const char* what, const Operand& matrix,
                                               DType dtype);

/// A function of a symbol of T, such as one of `auto`, or of a tensor of T.
template <typename F, typename T>
concept OperatorFunction =
    !TensorLike<F> && (std::invocable<const F&, Symbol<T>> || std::invocable<const F&, Tensor<T>>);

/// A function that an operator stands behind, which knows its adjoint.
template <typename F>
concept HasOperator = requires(const F& f) {
    { f.linear_operator() } -> std::convertible_to<OperatorPtr>;
};

/// What T an operator of A is of, beside right sides of B.
template <typename A, typename B>
struct OperatorElement {};
template <typename A, MatrixOperand B>
struct OperatorElement<A, B> {
    using type = Element<B>;
};
template <MatrixOperand A, MatrixOperand B>
struct OperatorElement<A, B> {
    using type = Common<A, B>;
};

/// An operator on vectors of the shape `from`. A function that takes a symbol is traced; one that takes a tensor alone, as
/// `[](const Tensor<double>& x)` does, is called for each product, and gives results of the shape `to`.
template <typename T, typename A>
OperatorPtr operator_of(const char* what, const A& a, ShapeSpan from, ShapeSpan to) {
    if constexpr (TensorLike<A>)
        return matrix_operator(what, a.operand(), kDType<T>);
    else if constexpr (HasOperator<A>)
        return a.linear_operator();
    else if constexpr (std::invocable<const A&, Symbol<T>>)
        return traced_operator(
            what,
            std::unique_ptr<const FunctionOfSymbols>(new TypedFunctionOfSymbols<A, Symbol<T>>(a)),
            kDType<T>, from);
    else
        return called_operator(
            what, [a](const Operand& x) { return a(Tensor<T>(x)).operand(); }, from, to);
}

/// What is nearly the inverse of an operator: a function of vectors, or a matrix that multiplies them.
template <typename T>
class Preconditioner {
public:
    Preconditioner() = default;
    template <typename M>
        requires(OperatorFunction<M, T> || (MatrixOperand<M> && !HasDims<M>))
    Preconditioner(M m)
        : make_([m = std::move(m)](const char* what, ShapeSpan shape) {
              return operator_of<T>(what, m, shape, shape);
          }) {}

    /// Null if there is none.
    OperatorPtr over(const char* what, ShapeSpan shape) const {
        return make_ ? make_(what, shape) : nullptr;
    }

private:
    std::function<OperatorPtr(const char*, ShapeSpan)> make_;
};

/// A preconditioner that divides by a diagonal.
template <typename T>
struct Jacobi {
    Tensor<T> inverse;

    template <TypedTensor X>
    auto operator()(const X& x) const {
        return x * inverse;
    }
};
/// `jacobi(a)`: division by the diagonal of a matrix, which is read once; where that is 0, by 1. Throws `ShapeError`.
template <MatrixOperand A>
    requires(!HasDims<A>)
Jacobi<Element<A>> jacobi(const A& a) {
    return {Tensor<Element<A>>(inverse_diagonal("jacobi", a.operand(), kDType<Element<A>>))};
}

} // namespace purview::linalg
