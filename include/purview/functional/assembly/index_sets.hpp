#pragma once

#include <purview/functional/assembly/argfilter.hpp>
#include <purview/reader/index_set.hpp>
#include <purview/tensor/accepting_arrays.hpp>

namespace purview {

/// A set of an operand of bools or of integers. Throws `DtypeError` for others, and `IndexError` for negative integers.
PURVIEW_EXPORT IndexSet index_set_of(const Operand& x);
/// The indexes of a set in memory, ascending.
PURVIEW_EXPORT MutableTensor<std::int64_t> indexes_of(const IndexSet& set);

/// `index_set(mask)`: the row-major indexes of the true elements: what `argfilter` gives, as a set.
/// `index_set(pred, x)`, or `x | index_set(pred)`: of the elements that a function is true for.
/// `index_set(list)`: the integers of a tensor, whatever their order.
///
/// Eager, O(size); the mask is not put into memory. Throws `DtypeError` for elements that are neither bools nor integers,
/// `IndexError` for negative integers, `KindError` for a sparse mask of more than 2³⁶ elements whose fill is true.
struct IndexSetFunction : PipelineStage {
    template <EagerOperand X>
    IndexSet operator()(const X& x) const {
        return index_set_of(x.operand());
    }
    template <typename F, EagerOperand X>
    requires TypedTensor<X> && ElementPredicate<F, typename X::value_type>
        IndexSet operator()(F pred, const X& x) const {
        return (*this)(emap(
            [pred = std::move(pred)](const typename X::value_type& element) {
                return static_cast<bool>(pred(element));
            },
            x));
    }
    template <typename F>
        requires(!array_like<F>)
    auto operator()(F pred) const {
        return Stage(
            [pred = std::move(pred)]<EagerOperand X>(const X& x) requires TypedTensor<X> &&
            ElementPredicate<F, typename X::value_type> { return IndexSetFunction{}(pred, x); });
    }
};
inline constexpr AcceptingArrays<IndexSetFunction> index_set;

/// The bools of a shape: true where the row-major index is in the set. Lazy, O(1). Throws `IndexError` if an index lies
/// behind the last element.
PURVIEW_EXPORT Tensor<bool> mask_of(const IndexSet& set, AxisValues shape);

/// Set operations on tensors of indexes in any order: those of either, of both, of the first alone. int64 in memory,
/// ascending, each once. Eager, O(size). Throws as `index_set`.
template <typename Combine>
struct IndexAlgebraFunction {
    template <EagerOperand X, EagerOperand Y>
    MutableTensor<std::int64_t> operator()(const X& x, const Y& y) const {
        return indexes_of(Combine{}(index_set_of(x.operand()), index_set_of(y.operand())));
    }
};
struct UniteSets {
    IndexSet operator()(const IndexSet& a, const IndexSet& b) const { return a | b; }
};
struct IntersectSets {
    IndexSet operator()(const IndexSet& a, const IndexSet& b) const { return a & b; }
};
struct SubtractSets {
    IndexSet operator()(const IndexSet& a, const IndexSet& b) const { return a - b; }
};
inline constexpr AcceptingArrays<IndexAlgebraFunction<UniteSets>> index_union;
inline constexpr AcceptingArrays<IndexAlgebraFunction<IntersectSets>> index_intersection;
inline constexpr AcceptingArrays<IndexAlgebraFunction<SubtractSets>> index_difference;

} // namespace purview
