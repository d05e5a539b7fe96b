#pragma once

#include <purview/functional/reductions/product.hpp>
#include <purview/mpi/distributed.hpp>
#include <purview/tensor/any_scalar.hpp>

#include <optional>
#include <utility>

namespace purview::inline v0_1::mpi {

// Functions that all ranks call, with the same operands: see moving.hpp.

PURVIEW_MPI_EXPORT AnyDistributed matmul_any(const Operand& x, const Operand& y,
                                             const std::optional<Distribution>& d);

/// One element in memory.
PURVIEW_MPI_EXPORT Operand dot_any(const Operand& x, const Operand& y);

/// The element type of a product; void where that of a factor is known only at run time.
template <typename X, typename Y>
struct ProductElement {
    using type = typename std::remove_cvref_t<decltype(matmul(
        std::declval<const Tensor<X>&>(), std::declval<const Tensor<Y>&>()))>::value_type;
};
template <typename X, typename Y>
    requires(std::is_void_v<X> || std::is_void_v<Y>)
struct ProductElement<X, Y> {
    using type = void;
};

/// The matrix product of `[m, k]` and `[k, n]`, or of `[m, k]` and `[k]`, in the distribution `d` of its shape; by default in blocks on
/// the grid of the first distributed factor. Factors are distributed in any way, transposed, or computed; nothing of them is redistributed:
/// each rank multiplies its rows by its columns panel by panel, the next panel under way meanwhile, and has two panels
/// at a time. A rank sends about 2·m·k/√P elements of square matrices on a square grid. Element types as of `purview::matmul`;
/// sums are in the order of the panels. Throws `ShapeError` where the factors do not fit.
template <typename X, typename Y>
    requires std::convertible_to<const X&, Whole> && std::convertible_to<const Y&, Whole>
auto matmul(const X& x, const Y& y, const std::optional<Distribution>& d = {}) {
    using R = typename ProductElement<ElementOfWhole<X>, ElementOfWhole<Y>>::type;
    return DistributedOf<R>(matmul_any(Whole(x).operand(), Whole(y).operand(), d));
}

/// The sum of the products of two tensors of rank 1 and equal length: a number, on every rank, of the type that `purview::dot` gives.
/// Summed as by `sum`, where the elements of x lie, or of y where x is what all ranks have: sends what is needed there of the other,
/// and ⌈log₂ P⌉ messages from a rank at most, of one number. Throws `ShapeError` naming both shapes, `DtypeError` for elements that
/// are no numbers, and `DistributionError` where neither is distributed.
template <typename X, typename Y>
    requires std::convertible_to<const X&, Whole> && std::convertible_to<const Y&, Whole>
auto dot(const X& x, const Y& y) {
    using R = typename ProductElement<ElementOfWhole<X>, ElementOfWhole<Y>>::type;
    const Operand element = dot_any(Whole(x).operand(), Whole(y).operand());
    if constexpr (std::is_void_v<R>)
        return AnyScalar(AnyTensor(element));
    else
        return static_cast<R>(Tensor<R>(element).item());
}

} // namespace purview
