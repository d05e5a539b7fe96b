#pragma once

#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/along/search.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/stage.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace purview {

/// Whether the place of a value is before or after the elements that equal it.
enum class Side : std::uint8_t { left, right };

/// A tensor of values to look up, which may have bound dims.
template <typename V>
concept SearchedValues = TensorLike<V> && !kDefersReductions<std::remove_cvref_t<V>>;

/// The places of values among sorted elements, both compared in the type `compute`: int64 in the
/// shape of the values. With `sorter`, the i-th element in sorted order is element `sorter[i]`.
/// Throws `ShapeError` unless `sorted` has rank 1, `IndexError` for an index in the sorter that is
/// out of range, `DtypeError`.
PURVIEW_EXPORT Operand sorted_places(const char* what, const Operand& sorted, const Operand& values,
                                     DType compute, Side side, const Operand* sorter = nullptr);
/// The bins of values, given edges that ascend or descend. Throws `Error` for edges that do
/// neither.
PURVIEW_EXPORT Operand bin_places(const Operand& values, const Operand& edges, DType compute,
                                  Side side);

/// The type in which elements of two tensors are compared. Throws `DtypeError` naming `what` where
/// there is none.
template <typename X, typename Y>
DType compared_dtype(const char* what, const X& x, const Y& y) {
    if constexpr (TypedTensor<X> && TypedTensor<Y>) {
        static_assert(!std::is_void_v<Computed<X, Y>>,
                      "these element types have no common type (a signed integer with uint64): "
                      "cast one of them");
        return kDType<Computed<X, Y>>;
    } else {
        const auto operand_of = []<typename Z>(const Z& z) {
            if constexpr (HasDims<Z>)
                return settled(dim_operand(z)).operand;
            else
                return z.operand();
        };
        WeakOperand a{operand_of(x), false};
        WeakOperand b{operand_of(y), false};
        return computed_dtype(what, a, b);
    }
}

/// `searchsorted(sorted, values)`: for each value the first position in a sorted tensor of rank 1
/// whose element does not sort before the value, as in NumPy; with `Side::right`, the first whose
/// element sorts after it. For a number, a number; for a tensor of any rank, int64 in memory of its
/// shape, under its dims. `searchsorted(sorted, values, side, sorter)`: in a tensor that the
/// indexes in `sorter` (as `argsort` gives) put in order. Or a stage,
/// `sorted | searchsorted(values, side)`.
///
/// Types are promoted as in a comparison; NaN sorts after all numbers; elements of types that are
/// not built-in are compared by `<`. If the tensor is not sorted, positions are unspecified, within
/// [0, n]. Eager, O(values log n), on several threads; for ascending values O(values log(n /
/// values)). Throws `ShapeError` unless `sorted` has rank 1, and for a sorter of another length,
/// `IndexError` for an index in it that is out of range, `DtypeError`.
struct SearchsortedFunction {
    template <NumberTensor S, SearchedValues V>
        requires(!TypedTensor<V> || BuiltinType<OperandElement<V>>)
    auto operator()(const S& sorted, const V& values, Side side = Side::left) const {
        return places(sorted, values, side, nullptr);
    }
    template <NumberTensor S, SearchedValues V, NumberTensor O>
        requires(!TypedTensor<V> || BuiltinType<OperandElement<V>>)
    auto operator()(const S& sorted, const V& values, Side side, const O& sorter) const {
        const Operand order = sorter.operand();
        return places(sorted, values, side, &order);
    }
    template <NumberTensor S, NumberLike V>
    index_t operator()(const S& sorted, const V& value, Side side = Side::left) const {
        WeakOperand x = weak_operand(sorted);
        WeakOperand y = weak_operand(value);
        const DType compute = computed_dtype("searchsorted", x, y);
        return Tensor<std::int64_t>(
                   sorted_places("searchsorted", x.operand, y.operand, compute, side))
            .item();
    }
    template <ElementType T>
        requires(!BuiltinType<T>)
    MutableTensor<std::int64_t>
    operator()(const Tensor<T>& sorted, const Tensor<T>& values, Side side = Side::left) const {
        static_assert(ElementOrder<Less, T>, "searchsorted: this element type has no `<`");
        require_one_axis("searchsorted", sorted);
        std::vector<T> elements(static_cast<std::size_t>(sorted.size()));
        Evaluation(sorted.operand()).read(0, sorted.size(), elements.data());
        MutableTensor<std::int64_t> result = empty<std::int64_t>(values.shape());
        const Evaluation evaluation(values.operand());
        std::int64_t* out = as_span(result).data();
        std::vector<T> block(static_cast<std::size_t>((std::min)(values.size(), kSearchedBlock)));
        for (index_t begin = 0; begin < values.size(); begin += kSearchedBlock) {
            const index_t count = (std::min)(kSearchedBlock, values.size() - begin);
            evaluation.read(begin, count, block.data());
            for (index_t i = 0; i < count; ++i)
                *out++ = place_of(elements, block[static_cast<std::size_t>(i)], side);
        }
        return result;
    }
    /// One element of a type that is not built in.
    template <TypedTensor S>
        requires(PlainOrOrdered<S> && !BuiltinType<OperandElement<S>>)
    index_t operator()(const S& sorted, const std::type_identity_t<OperandElement<S>>& value,
                       Side side = Side::left) const {
        using T = OperandElement<S>;
        static_assert(ElementOrder<Less, T>, "searchsorted: this element type has no `<`");
        const Tensor<T> x(plain_tensor(sorted));
        require_one_axis("searchsorted", x);
        return first_place_not<T>(
            Evaluation(x.operand(), Reads::within_one_operation), [&](const T& element) {
                return side == Side::left ? element < value : !(value < element);
            });
    }
    template <typename V>
        requires(SearchedValues<V> || NumberLike<V>)
    auto operator()(const V& values, Side side = Side::left) const {
        return make_stage(*this, values, side);
    }
    template <SearchedValues V, NumberTensor O>
    auto operator()(const V& values, Side side, const O& sorter) const {
        return make_stage(*this, values, side, sorter);
    }

private:
    /// Elements that are read at a time.
    static constexpr index_t kSearchedBlock = 1024;

