#pragma once

#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/along/search.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/tensor/as_span.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace purview::inline v0_1 {

/// Whether the place of a value is before or after the elements that equal it.
enum class Side : std::uint8_t { left, right };

/// The places of values among sorted elements, both of built-in types and compared in their common
/// type, or strings or times of one type: int64 in the shape of the values. With `sorter`, the i-th element in sorted order is element
/// `sorter[i]`. Throws `ShapeError` unless `sorted` has rank 1, `IndexError` for an index in the
/// sorter that is out of range, `DtypeError`.
PURVIEW_EXPORT Operand sorted_places(const char* what, WeakOperand sorted, WeakOperand values,
                                     Side side, const Operand* sorter = nullptr);
/// The bins of values, given edges that ascend or descend. Throws `Error` for edges that do
/// neither.
PURVIEW_EXPORT Operand bin_places(WeakOperand values, WeakOperand edges, Side side);

/// What is looked up: a number, or an array of numbers, which may have bound dims.
template <typename V>
concept looked_up = NumberLike<std::remove_cvref_t<V>> ||
    (lanes<V>&& kIsNumberOrVoid<ElementOrVoid<std::remove_cvref_t<V>>>);

/// Whether elements have a common type, in which they are compared; `void`: known at run time.
template <typename T, typename U>
inline constexpr bool kHaveCommonType = !std::is_void_v<Promoted<T, U>>;
template <typename T>
inline constexpr bool kHaveCommonType<T, void> = true;
template <typename U>
inline constexpr bool kHaveCommonType<void, U> = true;
template <>
inline constexpr bool kHaveCommonType<void, void> = true;
template <typename X, typename Y>
concept comparable_with = NumberLike<X> || kHaveCommonType<ElementOrVoid<X>, ElementOrVoid<Y>>;

/// The element type that is not built in of two arrays, the type of one of which is known at run
/// time.
template <typename X, typename Y>
using OtherElement = std::conditional_t<
    std::is_void_v<ElementOrVoid<X>>,
    std::conditional_t<kIsNumberOrVoid<ElementOrVoid<Y>>, void, ElementOrVoid<Y>>,
    std::conditional_t<kIsNumberOrVoid<ElementOrVoid<X>>, void, ElementOrVoid<X>>>;

/// The handle of the result of `work(values)`, of `R`: memory of the shape of the values, under
/// their dims; for a number, a number.
template <typename R, looked_up V>
auto look_up(const V& values, FunctionRef<Operand(const WeakOperand&)> work) {
    if constexpr (NumberLike<V>)
        return Tensor<R>(work(weak_operand(values))).item();
    else
        return in_shape_of<R>(tensor_for_call(values), [&](const Operand& wanted) {
            return work({wanted, false});
        });
}

/// `searchsorted(sorted, values)`, or a stage, `sorted | searchsorted(values, side)`: for each value
/// the first position in a sorted tensor of rank 1 whose element does not sort before the value, as
/// in NumPy; with `Side::right`, the first whose element sorts after it. For a number, a number;
/// for a tensor of any rank, int64 in memory of its shape, under its dims.
/// `searchsorted(sorted, values, side, sorter)`: in a tensor that the indexes in `sorter` (as
/// `argsort` gives) put in order.
///
/// Types are promoted as in a comparison; NaN sorts after all numbers, NaT after all times; elements of types that are
/// not built-in are compared by `<`. If the tensor is not sorted, positions are unspecified, within
/// [0, n]. Eager, O(values log n), on several threads; for ascending values O(values log(n /
/// values)). Throws `ShapeError` unless `sorted` has rank 1, and for a sorter of another length,
/// `IndexError` for an index in it that is out of range, `DtypeError`.
struct SearchsortedFunction : RefusedAlong {
    using RefusedAlong::operator();

