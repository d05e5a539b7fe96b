#pragma once

#include <purview/functional/along/along.hpp>
#include <purview/functional/along/argsort.hpp>
#include <purview/tensor/accepting_arrays.hpp>

namespace purview {

/// The indexes of `count` elements of each part, the first ones in order; all parts have as many.
/// Throws `IndexError` naming `what` unless 0 <= count <= length.
PURVIEW_EXPORT Operand first_in_order(const char* what, const AxisParts& parts, index_t count,
                                      SortOrder order);
/// The indexes of each part, those of the first `kth` in order before that of element `kth`, and the others behind it.
/// Throws `IndexError` unless `kth` is in [-length, length).
PURVIEW_EXPORT Operand partitioned(const AxisParts& parts, index_t kth, SortOrder order);

/// `argpartition(x, kth)`, `argpartition(x, kth, axis)`, perhaps with an order, or a stage: the indexes along an axis or a Dim,
/// the last axis if none is given, such that element `kth` (from the end if negative) is where sorting
/// would put it, those that come before it are before, the others behind it. int64, of the shape of `x`. Stable on both sides: NumPy's is not.
/// NaN comes last in either order. Eager, O(size). Throws `IndexError`, `DimError`, `DtypeError` of types that are not
/// built in.
struct ArgpartitionFunction {
    template <TensorLike X>
        requires(!AxisLike<X> && !kFoldsLater<X>)
    auto operator()(const X& x, index_t kth, SortOrder order = ascending) const {
        return along(x, kth, {}, order);
    }
    template <TensorLike X, OneAxisLike A = AxisOrDim>
        requires(!AxisLike<X> && !kFoldsLater<X>)
    auto operator()(const X& x, index_t kth, const A& axis, SortOrder order = ascending) const {
        return along(x, kth, AxisOrDim(axis), order);
    }
    template <StageNumber<index_t> N>
    auto operator()(const N& kth, SortOrder order = ascending) const {
        return later(*this, static_cast<index_t>(kth), order);
    }
    template <IndexInteger N, OneAxisLike A = AxisOrDim>
    auto operator()(N kth, const A& axis, SortOrder order = ascending) const {
        return later(*this, kth, axis, order);
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
        requires(!kFoldsLater<X>)
    auto operator()(const X& x, index_t n, const ChosenAxis& axis) const {
        require_positional(kName, axis);
        return along_axis<std::int64_t>(kName, x, axis, [&](const AxisParts& parts) {
            return first_in_order(kName, parts, n, order);
        });
    }
};
/// `arg_min_n(x, n)`, `arg_min_n(x, n, axis)`, or a stage: the indexes of the `n` least elements along an axis, the last one
/// if none is given, the least first, the first of equal ones first. int64; the axis has size `n`, and so cannot be a Dim.
/// NaN comes last. Eager, O(size + n log n). Throws `IndexError` for more than there are, `DimError`, `DtypeError` of types that
/// are not built in.
inline constexpr AcceptingArrays<CountAlongFunction<ArgFirstAlong<ascending>>> arg_min_n;
/// The same of the `n` greatest, the greatest first. NaN still comes last.
inline constexpr AcceptingArrays<CountAlongFunction<ArgFirstAlong<descending>>> arg_max_n;

} // namespace purview
