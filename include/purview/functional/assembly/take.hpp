#pragma once

#include <purview/base/axis_values.hpp>
#include <purview/dimensions/axes.hpp>
#include <purview/expression/gather.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/stage.hpp>

#include <array>
#include <concepts>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview {

/// Gathers from `x` along `axes` at indexes, one operand for each axis, which are broadcast
/// together: their axes come first, then the remaining ones of `x`. Lazy. Throws `ShapeError`,
/// `IndexError` for axes, `DtypeError`.
PURVIEW_EXPORT Operand take_operand(const Operand& x, ShapeSpan axes,
                                    std::span<const Operand> indexes);
/// Along one axis; the axes of the indexes replace it.
PURVIEW_EXPORT Operand take_operand(const Operand& x, const Operand& indexes, index_t axis);
/// From the elements of `x` in row-major order.
PURVIEW_EXPORT Operand take_operand(const Operand& x, const Operand& indexes);
PURVIEW_EXPORT Operand take_along_axis_operand(const Operand& x, const Operand& indexes,
                                               index_t axis);

/// A tensor without bound dims.
template <typename X>
concept PlainTensor = TensorLike<X> && !HasDims<X>;

/// A tensor of integers, or one whose type is known at run time.
template <typename I>
concept IndexTensor = TensorLike<I> &&(!TypedTensor<I> || (std::integral<OperandElement<I>> &&
                                                           !std::same_as<OperandElement<I>, bool>));

/// The same without bound dims.
template <typename I>
concept PlainIndexes = IndexTensor<I> && !HasDims<I>;

/// The handle of a gather from an `X`: one through which `assign` and `add_to` write, if X is
/// writable.
template <typename X, typename... I>
struct TakenHandle {
    using type = AnyTensor;
};
template <TypedTensor X, typename... I>
struct TakenHandle<X, I...> {
    using T = typename X::value_type;
    using type = WritableForm<ResultHandle<T, X, I...>, WritableHandle<X>>;
};
template <typename X, typename... I>
using Taken = typename TakenHandle<X, I...>::type;

template <typename... I, typename X, typename Under>
Taken<X, I...> taken(const X& x, Under&& under) {
    if constexpr (std::same_as<Taken<X, I...>, AnyTensor>)
        return AnyTensor::view_of(x, std::forward<Under>(under));
    else
        return Taken<X, I...>(std::forward<Under>(under));
}

/// `take(x, indexes, axis)`, as in NumPy: the elements of an axis at computed indexes, whose axes
/// replace that axis: `[a, n, b]` at `[…]` along axis 1 → `[a, …, b]`. Without an axis, from all
/// elements in row-major order. As a stage: `x | take(indexes, axis)`.
///
/// `take(x, {axis…}, indexes…)`: along several axes, each with its own index tensor; these are
/// broadcast together and used element by element, as in NumPy's `x[rows, columns]`. Their axes
/// come first, then the remaining ones of `x`: `[n0, n1, b]` at `{0, 1}` → `[…, b]`.
///
/// If dims are bound, over the union of the dims, as loops around it would. An axis may be a Dim
/// then, which is removed.
///
/// Indexes are tensors of integers, which may be lazy; negative ones count from the end. Lazy,
/// O(1): indexes are read when elements are, and one outside of [-n, n) throws `IndexError` then,
/// naming axis, index and n. For a sparse x the result is sparse, and realised in O(indexes +
/// stored elements of x and of the result), whatever the sizes. Throws `ShapeError`, `IndexError`
/// for an axis out of range or given twice, `DtypeError`.
struct TakeFunction : PipelineStage {
    using Braces = std::initializer_list<AxisValue>;

    template <PlainTensor X, PlainIndexes I>
    Taken<X, I> operator()(const X& x, const I& indexes) const {
        return taken<I>(x, take_operand(x.operand(), indexes.operand()));
    }
    template <PlainTensor X, PlainIndexes I>
    Taken<X, I> operator()(const X& x, const I& indexes, index_t axis) const {
        return taken<I>(x, take_operand(x.operand(), indexes.operand(), axis));
    }
    /// `take(x, {0, 2})`, `take(x, {0, 2}, axis)`.
    template <PlainTensor X>
    auto operator()(const X& x, std::initializer_list<AxisValue> indexes) const {
        return (*this)(x, listed(indexes));
    }
    template <PlainTensor X>
    auto operator()(const X& x, std::initializer_list<AxisValue> indexes, index_t axis) const {
        return (*this)(x, listed(indexes), axis);
    }
    template <PlainTensor X, PlainIndexes... I>
        requires(sizeof...(I) > 0)
    Taken<X, I...>
    operator()(const X& x, AxisValues axes, const I&... indexes) const {
        return taken<I...>(x,
                           take_operand(x.operand(), axes,
                                        std::array<Operand, sizeof...(I)>{indexes.operand()...}));
    }
    template <TypedTensor X, IndexTensor I>
        requires(HasDims<X> || HasDims<I>)
    Taken<X, I>
    operator()(const X& x, const I& indexes) const { return taken<I>(x, take_bound(x, indexes)); }
    template <TypedTensor X, IndexTensor I>
        requires(HasDims<X> || HasDims<I>)
    Taken<X, I>
    operator()(const X& x, const I& indexes, const AxisOrDim& axis) const {
        return taken<I>(x, take_bound(x, indexes, axis));
    }
    template <TypedTensor X, IndexTensor... I>
        requires(sizeof...(I) > 0 && (HasDims<X> || (HasDims<I> || ...)))
    Taken<X, I...>
    operator()(const X& x, const Axes& axes, const I&... indexes) const {
        return taken<I...>(x, take_bound(x, axes, indexes...));
    }
    template <IndexTensor I>
    auto operator()(const I& indexes, index_t axis) const {
        return make_stage(*this, indexes, axis);
    }

private:
    static Tensor<index_t> listed(AxisValues indexes) {
        return tensor(std::vector<index_t>(indexes.begin(), indexes.end()));
    }
};
inline constexpr AcceptingArrays<TakeFunction> take;

/// `take_along_axis(x, indexes, axis)`, as in NumPy: element g of the result is the element of x at
/// g, except that its coordinate along `axis` is element g of `indexes`. The other axes have equal
/// sizes, or size 1, which is broadcast. `argsort` and `argmin` give such indexes. Lazy, O(1), and
/// sparse as `take` is. As a stage: `x | take_along_axis(indexes, axis)`. Over dims as `take`.
/// Throws as `take` does.
struct TakeAlongAxisFunction : PipelineStage {
    template <PlainTensor X, PlainIndexes I>
    Taken<X, I> operator()(const X& x, const I& indexes, index_t axis) const {
        return taken<I>(x, take_along_axis_operand(x.operand(), indexes.operand(), axis));
    }
    template <TypedTensor X, IndexTensor I>
        requires(HasDims<X> || HasDims<I>)
    Taken<X, I>
    operator()(const X& x, const I& indexes, const AxisOrDim& axis) const {
        return taken<I>(x, take_along_bound(x, indexes, axis));
    }
    template <IndexTensor I>
    auto operator()(const I& indexes, index_t axis) const {
        return make_stage(*this, indexes, axis);
    }
};
inline constexpr AcceptingArrays<TakeAlongAxisFunction> take_along_axis;

} // namespace purview