    template <typename T>
    static index_t place_of(const std::vector<T>& sorted, const T& value, Side side) {
        const auto at = side == Side::left ? std::lower_bound(sorted.begin(), sorted.end(), value)
                                           : std::upper_bound(sorted.begin(), sorted.end(), value);
        return at - sorted.begin();
    }

    template <typename S, typename V>
    static auto places(const S& sorted, const V& values, Side side, const Operand* sorter) {
        const DType compute = compared_dtype("searchsorted", sorted, values);
        return in_shape_of<std::int64_t>(values, [&](const Operand& wanted) {
            return sorted_places("searchsorted", sorted.operand(), wanted, compute, side, sorter);
        });
    }
};
inline constexpr AcceptingArrays<SearchsortedFunction> searchsorted;

/// `digitize(x, edges)`, or a stage: the bin of each element, as in NumPy: i where
/// `edges[i - 1] <= x < edges[i]`, 0 below all edges, and the number of edges above them. With
/// `Side::right`, where `edges[i - 1] < x <= edges[i]`: the right edge belongs to a bin. Edges may
/// descend: then i where `edges[i - 1] > x >= edges[i]`. NaN counts as greater than all numbers.
/// int64 in memory of the shape of `x`, under its dims; for a number, a number. Eager, O(elements
/// log edges). Throws `Error` for edges that neither ascend nor descend, `ShapeError` unless they
/// have rank 1, `DtypeError`.
struct DigitizeFunction {
    template <SearchedValues X, NumberTensor E>
        requires(!TypedTensor<X> || BuiltinType<OperandElement<X>>)
    auto operator()(const X& x, const E& edges, Side side = Side::left) const {
        const DType compute = compared_dtype("digitize", x, edges);
        return in_shape_of<std::int64_t>(x, [&](const Operand& values) {
            return bin_places(values, edges.operand(), compute, side);
        });
    }
    template <NumberLike X, NumberTensor E>
    index_t operator()(const X& x, const E& edges, Side side = Side::left) const {
        WeakOperand value = weak_operand(x);
        WeakOperand bins = weak_operand(edges);
        const DType compute = computed_dtype("digitize", value, bins);
        return Tensor<std::int64_t>(bin_places(value.operand, bins.operand, compute, side)).item();
    }
    template <NumberTensor E>
    auto operator()(const E& edges, Side side = Side::left) const {
        return make_stage(*this, edges, side);
    }
};
inline constexpr AcceptingArrays<DigitizeFunction> digitize;

} // namespace purview
