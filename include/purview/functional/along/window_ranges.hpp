#pragma once

#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/elementwise/cast.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview {

/// Windows of a lane: window i has the elements [begin[i], end[i]).
struct WindowRanges {
    std::vector<index_t> begin;
    std::vector<index_t> end;
};

/// The reductions, of `by.rolled_by`, of windows of each lane of built-in type; O(elements) if
/// neither begins nor ends ever decrease, else O(elements of all windows). Throws `ShapeError` naming
/// `what` for the minimum or maximum of an empty window.
PURVIEW_EXPORT Operand folded_windows(const char* what, const WindowReduction& by,
                                      const AxisParts& parts, const WindowRanges& windows);

/// The elements of an integer operand `[k]`. Throws, naming `what`, `ShapeError` for another rank
/// and `DtypeError` for elements that are not integers.
PURVIEW_EXPORT std::vector<index_t> window_ends(const char* what, const Operand& ends);
/// Throws `ShapeError`, naming `what`, for different numbers of begins and ends.
PURVIEW_EXPORT void require_pairs(const char* what, const WindowRanges& windows);
/// Throws, naming `what`, `IndexError` unless 0 <= begin <= end <= length for each window, and for
/// a tensor of rank 0.
PURVIEW_EXPORT void require_within(const char* what, const WindowRanges& windows,
                                   const AxisParts& parts);

/// A reduction, or a user's function, of each window of each lane. Calls `check(parts)` first.
template <TensorLike X, typename Reducer, typename Check>
auto reduced_windows(const char* what, const X& x, const WindowRanges& windows,
                     const Reducer& reducer, const ChosenAxis& axis, Check check) {
    using By = ReducerParts<Reducer>;
    if constexpr (By::kRule == NanRule::refuse) require_no_nan(what, x);
    if constexpr (kRollsOnEngine<X, Reducer>) {
        return along_axis<ReducedTo<typename By::Operation, X>>(
            what, x, axis, [&](const AxisParts& parts) {
                check(parts);
                return folded_windows(what, WindowReduction::of<Reducer>(), parts, windows);
            });
    } else {
        return reduce_each_window(what, x, reducer, axis, [&](const AxisParts& parts) {
            check(parts);
            const auto window = [&windows](index_t i) {
                const auto at = static_cast<std::size_t>(i);
                return std::pair(windows.begin[at], windows.end[at]);
            };
            return LaneWindows{parts.operand, parts.groups, parts.length,
                               windows_shape(parts, std::ssize(windows.begin)), window};
        });
    }
}

struct RangeWindowsFunction : RefusedAlong {
    using RefusedAlong::operator();

    template <lanes X, plain_array B, plain_array E, reducer_of<X> Reducer>
    auto operator()(const X& x, const B& begins, const E& ends, const Reducer& reducer,
                    const ChosenAxis& axis = {}) const {
        return along(x, ranges_of(begins, ends), reducer, axis);
    }
    template <lanes X, reducer_of<X> Reducer>
    auto operator()(const X& x, const WindowRanges& windows, const Reducer& reducer,
                    const ChosenAxis& axis = {}) const {
        return along(x, windows, reducer, axis);
    }
    template <plain_array B, plain_array E, reducer Reducer>
    auto operator()(const B& begins, const E& ends, const Reducer& reducer,
                    const ChosenAxis& axis = {}) const {
        return make_stage(*this, ranges_of(begins, ends), reducer, axis);
    }

private:
    static constexpr const char* kName = "range_windows";

    template <typename B, typename E>
    static WindowRanges ranges_of(const B& begins, const E& ends) {
        WindowRanges windows{window_ends(kName, operand_for_call(begins)),
                             window_ends(kName, operand_for_call(ends))};
        require_pairs(kName, windows);
        return windows;
    }
    template <typename X, typename Reducer>
    static auto along(const X& x, const WindowRanges& windows, const Reducer& reducer,
                      const ChosenAxis& axis) {
        require_pairs(kName, windows);
        require_positional(kName, axis);
        return reduced_windows(
            kName, tensor_argument<true>(x), windows, reducer, axis,
            [&](const AxisParts& parts) { require_within(kName, windows, parts); });
    }
};

/// `range_windows(x, begins, ends, sum)`, `range_windows(x, begins, ends, f, axis)`, or, without
/// `x`, a stage: reduces the elements [begins[i], ends[i]) along an axis (by default the last) for
/// each i. The axis then has one element per window. Windows may overlap, leave elements out, and
/// be in any order. Begins and ends are integers `[k]`, or both are a `WindowRanges`.
///
/// An empty window has the sum 0, the product 1 and the mean NaN, and users' functions get an empty
/// tensor.
///
/// `sum`, `product`, `mean`, `min` and `max` of built-in types take O(size) if neither begins nor
/// ends ever decrease, else O(elements of all windows), as do other reductions and functions, which
/// get each window as a tensor. Eager. Throws `IndexError` for a window that leaves the axis, or
/// ends before it begins; `ShapeError` for different numbers of begins and ends, and for the `min`
/// or `max` of an empty window; `DtypeError` for begins or ends that are not integers; and
/// `DimError` for a Dim, whose size cannot change.
inline constexpr RangeWindowsFunction range_windows;