    template <plain_number_array S, looked_up V>
        requires comparable_with<V, S>
    auto operator()(const S& sorted, const V& values, Side side = Side::left) const {
        return places(sorted, values, side, nullptr);
    }
    template <plain_number_array S, looked_up V, plain_number_array O>
        requires comparable_with<V, S>
    auto operator()(const S& sorted, const V& values, Side side, const O& sorter) const {
        const auto& held = tensor_for_call(sorter);
        return places(sorted, values, side, &held.operand());
    }
    template <searched_array S, searched_array V>
        requires(std::same_as<ElementOrVoid<S>, ElementOrVoid<V>> && !plain_number_array<S> &&
                 OrderedByLess<ElementOrVoid<S>>)
    MutableTensor<std::int64_t>
    operator()(const S& sorted, const V& values, Side side = Side::left) const {
        return places_of_objects(Tensor<ElementOrVoid<S>>(operand_for_call(sorted)),
                                 Tensor<ElementOrVoid<S>>(operand_for_call(values)), side);
    }
    /// One element of a type that is not built in.
    template <searched_array S>
        requires(!plain_number_array<S> && OrderedByLess<ElementOrVoid<S>>)
    index_t operator()(const S& sorted, const std::type_identity_t<ElementOrVoid<S>>& value,
                       Side side = Side::left) const {
        using T = ElementOrVoid<S>;
        const Tensor<T> x(operand_for_call(sorted));
        require_one_axis("searchsorted", x);
        return first_place_not<T>(Evaluation(x.operand(), Reads::within_one_operation),
                                  [&](const T& element) {
                                      return side == Side::left ? AscendingOrder()(element, value)
                                                                : !AscendingOrder()(value, element);
                                  });
    }
    /// Values of an array, where one of both has a type known at run time, and the other one that
    /// is not built in.
    template <plain_array S, plain_array V>
        requires(std::is_void_v<ElementOrVoid<S>> != std::is_void_v<ElementOrVoid<V>> &&
                 OrderedByLess<OtherElement<S, V>>)
    MutableTensor<std::int64_t>
    operator()(const S& sorted, const V& values, Side side = Side::left) const {
        using T = OtherElement<S, V>;
        return (*this)(AnyTensor(operand_for_call(sorted)).template as<T>(),
                       AnyTensor(operand_for_call(values)).template as<T>(), side);
    }
    /// One text or time among elements of a type known at run time.
    template <plain_array S, text_or_time V>
    requires std::is_void_v<ElementOrVoid<S>> index_t operator()(const S& sorted, const V& value,
                                                                 Side side = Side::left) const {
        const LookedFor<V> wanted(value);
        return (*this)(AnyTensor(operand_for_call(sorted)).template as<LookedFor<V>>(), wanted,
                       side);
    }
    template <typename V>
        requires(looked_up<V> || searched_array<V>)
    auto operator()(V&& values, Side side = Side::left) const {
        return make_stage(*this, kept_argument(std::forward<V>(values)), side);
    }
    template <looked_up V, plain_number_array O>
    auto operator()(V&& values, Side side, O&& sorter) const {
        return make_stage(*this, kept_argument(std::forward<V>(values)), side,
                          kept_argument(std::forward<O>(sorter)));
    }

private:
    template <typename S, typename V>
    static auto places(const S& sorted, const V& values, Side side, const Operand* sorter) {
        const auto& among = tensor_for_call(sorted);
        return look_up<std::int64_t>(values, [&](const WeakOperand& wanted) {
            return sorted_places("searchsorted", {among.operand(), false}, wanted, side, sorter);
        });
    }
    template <typename T>
    static MutableTensor<std::int64_t> places_of_objects(const Tensor<T>& sorted,
                                                         const Tensor<T>& values, Side side) {
        require_one_axis("searchsorted", sorted);
        const std::vector<T> elements = to_vector(sorted);
        MutableTensor<std::int64_t> result = empty<std::int64_t>(values.shape());
        std::int64_t* out = as_span(result).data();
        for (const T& value : values)
            *out++ = (side == Side::left ? std::lower_bound(elements.begin(), elements.end(), value,
                                                            AscendingOrder())
                                         : std::upper_bound(elements.begin(), elements.end(), value,
                                                            AscendingOrder())) -
                     elements.begin();
        return brought_to(values.operand(), result);
    }
};
inline constexpr SearchsortedFunction searchsorted;

/// `digitize(x, edges)`, or a stage: the bin of each element, as in NumPy: i where
/// `edges[i - 1] <= x < edges[i]`, 0 below all edges, and the number of edges above them. With
/// `Side::right`, where `edges[i - 1] < x <= edges[i]`: the right edge belongs to a bin. Edges may
/// descend: then i where `edges[i - 1] > x >= edges[i]`. NaN counts as greater than all numbers.
/// int64 in memory of the shape of `x`, under its dims; for a number, a number. Eager, O(elements
/// log edges). Throws `Error` for edges that neither ascend nor descend, `ShapeError` unless they
/// have rank 1, `DtypeError`.
struct DigitizeFunction : RefusedAlong {
    using RefusedAlong::operator();

    template <looked_up X, plain_number_array E>
        requires comparable_with<X, E>
    auto operator()(const X& x, const E& edges, Side side = Side::left) const {
        const auto& bins = tensor_for_call(edges);
        return look_up<std::int64_t>(x, [&](const WeakOperand& values) {
            return bin_places(values, {bins.operand(), false}, side);
        });
    }
    template <plain_number_array E>
    auto operator()(E&& edges, Side side = Side::left) const {
        return make_stage(*this, kept_argument(std::forward<E>(edges)), side);
    }
};
inline constexpr DigitizeFunction digitize;

} // namespace purview
