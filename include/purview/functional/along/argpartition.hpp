#pragma once

#include <purview/functional/along/along.hpp>
#include <purview/functional/along/argsort.hpp>
#include <purview/tensor/accepting_arrays.hpp>

namespace purview {

/// The indexes of the first `count` elements of each part in sorted order. Throws `IndexError`
/// naming `what` unless 0 <= count <= length.
PURVIEW_EXPORT Operand first_in_order(const char* what, const AxisParts& parts, index_t count,
                                      SortOrder order);
/// The indexes of each part, partitioned around element `kth` in sorted order: those that sort
/// before it, its own, the others. Throws `IndexError` unless `kth` is in [-length, length).
PURVIEW_EXPORT Operand partitioned(const AxisParts& parts, index_t kth, SortOrder order);

/// `argpartition(x, kth)`, `argpartition(x, kth, axis)`, optionally followed by an order, or a
/// stage: indexes along an axis or a Dim (by default the last axis) such that element `kth` (from
/// the end if negative) is where sorting would put it, elements that sort before it are before it,
/// and the others after it. int64, of the shape of `x`. Stable on both sides, which NumPy's is not.
/// NaN comes last in either order. Eager, O(size). Throws `IndexError`, `DimError`, `DtypeError`
/// for types that are not built-in.
struct ArgpartitionFunction {
    template <TensorLike X>
        requires(!AxisLike<X> && !kDefersReductions<X>)
    auto operator()(const X& x, index_t kth, SortOrder order = ascending) const {
        return along(x, kth, {}, order);
    }
    template <TensorLike X, OneAxisLike A = AxisOrDim>
        requires(!AxisLike<X> && !kDefersReductions<X>)
    auto operator()(const X& x, index_t kth, const A& axis, SortOrder order = ascending) const {
        return along(x, kth, AxisOrDim(axis), order);
    }
    template <StageNumber<index_t> N>
    auto operator()(const N& kth, SortOrder order = ascending) const {
        return make_stage(*this, static_cast<index_t>(kth), order);
    }
    template <IndexInteger N, OneAxisLike A = AxisOrDim>
    auto operator()(N kth, const A& axis, SortOrder order = ascending) const {
        return make_stage(*this, kth, axis, order);
    }

private:
    template <TensorLike X>
    static auto along(const X& x, index_t kth, const ChosenAxis& axis, SortOrder order) {
        return along_axis<std::int64_t>("argpartition", x, axis, [&](const AxisParts& parts) {
            return partitioned(parts, kth, order);
        });
    }
};
inline constexpr AcceptingArrays<ArgpartitionFunction> argpartition;

template <SortOrder order>
struct ArgFirstAlong {
    static constexpr const char* kName = order == ascending ? "arg_min_n" : "arg_max_n";

    template <TensorLike X>
        requires(!kDefersReductions<X>)
    auto operator()(const X& x, index_t n, const ChosenAxis& axis) const {
        require_positional(kName, axis);
        return along_axis<std::int64_t>(kName, x, axis, [&](const AxisParts& parts) {
            return first_in_order(kName, parts, n, order);
        });
    }
};
/// `arg_min_n(x, n)`, `arg_min_n(x, n, axis)`, or a stage: the indexes of the `n` smallest elements
/// along an axis (by default the last), the smallest first, equal ones in order of their indexes.
/// int64; the axis gets size `n`, and so cannot be a Dim. NaN comes last. Eager, O(size + n log n).
/// Throws `IndexError` if `n` exceeds the size of the axis, `DimError`, `DtypeError` for types that
/// are not built-in.
inline constexpr AcceptingArrays<CountAlongFunction<ArgFirstAlong<ascending>>> arg_min_n;
/// The same for the `n` greatest elements, the greatest first. NaN still comes last.
inline constexpr AcceptingArrays<CountAlongFunction<ArgFirstAlong<descending>>> arg_max_n;

} // namespace purview