/// Throws `Error`: the keys of windows have to ascend, and do not at `index`.
[[noreturn]] PURVIEW_EXPORT void throw_keys_unsorted(index_t index);
/// Throws `ShapeError` unless there is one key per element of the lanes.
PURVIEW_EXPORT void require_keys(index_t keys, index_t length);
/// Throws `Error` for a width that is not positive.
[[noreturn]] PURVIEW_EXPORT void throw_empty_width();

/// The windows of ascending keys, of any type that can be subtracted and compared. O(n).
template <typename K, typename W>
WindowRanges windows_of(const std::vector<K>& keys, const W& width, WindowPosition position) {
    const index_t n = std::ssize(keys);
    const auto key = [&](index_t i) -> const K& { return keys[static_cast<std::size_t>(i)]; };
    for (index_t i = 0; i < n; ++i)
        if (!(i == 0 ? key(0) <= key(0) : key(i - 1) <= key(i))) throw_keys_unsorted(i);
    // Differences of integers may overflow their type; they are never negative, so unsigned ones
    // fit.
    const auto apart = [&](index_t from, index_t to) {
        if constexpr (std::integral<K>)
            return static_cast<std::uint64_t>(key(to)) - static_cast<std::uint64_t>(key(from));
        else
            return key(to) - key(from);
    };
    const auto reaches = [&](index_t from, index_t to) {
        if (!(key(from) < key(to)))
            return true; // equal infinities would have the difference NaN,
                         // not 0
        if constexpr (std::integral<K> && std::integral<W>) {
            const auto whole = static_cast<std::uint64_t>(width);
            return position == WindowPosition::centre ? apart(from, to) <= whole / 2
                                                      : apart(from, to) < whole;
        } else if constexpr (std::integral<K>) {
            const auto far = static_cast<double>(apart(from, to));
            return position == WindowPosition::centre ? 2 * far <= width : far < width;
        } else {
            if (position == WindowPosition::centre)
                return apart(from, to) + apart(from, to) <= width;
            return apart(from, to) < width;
        }
    };
    if (n > 0 && !(W{} < width)) throw_empty_width();
    WindowRanges windows;
    index_t begin = 0;
    index_t end = 0;
    for (index_t i = 0; i < n; ++i) {
        if (position == WindowPosition::right)
            while (key(begin) < key(i)) ++begin;
        else
            while (!reaches(begin, i)) ++begin;
        while (end < n && (end <= i || (position == WindowPosition::left ? key(end) <= key(i)
                                                                         : reaches(i, end))))
            ++end;
        windows.begin.push_back(begin);
        windows.end.push_back(end);
    }
    return windows;
}

/// Windows by a function `near` of two keys, the first of which comes before the second, that tells
/// whether both lie in one window. O(n).
template <typename K, typename Near>
WindowRanges windows_by_function(const std::vector<K>& keys, const Near& near,
                                 WindowPosition position) {
    const index_t n = std::ssize(keys);
    const auto key = [&](index_t i) -> const K& { return keys[static_cast<std::size_t>(i)]; };
    WindowRanges windows;
    index_t begin = 0;
    index_t end = 0;
    for (index_t i = 0; i < n; ++i) {
        while (begin < i && !(key(begin) == key(i)) &&
               (position == WindowPosition::right || !near(key(begin), key(i))))
            ++begin;
        while (end < n && (end <= i || key(end) == key(i) ||
                           (position != WindowPosition::left && near(key(i), key(end)))))
            ++end;
        windows.begin.push_back(begin);
        windows.end.push_back(end);
    }
    return windows;
}

/// Every `step`-th window. Throws `ShapeError` naming `what` for a step below 1.
PURVIEW_EXPORT WindowRanges every_range(const char* what, WindowRanges windows, index_t step);

/// The position of windows relative to their elements, and the step.
struct VariableOptions {
    WindowPosition position = WindowPosition::left;
    index_t step = 1; ///< only the windows of the elements 0, step, 2 step, …

    constexpr VariableOptions() = default;
    constexpr VariableOptions(WindowPosition lies, index_t apart = 1)
        : position(lies), step(apart) {}
};

/// The width of windows of keys: what their differences compare with, a function of two keys that
/// tells whether they lie in one window, or, for keys of a type known at run time, a number.
template <typename W, typename Keys>
concept window_width =
    !array_like<W> &&
    (!std::is_void_v<ElementOrVoid<std::remove_cvref_t<Keys>>> || std::is_arithmetic_v<W>);

struct VariableRollingWindowFunction : RefusedAlong {
    using RefusedAlong::operator();

