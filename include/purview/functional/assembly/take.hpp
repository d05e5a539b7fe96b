#pragma once

#include <purview/base/axis_values.hpp>
#include <purview/dimensions/axes.hpp>
#include <purview/expression/gather.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/tensor/array_like.hpp>
#include <purview/tensor/stage.hpp>

#include <array>
#include <concepts>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// Gathers from `x` along `axes` at indexes, one operand for each axis, which are broadcast
/// together: their axes come first, then the remaining ones of `x`. Lazy. Throws `ShapeError`,
/// `IndexError` for axes, `DtypeError`.
PURVIEW_EXPORT Operand take_operand(const Operand& x, ShapeSpan axes,
                                    std::span<const Operand> indexes);
/// Gathers from `x` at indexes along one axis, which their axes replace.
PURVIEW_EXPORT Operand take_operand(const Operand& x, const Operand& indexes, index_t axis);
/// Gathers from the elements of `x` in row-major order.
PURVIEW_EXPORT Operand take_operand(const Operand& x, const Operand& indexes);
PURVIEW_EXPORT Operand take_along_axis_operand(const Operand& x, const Operand& indexes,
                                               index_t axis);

/// What is gathered at: an array of integers, or of a type known at run time.
template <typename I>
concept index_array = array_like<I> &&
    (std::is_void_v<ElementOrVoid<I>> ||
     (std::integral<ElementOrVoid<I>> && !std::same_as<ElementOrVoid<I>, bool>));
/// Indexes to gather an array at: for those with dims, its type is known to the compiler.
template <typename I, typename X>
concept index_array_for = index_array<I> &&(typed_array<X> || !HasDims<I>);

/// The parameter types for one axis and for several: dims are given where a tensor has some.
template <typename... X>
using AxisAmong = std::conditional_t<(HasDims<X> || ...), AxisOrDim, AxisValue>;
template <typename... X>
using AxesAmong = std::conditional_t<(HasDims<X> || ...), Axes, AxisValues>;

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

/// The gather that `of` makes of operands, or of those under dims (named/take_dims.hpp).
template <typename Of, TensorLike X, TensorLike... I>
Taken<X, I...> gathered(const Of& of, const X& x, const I&... indexes) {
    if constexpr ((HasDims<X> || ... || HasDims<I>))
        return taken<I...>(x, of(bound_operand(x), bound_operand(indexes)...));
    else
        return taken<I...>(x, of(x.operand(), indexes.operand()...));
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
struct TakeFunction : RefusedArguments, PipelineStage {
    using RefusedArguments::operator();
    template <array_like X, index_array_for<X> I>
    auto operator()(X&& x, I&& indexes) const {
        const auto of = [](const auto& from, const auto& at) { return take_operand(from, at); };
        return gathered(of, lasting_tensor(std::forward<X>(x)),
                        lasting_tensor(std::forward<I>(indexes)));
    }
    template <array_like X, index_array_for<X> I, typename A = AxisAmong<X, I>>
        requires std::convertible_to<const A&, AxisAmong<X, I>>
    auto operator()(X&& x, I&& indexes, const A& axis) const {
        const auto of = [&](const auto& from, const auto& at) {
            return take_operand(from, at, AxisAmong<X, I>(axis));
        };
        return gathered(of, lasting_tensor(std::forward<X>(x)),
                        lasting_tensor(std::forward<I>(indexes)));
    }
    /// `take(x, {0, 2})`, `take(x, {0, 2}, axis)`.
    template <array_like X>
        requires(!HasDims<X>)
    auto operator()(X&& x, std::initializer_list<AxisValue> indexes) const {
        return (*this)(std::forward<X>(x), listed(indexes));
    }
    template <array_like X, IndexInteger A>
        requires(!HasDims<X>)
    auto operator()(X&& x, std::initializer_list<AxisValue> indexes, A axis) const {
        return (*this)(std::forward<X>(x), listed(indexes), static_cast<index_t>(axis));
    }
    /// (A Dim behind a list is the axis of its indexes.)
    template <array_like X, index_array_for<X>... I>
        requires(sizeof...(I) > 0 && (!AxisLike<std::remove_cvref_t<I>> && ...))
    auto operator()(X&& x, const AxesAmong<X, I...>& axes, I&&... indexes) const {
        const auto of = [&](const auto& from, const auto&... at) {
            return take_operand(from, axes, std::array{at...});
        };
        return gathered(of, lasting_tensor(std::forward<X>(x)),
                        lasting_tensor(std::forward<I>(indexes))...);
    }
    template <index_array I>
    auto operator()(I&& indexes, index_t axis) const {
        return make_stage(*this, as_tensor(std::forward<I>(indexes)), axis);
    }

private:
    static Tensor<index_t> listed(AxisValues indexes) {
        return tensor(std::vector<index_t>(indexes.begin(), indexes.end()));
    }
};
inline constexpr TakeFunction take;

/// `take_along_axis(x, indexes, axis)`, as in NumPy: element g of the result is the element of x at
/// g, except that its coordinate along `axis` is element g of `indexes`. The other axes have equal
/// sizes, or size 1, which is broadcast. `argsort` and `argmin` give such indexes. Lazy, O(1), and
/// sparse as `take` is. As a stage: `x | take_along_axis(indexes, axis)`. Over dims as `take`.
/// Throws as `take` does.
struct TakeAlongAxisFunction : RefusedArguments, PipelineStage {
    using RefusedArguments::operator();
    template <array_like X, index_array_for<X> I>
    auto operator()(X&& x, I&& indexes, const AxisAmong<X, I>& axis) const {
        const auto of = [&](const auto& from, const auto& at) {
            return take_along_axis_operand(from, at, axis);
        };
        return gathered(of, lasting_tensor(std::forward<X>(x)),
                        lasting_tensor(std::forward<I>(indexes)));
    }
    template <index_array I>
    auto operator()(I&& indexes, index_t axis) const {
        return make_stage(*this, as_tensor(std::forward<I>(indexes)), axis);
    }
};
inline constexpr TakeAlongAxisFunction take_along_axis;

} // namespace purview
