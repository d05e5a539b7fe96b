#pragma once

#include <purview/functional/assembly/argfilter.hpp>
#include <purview/functional/elementwise/generic_operations.hpp>
#include <purview/reader/index_set.hpp>

namespace purview::inline v0_1 {

/// The index set of an operand of bools or of integers, as `index_set`. Throws `DtypeError` for
/// other types, and `IndexError` for negative integers.
PURVIEW_EXPORT IndexSet index_set_of(const Operand& x);
/// The indexes of a set in memory, ascending.
PURVIEW_EXPORT MutableTensor<std::int64_t> indexes_of(const IndexSet& set);

/// `index_set(mask)`: the row-major indexes of the true elements, which `argfilter` gives, as a
/// set. `index_set(pred, x)`, or `x | index_set(pred)`: of the elements for which a predicate is
/// true. `index_set(list)`: the integers of a tensor, in any order.
///
/// Eager, O(size); the mask is not stored. Throws `DtypeError` for elements that are neither bools
/// nor integers, `IndexError` for negative integers, `KindError` for a sparse mask of more than 2³⁶
/// elements whose fill is true.
inline constexpr MaskFunction<index_set_of> index_set;

/// A mask of `shape`, true where the row-major index is in the set. Lazy, O(1). Throws `IndexError`
/// if an index of the set exceeds the last element's.
PURVIEW_EXPORT Tensor<bool> mask_of(const IndexSet& set, AxisValues shape);

/// Set operations on tensors of indexes in any order: union, intersection, difference. int64 in
/// memory, ascending, each once. Eager, O(size). Throws as `index_set`.
template <Op op>
struct IndexAlgebraFunction : RefusedArguments {
    using RefusedArguments::operator();
    template <plain_array X, plain_array Y>
    MutableTensor<std::int64_t> operator()(const X& x, const Y& y) const {
        return indexes_of(
            Generic<op>()(index_set_of(operand_for_call(x)), index_set_of(operand_for_call(y))));
    }
};
inline constexpr IndexAlgebraFunction<Op::bit_or> index_union;
inline constexpr IndexAlgebraFunction<Op::bit_and> index_intersection;
inline constexpr IndexAlgebraFunction<Op::subtract> index_difference;

} // namespace purview
