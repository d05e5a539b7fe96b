#pragma once

#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/views.hpp>

#include <optional>
#include <utility>

namespace purview {

/// Factors arranged so that the sum of their product over the last axis is the product asked for.
struct ProductFactors {
    Operand x;
    Operand y;
};

/// `[…, m, k]` and `[…, k, n]` as `[…, m, 1, k]` and `[…, 1, n, k]`. Throws `ShapeError`.
PURVIEW_EXPORT ProductFactors matmul_factors(const Operand& x, const Operand& y);
/// Two of rank 1 and one length. Throws `ShapeError`.
PURVIEW_EXPORT ProductFactors dot_factors(const Operand& x, const Operand& y);

/// The sum over the last axis, in the type that sums of the factors' common type have. Throws
/// `DtypeError`.
PURVIEW_EXPORT AnyTensor any_sum_of_products(const char* what, ProductFactors factors);

/// The same of two sparse factors, in this type, without the tensor of their products: a leaf of pairs. Nothing where they are not
/// sparse, or other products than those of stored elements count.
PURVIEW_EXPORT std::optional<Operand> sparse_sum_of_products(const ProductFactors& factors,
                                                             DType type);

/// The lazy product of factors that came of an `X` and a `Y`: integers are widened before they are
/// multiplied, as their sums are.
template <TypedTensor X, TypedTensor Y>
auto product_of(ProductFactors factors) {
    if constexpr (BuiltinOperands<X, Y>) {
        using P = Promoted<OperandElement<X>, OperandElement<Y>>;
        static_assert(
            !std::is_void_v<P>,
            "these element types have no common type (a signed integer with uint64): cast one of them");
        using R = Accumulated<P>;
        return ResultHandle<R, X, Y>(binary_operand(Op::multiply, std::move(factors.x),
                                                    std::move(factors.y), kDType<R>, kDType<R>));
    } else {
        return ReadOnly<X>(std::move(factors.x)) * ReadOnly<Y>(std::move(factors.y));
    }
}

/// The sum of the same over the last axis.
template <TypedTensor X, TypedTensor Y>
auto sum_of_products(ProductFactors factors) {
    using Products = decltype(product_of<X, Y>(factors));
    if constexpr (BuiltinOperands<X, Y> && !kFoldsLater<Products>) {
        using R = typename Products::value_type;
        if (std::optional<Operand> sums = sparse_sum_of_products(factors, kDType<R>))
            return MutableTensor<R>(std::move(*sums));
    }
    return sum(product_of<X, Y>(std::move(factors)), -1);
}

/// The products of factors that have dims, arranged by a function of the operands under these.
template <TypedTensor X, TypedTensor Y, typename Arrange>
auto batched_product(Arrange arrange, const X& x, const Y& y) {
    using P = Promoted<OperandElement<X>, OperandElement<Y>>;
    static_assert(
        !std::is_void_v<P>,
        "these element types have no common type (a signed integer with uint64): cast one of them");
    using R = Accumulated<P>;
    return result_of<ResultHandle<R, X, Y>>(
        [arrange](const Operand& a, const Operand& b) {
            ProductFactors factors = arrange(a, b);
            return binary_operand(Op::multiply, std::move(factors.x), std::move(factors.y),
                                  kDType<R>, kDType<R>);
        },
        operand_as<R>(x), operand_as<R>(y));
}

/// Where a factor has dims, a vector takes part as a row or column, whose axis goes afterwards.
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

struct MatmulFunction {
    template <TensorLike X, TensorLike Y>
    auto operator()(const X& x, const Y& y) const {
        if constexpr (HasDims<ResultHandle<bool, X, Y>>) {
            return batched_matmul(x, y);
        } else {
            ProductFactors factors = matmul_factors(x.operand(), y.operand());
            if constexpr (TypedTensor<X> && TypedTensor<Y>)
                return sum_of_products<X, Y>(std::move(factors));
            else
                return any_sum_of_products("matmul", std::move(factors));
        }
    }
    template <TensorLike Y>
    auto operator()(const Y& y) const {
        return later(*this, y);
    }
    /// What knows its own product: `multiply_matrices(x, y)`, found by argument-dependent lookup.
    template <typename X, typename Y>
        requires(!TensorLike<X> || !TensorLike<Y>)
    &&requires(const X& x, const Y& y) { multiply_matrices(x, y); }
    auto operator()(const X& x, const Y& y) const { return multiply_matrices(x, y); }
};

struct DotFunction {
    template <TensorLike X, TensorLike Y>
    auto operator()(const X& x, const Y& y) const {
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
    template <TensorLike Y>
    auto operator()(const Y& y) const {
        return later(*this, y);
    }
};

/// The matrix product, as NumPy's: `[m, k]` and `[k, n]` → `[m, n]`. Axes before the last two are a
/// batch, and broadcast; a first factor of rank 1 is a row and a second one a column, whose axis the
/// result does not have (two of rank 1: rank 0). Eager, in memory. Floats by BLAS where that is faster
/// (docs/design/contraction.md); integers in 64 bits, wrapping, and bool counts, as in `sum`.
/// Throws `ShapeError` naming both shapes. O(m·n·k) for each matrix of the batch. Of two sparse tensors a sparse one, in the time that
/// the products of stored elements take, of a sparse and a dense one dense memory, O(stored · n): see docs/sparse.md.
inline constexpr AcceptingArrays<MatmulFunction> matmul;

/// The sum of the products of two tensors of rank 1 and one length, `[n]` and `[n]`: a number, or of an
/// `AnyTensor` a tensor of rank 0. The same on every machine. Types are as in `matmul`. Throws
/// `ShapeError` naming both shapes.
inline constexpr AcceptingArrays<DotFunction> dot;

} // namespace purview