    template <lanes X, plain_array Keys, window_width<Keys> W, reducer_of<X> Reducer>
    auto operator()(const X& x, const Keys& keys, const W& width, const Reducer& reducer,
                    VariableOptions options = {}) const {
        return along(x, keys, width, reducer, {}, options);
    }
    template <lanes X, plain_array Keys, window_width<Keys> W, reducer_of<X> Reducer>
    auto operator()(const X& x, const Keys& keys, const W& width, const Reducer& reducer,
                    const AxisOrDim& axis, VariableOptions options = {}) const {
        return along(x, keys, width, reducer, axis, options);
    }
    template <plain_array Keys, window_width<Keys> W, reducer Reducer>
    auto operator()(Keys&& keys, const W& width, const Reducer& reducer,
                    VariableOptions options = {}) const {
        return make_stage(*this, kept_argument(std::forward<Keys>(keys)), width, reducer, options);
    }
    template <plain_array Keys, window_width<Keys> W, reducer Reducer>
    auto operator()(Keys&& keys, const W& width, const Reducer& reducer, const AxisOrDim& axis,
                    VariableOptions options = {}) const {
        return make_stage(*this, kept_argument(std::forward<Keys>(keys)), width, reducer, axis,
                          options);
    }

private:
    static constexpr const char* kName = "variable_rolling_window";

    template <typename K>
    static std::vector<K> values_of(const Tensor<K>& keys) {
        check_rank("variable_rolling_window: the keys", keys.rank(), 1);
        std::vector<K> values(static_cast<std::size_t>(keys.size()));
        if (!values.empty()) Evaluation(keys.operand()).read(0, keys.size(), values.data());
        return values;
    }

    template <TensorLike Keys, typename W>
    static WindowRanges windows_by(const Keys& keys, const W& width, WindowPosition position) {
        if constexpr (TypedTensor<Keys>) {
            using K = ElementOrVoid<Keys>;
            if constexpr (std::predicate<const W&, const K&, const K&>)
                return windows_by_function(values_of<K>(keys), width, position);
            else
                return windows_of(values_of<K>(keys), width, position);
        } else {
            const auto as_numbers = [&]<typename K>(std::type_identity<K>) {
                return windows_of(values_of<K>(cast<K>(keys)), static_cast<K>(width), position);
            };
            const bool whole = std::integral<W> && !keys.dtype().is_floating();
            return whole ? as_numbers(std::type_identity<std::int64_t>{})
                         : as_numbers(std::type_identity<double>{});
        }
    }

    template <typename X, typename Keys, typename W, typename Reducer>
    static auto along(const X& x, const Keys& keys, const W& width, const Reducer& reducer,
                      const ChosenAxis& axis, VariableOptions options) {
        if (options.step > 1) require_positional(kName, axis);
        const WindowRanges all_of_them =
            windows_by(plain_tensor(tensor_argument<true>(keys)), width, options.position);
        const index_t count = std::ssize(all_of_them.begin);
        return reduced_windows(
            kName, tensor_argument<true>(x), every_range(kName, all_of_them, options.step), reducer,
            axis, [count](const AxisParts& parts) { require_keys(count, parts.length); });
    }
};

/// `variable_rolling_window(x, times, 60.0, mean)`, or, without `x`, a stage: for each element,
/// reduces the elements whose keys lie near its own, along an axis or a Dim (by default the last
/// axis). The keys ascend, one for each element of the axis, of any type whose differences compare
/// with the width: numbers, times. A window ends at its element (`left`) and holds the keys in (key
/// - width, key], or begins there (`right`): [key, key + width), or lies around it (`centre`): at
/// most half the width away. Elements with equal keys have the same window. Keys of a type known at
/// run time are compared in int64 if they and the width are integers, else in float64. A step,
/// `{WindowPosition::left, 10}`, keeps every `step`-th window, `(n + step - 1) / step` along the
/// axis.
///
/// With the keys 0, 1, 2, … windows are cut off at the ends:
/// `variable_rolling_window(x, arange(n), 7, mean)` is what pandas calls
/// `rolling(7, min_periods=1).mean()`.
///
/// The width may be replaced by a comparison `near(a, b)`, which tells whether two keys, of which a
/// comes first, lie in one window, as `[](double a, double b) { return b < 1.1 * a; }`. Then keys
/// may be of any type and in any order; but if `near` holds for two keys, it has to hold for any
/// two keys between them. It is called O(n) times.
///
/// `sum`, `product`, `mean`, `min` and `max` of built-in types take O(size), adding elements and
/// never subtracting any; other reductions and users' functions get each window as a tensor. Eager.
/// Throws `Error` for keys that do not ascend (NaN does not) and for a width that is not positive,
/// `ShapeError` for a wrong number of keys and a step below 1, `IndexError`, and `DimError`, also
/// for a step along a Dim, whose size cannot change.
inline constexpr VariableRollingWindowFunction variable_rolling_window;

} // namespace purview
