#pragma once

#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sorting.hpp>
#include <purview/functional/along/axis_parts.hpp>
#include <purview/functional/along/merge_sort.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/functional/elementwise/operators.hpp>
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

/// The same in ascending or descending order, for any type: a radix sort for built-in types, else
/// by `<`.
template <typename T>
MutableTensor<std::int64_t> argsort_in(const AxisParts& parts, SortOrder order) {
    if constexpr (BuiltinType<T>) {
        MutableTensor<std::int64_t> result = empty<std::int64_t>(parts.operand.dims.max_shape());
        argsort_groups(parts.operand, parts.groups, order, as_span(result).data());
        return result;
    } else {
        static_assert(ElementOrder<Less, T>,
                      "argsort: this element type has no `<`; give a function");
        if (order == SortOrder::descending)
            return argsort_by<T>(parts, [](const T& a, const T& b) { return b < a; });
        return argsort_by<T>(parts, Less{});
    }
}
/// The same for a type known at run time. Throws `DtypeError` for types that are not built-in.
PURVIEW_EXPORT MutableTensor<std::int64_t> any_argsort(const AxisParts& parts, SortOrder order);

/// What sorting functions accept besides a tensor and an axis: an order, or a comparison function.
template <typename B>
concept OrderLike = std::same_as<B, SortOrder> ||
    (!array_like<B> && !AxisLike<B> && std::is_class_v<B>);

template <TensorLike X, typename B>
MutableTensor<std::int64_t> argsort_view(const X&, const AxisParts& parts, const B& order) {
    if constexpr (!TypedTensor<X>) {
        static_assert(std::same_as<B, SortOrder>,
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
/// Throws `IndexError`, `DimError`, and `DtypeError` for elements known at run time that are not of
/// a built-in type.
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
            static_assert(std::same_as<B, SortOrder>,
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

} // namespace purview
