#pragma once

#include <purview/evaluation/matrix_products.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/tensor/plain_tensor.hpp>
#include <purview/tensor/views.hpp>

#include <optional>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// Factors arranged so that a product of matrices or vectors is the sum of their element-wise
/// product over the last axis.
struct ProductFactors {
    Operand x;
    Operand y;
};

/// `[…, m, k]` and `[…, k, n]`, viewed as `[…, m, 1, k]` and `[…, 1, n, k]`. Throws `ShapeError`.
PURVIEW_EXPORT ProductFactors matmul_factors(const Operand& x, const Operand& y);
/// Two factors of rank 1 and equal length. Throws `ShapeError`.
PURVIEW_EXPORT ProductFactors dot_factors(const Operand& x, const Operand& y);

/// The sum of products over the last axis, in the type of sums of the factors' common type. Throws
/// `DtypeError`.
PURVIEW_EXPORT AnyTensor any_sum_of_products(const char* what, ProductFactors factors);

/// The sum of products of two sparse factors over the last axis, in `type`, without building the
/// tensor of products: a leaf of sparse pairs. Nothing if they are not sparse, or if products of
/// elements that are not stored count too.
PURVIEW_EXPORT std::optional<Operand> sparse_sum_of_products(const ProductFactors& factors,
                                                             DType type);

/// The lazy element-wise product of factors made from an `X` and a `Y`: integers are widened to the
/// type of their sums before they are multiplied.
template <TypedTensor X, TypedTensor Y>
auto product_of(ProductFactors factors) {
    if constexpr (BuiltinOperands<X, Y>) {
        using P = Promoted<OperandElement<X>, OperandElement<Y>>;
        using R = Accumulated<P>;
        return ResultHandle<R, X, Y>(binary_operand(Op::multiply, std::move(factors.x),
                                                    std::move(factors.y), kDType<R>, kDType<R>));
    } else {
        return ReadOnly<X>(std::move(factors.x)) * ReadOnly<Y>(std::move(factors.y));
    }
}

/// The sum of that product over the last axis.
template <TypedTensor X, TypedTensor Y>
auto sum_of_products(ProductFactors factors) {
    using Products = decltype(product_of<X, Y>(factors));
    if constexpr (BuiltinOperands<X, Y> && !kDefersReductions<Products>) {
        using R = typename Products::value_type;
        if (std::optional<Operand> sums = sparse_sum_of_products(factors, kDType<R>))
            return MutableTensor<R>(std::move(*sums));
    }
    return sum(product_of<X, Y>(std::move(factors)), -1);
}

/// The product of tensors with dims; `arrange` makes the factors from the operands under these
/// dims.
template <TypedTensor X, TypedTensor Y, typename Arrange>
auto batched_product(Arrange arrange, const X& x, const Y& y) {
    if constexpr (ComplexOperands<X, Y>) {
        using C = typename ComplexType<X, Y>::type;
        return result_of<ResultHandle<C, X, Y>>(
            [arrange](const Operand& a, const Operand& b) {
                const ProductFactors factors = arrange(a, b);
                return complex_binary(Op::multiply, factors.x, factors.y, kDType<C>);
            },
            operand_as<C>(x), operand_as<C>(y));
    } else {
        using P = Promoted<OperandElement<X>, OperandElement<Y>>;
        using R = Accumulated<P>;
        return result_of<ResultHandle<R, X, Y>>(
            [arrange](const Operand& a, const Operand& b) {
                ProductFactors factors = arrange(a, b);
                return binary_operand(Op::multiply, std::move(factors.x), std::move(factors.y),
                                      kDType<R>, kDType<R>);
            },
            operand_as<R>(x), operand_as<R>(y));
    }
}

/// `matmul` with dims: a factor of rank 1 becomes a row or a column, whose axis is removed from the
/// result.
template <TypedTensor X, TypedTensor Y>
auto batched_matmul(const X& x, const Y& y) {
    const bool row = x.rank() == 1;
    const bool column = y.rank() == 1;
    const auto products = [](const auto& a, const auto& b) {
        return batched_product<std::remove_cvref_t<decltype(a)>, std::remove_cvref_t<decltype(b)>>(
            matmul_factors, a, b);
    };
    const auto a = row ? insert_axis(x, 0) : x;
    const auto b = column ? insert_axis(y, 1) : y;
    auto result = sum(products(a, b), -1);
    if (column) result = squeeze(result, {-1});
    if (row) result = squeeze(result, {column ? -1 : -2});
    return result;
}

