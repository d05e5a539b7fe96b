#pragma once

#include <purview/base/index.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sorting.hpp>
#include <purview/functional/along/along.hpp>
#include <purview/functional/along/axis_parts.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/elementwise/generic_operations.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/stage.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview {

/// Sorts `count` indexes stably by `before(a, b)`, with `count` entries of scratch memory at
/// `room`. O(n log n) comparisons. (Including <algorithm> instead would cost every user compile
/// time.)
template <typename Before>
void merge_sort(index_t* indexes, index_t* room, index_t count, const Before& before) {
    constexpr index_t kRun = 16;
    for (index_t begin = 0; begin < count; begin += kRun) {
        const index_t end = begin + kRun < count ? begin + kRun : count;
        for (index_t i = begin + 1; i < end; ++i) {
            const index_t moved = indexes[i];
            index_t at = i;
            for (; at > begin && before(moved, indexes[at - 1]); --at)
                indexes[at] = indexes[at - 1];
            indexes[at] = moved;
        }
    }
    index_t* from = indexes;
    index_t* to = room;
    for (index_t width = kRun; width < count; width *= 2) {
        for (index_t begin = 0; begin < count; begin += 2 * width) {
            const index_t middle = begin + width < count ? begin + width : count;
            const index_t end = middle + width < count ? middle + width : count;
            index_t left = begin;
            index_t right = middle;
            const bool merges = middle < end && before(from[middle], from[middle - 1]);
            for (index_t i = begin; i < end; ++i)
                to[i] =
                    left < middle && (!merges || right == end || !before(from[right], from[left]))
                        ? from[left++]
                        : from[right++];
        }
        std::swap(from, to);
    }
    if (from != indexes)
        for (index_t i = 0; i < count; ++i) indexes[i] = from[i];
}

/// A function that tells whether one element sorts before another: a strict weak order.
template <typename F, typename T>
concept ElementOrder = requires(const F& before, const T& a, const T& b) {
    { before(a, b) } -> std::convertible_to<bool>;
};

/// The indexes that sort each part by a comparison function, in memory of the shape of the parts.
template <typename T, typename Before>
MutableTensor<std::int64_t> argsort_by(const AxisParts& parts, const Before& before) {
    MutableTensor<std::int64_t> result = empty<std::int64_t>(parts.operand.dims.max_shape());
    const index_t length = parts.length;
    if (result.empty()) return result;
    const Evaluation evaluation(parts.operand, Reads::within_one_operation);
    const std::unique_ptr<T[]> elements(new T[static_cast<std::size_t>(length)]());
    std::vector<index_t> room(static_cast<std::size_t>(length));
    std::int64_t* out = as_span(result).data();
    for (index_t group = 0; group < parts.groups; ++group, out += length) {
        evaluation.read(group * length, length, elements.get());
        for (index_t i = 0; i < length; ++i) out[i] = i;
        merge_sort(out, room.data(), length, [&](index_t a, index_t b) {
            return static_cast<bool>(before(std::as_const(elements[static_cast<std::size_t>(a)]),
                                            std::as_const(elements[static_cast<std::size_t>(b)])));
        });
    }
    return result;
}

/// The indexes that sort each part of `numbers`, which are of a built-in type: a radix sort.
PURVIEW_EXPORT MutableTensor<std::int64_t> argsort_numbers(const AxisParts& parts,
                                                           const Operand& numbers, SortOrder order);

/// The indexes that sort each part, of any type: numbers, and times as the numbers that they are
/// counted in, by a radix sort, others by `<`.
template <typename T>
MutableTensor<std::int64_t> argsort_in(const AxisParts& parts, SortOrder order) {
    if constexpr (BuiltinType<T>) {
        return argsort_numbers(parts, parts.operand, order);
    } else {
        if constexpr (TimeElement<T>)
            if (kDType<T>.counted_in().is_builtin())
                return argsort_numbers(parts, times_as_counts(parts.operand), order);
        static_assert(ElementOrder<Less, T>,
                      "argsort: this element type has no `<`; give a function");
        if (order == SortOrder::descending)
            return argsort_by<T>(parts, [](const T& a, const T& b) { return b < a; });
        return argsort_by<T>(parts, Less{});
    }
}
/// The same for a type known at run time. Throws `DtypeError` unless it is built-in, a string or a
/// time.
PURVIEW_EXPORT MutableTensor<std::int64_t> any_argsort(const AxisParts& parts, SortOrder order);

/// What sorting functions accept besides a tensor and an axis: an order, or a comparison function.
template <typename B>
concept OrderLike = std::same_as<B, SortOrder> ||
    (!array_like<B> && !AxisLike<B> && std::is_class_v<B>);

template <TensorLike X, typename B>
MutableTensor<std::int64_t> argsort_view(const X&, const AxisParts& parts, const B& order) {
    if constexpr (!TypedTensor<X>) {
        static_assert(std::is_same_v<B, SortOrder>,
                      "a function compares elements of a type known to the compiler");
        return any_argsort(parts, order);
    } else if constexpr (std::same_as<B, SortOrder>) {
        return argsort_in<typename X::value_type>(parts, order);
    } else {
        static_assert(ElementOrder<B, typename X::value_type>,
                      "the function compares two elements, and returns bool");
        return argsort_by<typename X::value_type>(parts, order);
    }
}

