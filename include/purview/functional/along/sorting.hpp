#pragma once

#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/sorting.hpp>
#include <purview/functional/along/along.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/elementwise/generic_operations.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

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

/// Elements that `<` orders: not floats of 16 bits, because of NaN (`cast<float>` them first).
template <typename T>
concept OrderedByLess = ElementOrder<Generic<Op::less>, T> && !kIsFloat16<T>;

/// The indexes that sort each part by a comparison function, in memory of the shape of the parts. Throws
/// `DeviceError` naming `what`.
template <typename T, typename Before>
MutableTensor<std::int64_t> argsort_by(const char* what, const AxisParts& parts,
                                       const Before& before) {
    require_host_reads(what, parts.operand);
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

/// The indexes that sort each part: of numbers, and of times as the numbers that they are counted
/// in, by a radix sort, of strings and other times by `<`. Throws `DtypeError` naming `what` for
/// elements of other types.
PURVIEW_EXPORT MutableTensor<std::int64_t> argsort_parts(const char* what, const AxisParts& parts,
                                                         SortOrder order);
/// The elements that `argsort_parts` leads to, in memory.
PURVIEW_EXPORT Operand sorted_parts(const char* what, const AxisParts& parts, SortOrder order);

/// Elements that the library sorts itself, whatever their static type.
template <typename T>
inline constexpr bool kIsSortedByLibrary = kIsNumberOrVoid<T> || std::same_as<T, std::string>;
template <TimeElement T>
inline constexpr bool kIsSortedByLibrary<T> = BuiltinType<Canonical<typename T::rep>>;

/// What sorting functions accept besides a tensor and an axis: an order, or a comparison function.
template <typename B>
concept OrderLike = std::same_as<B, SortOrder> ||
    (!array_like<B> && !AxisLike<B> && std::is_class_v<B> && !NanPolicy<B>);

/// Whether elements are sorted by `B`: by an order if they have one (`void`: known at run time), or
/// by a function of two of them.
template <typename T, typename B>
inline constexpr bool kSorts = ElementOrder<B, T>;
template <typename T>
inline constexpr bool kSorts<T, SortOrder> = kIsSortedByLibrary<T> || OrderedByLess<T>;
template <typename X, typename B>
concept sortable_by = lanes<X> && kSorts<ElementOrVoid<X>, B>;

/// The indexes that sort each part, of elements of any type (`void`: known at run time).
template <typename T, typename B>
MutableTensor<std::int64_t> argsort_in(const AxisParts& parts, const B& order,
                                       const char* what = "argsort") {
    if constexpr (!std::same_as<B, SortOrder>)
        return argsort_by<T>(what, parts, order);
    else if constexpr (kIsSortedByLibrary<T>)
        return argsort_parts(what, parts, order);
    else if (order == SortOrder::descending)
        return argsort_by<T>(what, parts, [](const T& a, const T& b) { return b < a; });
    else
        return argsort_by<T>(what, parts, Generic<Op::less>{});
}

/// The elements of each part at `indexes`, which count within the part. Lazy.
PURVIEW_EXPORT Operand taken_along(const AxisParts& parts, const Operand& indexes);

/// The calls of functions along one axis that take an order: `f(x)`, `f(x, axis)`, `f(x, order)`,
/// `f(x, axis, order)`; without the tensor, a stage. `Along::over(x, axis, order)` implements the
/// function.
template <typename Along>
struct SortingFunction : RefusedOperand<SortingFunction<Along>>, PipelineStage {
    using RefusedOperand<SortingFunction>::operator();
    template <typename T>
    static constexpr bool kIsDefinedFor = kSorts<T, SortOrder>;

    template <typename X, OrderLike B = SortOrder>
        requires sortable_by<X, B>
    auto operator()(const X& x, const B& order = B()) const { return Along::over(x, {}, order); }
    template <typename X, OrderLike B = SortOrder>
        requires sortable_by<X, B>
    auto operator()(const X& x, const AxisOrDim& axis, const B& order = B()) const {
        return Along::over(x, axis, order);
    }
    SortingFunction operator()() const { return {}; }
    template <OrderLike B>
    auto operator()(const B& order) const {
        return stage({}, order);
    }
    template <OrderLike B = SortOrder>
    auto operator()(const AxisOrDim& axis, const B& order = B()) const {
        return stage(axis, order);
    }

private:
    template <typename B>
    static auto stage(const ChosenAxis& axis, const B& order) {
        return Stage(
            [axis, order]<sortable_by<B> X>(const X& x) { return Along::over(x, axis, order); });
    }
};

/// Parts larger than memory are sorted by way of runs in files: of numbers and times, in their order.
template <typename T, typename B>
inline constexpr GivenParts kSortsLongParts =
    kIsSortedByLibrary<T>&& std::same_as<B, SortOrder> ? GivenParts::long_parts : GivenParts::slabs;

struct ArgsortAlong {
    template <typename X, typename B>
    static auto over(const X& x, const ChosenAxis& axis, const B& order) {
        return along_axis<std::int64_t>(
            "argsort", x, axis,
            [&](const AxisParts& parts) {
                return argsort_in<ElementOrVoid<X>>(parts, order).operand();
            },
            kSortsLongParts<ElementOrVoid<X>, B>);
    }
};

/// `argsort(x)`, `argsort(x, axis)`, `argsort(x, descending)`, `argsort(x, axis, before)`, or a
/// stage: the indexes that sort the elements along an axis or a Dim (by default the last axis).
/// int64, of the shape of `x`, under its dims. Stable. NaN comes last in either order; -0 equals 0;
/// false comes before true. Elements of types that are not built-in are compared by `<`, or by
/// `before(a, b)`, a strict weak order, called through const.
///
/// Eager. O(size) for the built-in types, on several threads; O(size log length) with a function.
/// Lanes over arrays of chunks larger than the memory limit are sorted by way of runs in temporary
/// files (`temporary_directory`), each chunk read once; results beyond it are chunks in such a file.
/// Throws `IndexError`, `DimError`, and `DtypeError` for elements of types known at run time that
/// are not built-in, strings or times.
inline constexpr SortingFunction<ArgsortAlong> argsort;

struct SortAlong {
    template <typename X, typename B>
    static auto over(const X& x, const ChosenAxis& axis, const B& order) {
        using T = ElementOrVoid<X>;
        return along_axis<T>(
            "sort", x, axis,
            [&](const AxisParts& parts) {
                if constexpr (kIsSortedByLibrary<T> && !TimeElement<T> &&
                              std::same_as<B, SortOrder>)
                    return sorted_parts("sort", parts, order);
                else
                    return clone(Tensor<T>(taken_along(
                                     parts, argsort_in<T>(parts, order, "sort").operand())))
                        .operand();
            },
            TimeElement<T> ? GivenParts::slabs : kSortsLongParts<T, B>);
    }
};

/// The elements sorted along an axis or a Dim, in new memory: those at the indexes that `argsort`
/// gives. Otherwise as `argsort`.
inline constexpr SortingFunction<SortAlong> sort;

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
/// NaN comes last in either order. Eager, O(size). Of lanes over arrays of chunks larger than the memory limit, each chunk
/// is read four or five times, and more often below 4 MiB; results beyond it are chunks in a temporary file. Throws
/// `IndexError`, `DimError`, `DtypeError` for types that are not built-in.
struct ArgpartitionFunction : RefusedAlong {
    using RefusedAlong::operator();
    template <typename T>
    static constexpr bool kIsDefinedFor = kIsNumberOrVoid<T>;

    template <lanes_of<ArgpartitionFunction> X>
    auto operator()(const X& x, index_t kth, SortOrder order = ascending) const {
        return (*this)(x, kth, ChosenAxis(), order);
    }
    template <lanes_of<ArgpartitionFunction> X>
    auto operator()(const X& x, index_t kth, const ChosenAxis& axis,
                    SortOrder order = ascending) const {
        return along_axis<std::int64_t>(
            "argpartition", x, axis,
            [&](const AxisParts& parts) { return partitioned(parts, kth, order); },
            GivenParts::long_parts);
    }
    template <StageNumber<index_t> N>
    auto operator()(const N& kth, SortOrder order = ascending) const {
        return make_stage(*this, static_cast<index_t>(kth), order);
    }
    template <StageNumber<index_t> N>
    auto operator()(const N& kth, const AxisOrDim& axis, SortOrder order = ascending) const {
        return make_stage(*this, static_cast<index_t>(kth), axis, order);
    }
};
inline constexpr ArgpartitionFunction argpartition;

template <SortOrder order>
struct ArgFirstAlong {
    static constexpr const char* kName = order == ascending ? "arg_min_n" : "arg_max_n";

    template <typename T>
    static constexpr bool kIsDefinedFor = kIsNumberOrVoid<T>;

    template <typename X>
    static auto over(const X& x, index_t n, const ChosenAxis& axis) {
        require_positional(kName, axis);
        return along_axis<std::int64_t>(
            kName, x, axis,
            [&](const AxisParts& parts) { return first_in_order(kName, parts, n, order); },
            GivenParts::long_parts);
    }
};
/// `arg_min_n(x, n)`, `arg_min_n(x, n, axis)`, or a stage: the indexes of the `n` smallest elements
/// along an axis (by default the last), the smallest first, equal ones in order of their indexes.
/// int64; the axis gets size `n`, and so cannot be a Dim. NaN comes last. Eager, O(size + n log n).
/// Throws `IndexError` if `n` exceeds the size of the axis, `DimError`, `DtypeError` for types that
/// are not built-in.
inline constexpr CountAlongFunction<ArgFirstAlong<ascending>> arg_min_n;
/// `arg_max_n(x, n)`, `arg_max_n(x, n, axis)`, or a stage: the indexes of the `n` greatest elements
/// along an axis (by default the last), the greatest first. NaN comes last. Otherwise as
/// `arg_min_n`.
inline constexpr CountAlongFunction<ArgFirstAlong<descending>> arg_max_n;

} // namespace purview