/// Whether two arrays have products, which can be added up: a signed integer and uint64 have none,
/// as there is no type for both.
template <typename X, typename Y>
consteval bool have_products() {
    if constexpr (!array_like<X> || !array_like<Y>)
        return false;
    else if constexpr (!typed_array<X> || !typed_array<Y>)
        return true;
    else if constexpr (BuiltinOperands<TensorOf<X>, TensorOf<Y>>)
        return !std::is_void_v<Promoted<ElementOrVoid<X>, ElementOrVoid<Y>>>;
    else if constexpr (ComplexOperands<TensorOf<X>, TensorOf<Y>>)
        return true;
    else
        return requires(const ElementOrVoid<X>& x, const ElementOrVoid<Y>& y) { x* y + x* y; };
}
template <typename X, typename Y>
concept multiplied_with = have_products<X, Y>();

/// The calls of a product: `f(x, y)`, and `f(y)`, a stage. `Product::of(x, y)` implements it.
template <typename Product>
struct ProductFunction : RefusedArguments {
    using RefusedArguments::operator();
    template <typename X, multiplied_with<X> Y>
    auto operator()(X&& x, Y&& y) const {
        return Product::of(tensor_beside<X, Y>(std::forward<X>(x)),
                           tensor_beside<X, Y>(std::forward<Y>(y)));
    }
    template <array_like Y>
    auto operator()(Y&& y) const {
        return make_stage(static_cast<const Product&>(*this), as_tensor(std::forward<Y>(y)));
    }
};

/// Whether operands are of one type of floats, whose products are computed now.
template <TypedTensor X, TypedTensor Y>
consteval bool are_floats() {
    using P = OperandElement<X>;
    if constexpr (std::is_same_v<P, OperandElement<Y>> &&
                  (std::is_same_v<P, float> || std::is_same_v<P, double>))
        return !kDefersReductions<ResultHandle<P, X, Y>>;
    else
        return false;
}

struct MatmulFunction : ProductFunction<MatmulFunction> {
    using ProductFunction::operator();
    template <TensorLike X, TensorLike Y>
    static auto of(const X& x, const Y& y) {
        if constexpr (HasDims<ResultHandle<bool, X, Y>>) {
            return batched_matmul(x, y);
        } else {
            if constexpr (TypedTensor<X> && TypedTensor<Y>)
                if constexpr (are_floats<X, Y>())
                    if (auto small = small_matrix_product(x.operand(), y.operand()))
                        return MutableTensor<OperandElement<X>>(std::move(*small));
            ProductFactors factors = matmul_factors(x.operand(), y.operand());
            if constexpr (TypedTensor<X> && TypedTensor<Y>)
                return sum_of_products<X, Y>(std::move(factors));
            else
                return any_sum_of_products("matmul", std::move(factors));
        }
    }
    /// For types with a product of their own: `multiply_matrices(x, y)`, found by
    /// argument-dependent lookup.
    template <typename X, typename Y>
        requires(!array_like<X> || !array_like<Y>)
    &&requires(const TensorOf<X>& x, const TensorOf<Y>& y) { multiply_matrices(x, y); }
    auto operator()(const X& x, const Y& y) const {
        return multiply_matrices(tensor_beside<X, Y>(x), tensor_beside<X, Y>(y));
    }
};

struct DotFunction : ProductFunction<DotFunction> {
    template <TensorLike X, TensorLike Y>
    static auto of(const X& x, const Y& y) {
        if constexpr (HasDims<ResultHandle<bool, X, Y>>) {
            check_rank("dot", x.rank(), 1);
            check_rank("dot", y.rank(), 1);
            return sum(batched_product<X, Y>(
                [](const Operand& a, const Operand& b) {
                    return ProductFactors{a, b};
                },
                x, y));
        } else {
            ProductFactors factors = dot_factors(x.operand(), y.operand());
            if constexpr (TypedTensor<X> && TypedTensor<Y>)
                return sum(product_of<X, Y>(std::move(factors)));
            else
                return AnyScalar(any_sum_of_products("dot", std::move(factors)));
        }
    }
};

/// The matrix product, as in NumPy: `[m, k]` and `[k, n]` → `[m, n]`. Axes before the last two are
/// a batch, and broadcast; a first factor of rank 1 is a row and a second one a column, whose axis
/// the result does not have (if both have rank 1: rank 0). Eager, in memory. Floats by BLAS, or
/// if small by a kernel, where that is faster (docs/design/contraction.md); integers in 64 bits, wrapping, and bools are
/// counted, as in `sum`. Throws `ShapeError` naming both shapes. O(m·n·k) for each matrix of the
/// batch. For two sparse tensors a sparse one, in time proportional to the products of stored
/// elements; for a sparse and a dense one dense memory, O(stored · n): see docs/sparse.md.
inline constexpr MatmulFunction matmul;

/// The sum of the products of two tensors of rank 1 and equal length, `[n]` and `[n]`: a number, or
/// for an `AnyTensor` a tensor of rank 0. The same on every machine. Types are as in `matmul`.
/// Throws `ShapeError` naming both shapes.
inline constexpr DotFunction dot;

} // namespace purview