/// The overloads of functions along one axis that take an order: `f(x)`, `f(x, axis)`,
/// `f(x, order)`, `f(x, axis, order)`; without the tensor, a stage. `Along` implements the
/// function.
template <typename Along>
struct SortingFunction : PipelineStage {
    template <TensorLike X>
        requires(!AxisLike<X> && !kDefersReductions<X>)
    auto operator()(const X& x) const { return Along{}(x, {}, ascending); }
    template <TensorLike X, OneAxisLike A = AxisOrDim>
        requires(!AxisLike<X> && !kDefersReductions<X>)
    auto operator()(const X& x, const A& axis) const {
        return Along{}(x, AxisOrDim(axis), ascending);
    }
    template <TensorLike X, OrderLike B>
        requires(!AxisLike<X> && !kDefersReductions<X>)
    auto operator()(const X& x, const B& order) const { return Along{}(x, {}, order); }
    template <TensorLike X, OneAxisLike A = AxisOrDim, OrderLike B>
        requires(!AxisLike<X> && !kDefersReductions<X>)
    auto operator()(const X& x, const A& axis, const B& order) const {
        return Along{}(x, AxisOrDim(axis), order);
    }

    template <OneAxisLike A = AxisOrDim>
    auto operator()(const A& axis) const {
        return stage(AxisOrDim(axis), ascending);
    }
    template <OrderLike B>
    auto operator()(const B& order) const {
        return stage({}, order);
    }
    template <OneAxisLike A = AxisOrDim, OrderLike B>
    auto operator()(const A& axis, const B& order) const {
        return stage(AxisOrDim(axis), order);
    }

private:
    template <typename B>
    static auto stage(const ChosenAxis& axis, const B& order) {
        return Stage([axis, order]<TensorLike X>(const X& x) { return Along{}(x, axis, order); });
    }
};

struct ArgsortAlong {
    template <TensorLike X, typename B>
    auto operator()(const X& x, const ChosenAxis& axis, const B& order) const {
        return along_axis<std::int64_t>("argsort", x, axis, [&](const AxisParts& parts) {
            return argsort_view(x, parts, order).operand();
        });
    }
};

/// `argsort(x)`, `argsort(x, axis)`, `argsort(x, descending)`, `argsort(x, axis, before)`, or a
/// stage: the indexes that sort the elements along an axis or a Dim (by default the last axis).
/// int64, of the shape of `x`, under its dims.
///
/// Stable. NaN comes last in either order; -0 equals 0; false comes before true. Elements of types
/// that are not built-in are compared by `<`. `before(a, b)` is a strict weak order, called through
/// const.
///
/// Eager. O(size) for the built-in types, on several threads; O(size log length) with a function.
/// Throws `IndexError`, `DimError`, and `DtypeError` for elements of types known at run time that
/// are not built-in, strings or times.
inline constexpr AcceptingArrays<SortingFunction<ArgsortAlong>> argsort;

/// The elements of each part at `indexes`, which count within the part; in memory.
template <typename T>
MutableTensor<T> taken_along(const AxisParts& parts, const MutableTensor<std::int64_t>& indexes) {
    MutableTensor<T> result = empty<T>(parts.operand.dims.max_shape());
    if (result.empty()) return result;
    const std::int64_t* at = as_span(indexes).data();
    T* out = as_span(result).data();
    if constexpr (BuiltinType<T>) {
        take_groups(parts.operand, parts.groups, at, out);
    } else {
        const Evaluation evaluation(parts.operand, Reads::within_one_operation);
        const std::unique_ptr<T[]> elements(new T[static_cast<std::size_t>(parts.length)]());
        for (index_t group = 0; group < parts.groups; ++group) {
            evaluation.read(group * parts.length, parts.length, elements.get());
            for (index_t i = 0; i < parts.length; ++i)
                *out++ = std::move(elements[static_cast<std::size_t>(*at++)]);
        }
    }
    return result;
}
PURVIEW_EXPORT AnyTensor any_sort(const AxisParts& parts, SortOrder order);

struct SortAlong {
    template <TensorLike X, typename B>
    auto operator()(const X& x, const ChosenAxis& axis, const B& order) const {
        if constexpr (TypedTensor<X>) {
            using T = typename X::value_type;
            return along_axis<T>("sort", x, axis, [&](const AxisParts& parts) {
                return taken_along<T>(parts, argsort_view(x, parts, order)).operand();
            });
        } else {
            static_assert(std::is_same_v<B, SortOrder>,
                          "a function compares elements of a type known to the compiler");
            return along_axis<void>("sort", x, axis, [&](const AxisParts& parts) {
                return any_sort(parts, order).operand();
            });
        }
    }
};

/// The elements sorted along an axis or a Dim, in new memory: those at the indexes that `argsort`
/// gives. Otherwise as `argsort`.
inline constexpr AcceptingArrays<SortingFunction<SortAlong>> sort;

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
