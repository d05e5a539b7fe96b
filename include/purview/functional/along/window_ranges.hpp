#pragma once

#include <purview/dtype/time_element.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/elementwise/cast.hpp>

#include <concepts>
#include <cstdint>
#include <ratio>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// The reductions of windows of each lane of built-in type; if neither begins nor ends ever decrease,
/// and it is a fold or a mean, O(elements), else as `each_window`. Throws `ShapeError` naming
/// `what` for the minimum or maximum of an empty window.
PURVIEW_EXPORT Operand folded_windows(const char* what, const ChosenReducer& by,
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

/// A reduction, or a user's function, of each window of each lane. Calls `check` with the lanes first.
template <TensorLike X, typename Reducer>
auto reduced_ranges(const char* what, const X& x, const WindowRanges& windows,
                    const Reducer& reducer, const ChosenAxis& axis,
                    FunctionRef<void(const AxisParts&)> check) {
    const auto windows_of = [&](const AxisParts& parts) -> const WindowRanges& {
        if (parts.windows == nullptr) {
            check(parts);
            return windows;
        }
        if (parts.first() == 0) {
            AxisParts whole = parts;
            whole.length = parts.shape_of_all[static_cast<std::size_t>(parts.axis())];
            check(whole);
        }
        return *parts.windows;
    };
    const Segments cut{.windows = &windows};
    return reduced_windows(
        what, x, reducer, axis,
        [&](const AxisParts& parts, const ChosenReducer& by) {
            return folded_windows(what, by, parts, windows_of(parts));
        },
        [&](const AxisParts& parts) {
            LaneWindows lanes = windows_of_lanes(parts, windows_of(parts));
            if (parts.windows != nullptr) lanes.of_all = &windows;
            return lanes;
        },
        &cut);
}

struct RangeWindowsFunction : RefusedAlong {
    using RefusedAlong::operator();

    template <lanes X, plain_array B, plain_array E, lane_reducer_of<X> Reducer>
    auto operator()(const X& x, const B& begins, const E& ends, const Reducer& reducer,
                    const ChosenAxis& axis = {}) const {
        return along(x, ranges_of(begins, ends), reducer, axis);
    }
    template <lanes X, lane_reducer_of<X> Reducer>
    auto operator()(const X& x, const WindowRanges& windows, const Reducer& reducer,
                    const ChosenAxis& axis = {}) const {
        return along(x, windows, reducer, axis);
    }
    template <plain_array B, plain_array E, lane_reducer Reducer>
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
        return reduced_ranges(
            kName, tensor_for_call(x), windows, reducer, axis,
            [&](const AxisParts& parts) { require_within(kName, windows, parts); });
    }
};

/// `range_windows(x, begins, ends, sum)`, `range_windows(x, begins, ends, f, axis)`, or, without
/// `x`, a stage: reduces the elements [begins[i], ends[i]) along an axis (by default the last) for
/// each i; the axis then has one element per window, which sees what its begin and end say, and nothing
/// of keys. Windows may overlap, leave elements out, and
/// be in any order. Begins and ends are integers `[k]`, or both are a `WindowRanges`. An empty
/// window has the sum 0, the product 1 and the mean NaN; users' functions get an empty tensor.
///
/// `sum`, `product`, `mean`, `min` and `max` of built-in types take O(size) if neither begins nor
/// ends ever decrease, `median` and quantiles then O(size · log(length)); else O(elements of all
/// windows), as do others, which get each window as a tensor. Eager. Lanes over arrays of chunks larger than the memory limit
/// are read segment by segment, where neither begins nor ends ever decrease; else that is a `MemoryLimitError`. Throws `IndexError` for a window that leaves the axis, or ends before it begins;
/// `ShapeError` for different numbers of begins and ends, and the `min` or `max` of an empty window;
/// `DtypeError` for begins or ends that are not integers; `DimError` for a Dim.
inline constexpr RangeWindowsFunction range_windows;

/// Throws `Error`: the keys of windows have to ascend, and do not at `index`.
[[noreturn]] PURVIEW_EXPORT void throw_keys_unsorted(index_t index);
/// Throws `ShapeError` unless there is one key per element of the lanes.
PURVIEW_EXPORT void require_keys(index_t keys, index_t length);
/// Throws `Error` for a width that is not positive.
[[noreturn]] PURVIEW_EXPORT void throw_empty_width();

/// What a window of keys holds of the rows with the key of its element on the side to which it does not look.
enum class WindowTies : std::uint8_t {
    in_order, ///< none: a trailing window holds what stands at its element or before it, as pandas's
    together  ///< all: rows of equal keys have the same window, as SQL's RANGE has it
};

/// The windows of keys: `near(a, b)` tells whether a key and one after it, which do not equal each
/// other, lie in one window. O(n).
template <typename K, typename Near>
WindowRanges windows_by(const std::vector<K>& keys, WindowPosition position, WindowTies ties,
                        const Near& near) {
    const index_t n = std::ssize(keys);
    const auto joined = [&](index_t i, index_t j, bool looks) {
        if (!looks && ties == WindowTies::in_order) return false;
        const K& a = keys[static_cast<std::size_t>(i)];
        const K& b = keys[static_cast<std::size_t>(j)];
        return a == b || (looks && near(a, b));
    };
    WindowRanges windows;
    windows.begin.reserve(keys.size());
    windows.end.reserve(keys.size());
    index_t begin = 0;
    index_t end = 0;
    for (index_t i = 0; i < n; ++i) {
        while (begin < i && !joined(begin, i, position != WindowPosition::right)) ++begin;
        while (end < n && (end <= i || joined(i, end, position != WindowPosition::left))) ++end;
        windows.begin.push_back(begin);
        windows.end.push_back(end);
    }
    return windows;
}

/// How far apart keys of one window may lie, in whole ticks of the keys: less than the width, `count` times
/// num / den ticks, or, `around` an element, at most half of it.
PURVIEW_EXPORT std::uint64_t ticks_within(std::uint64_t count, std::uint64_t num, std::uint64_t den,
                                          bool around);

/// The windows of ascending times in integer ticks, of which none is NaT, by a width in any unit.
/// Differences may overflow their type; they are never negative, so unsigned ones fit.
template <typename K, typename W>
WindowRanges windows_of_times(const std::vector<K>& keys, const W& width, WindowPosition position,
                              WindowTies ties) {
    const auto apart = [](const K& a, const K& b) {
        const auto count = [](const K& key) {
            if constexpr (PointElement<K>)
                return static_cast<std::uint64_t>(key.time_since_epoch().count());
            else
                return static_cast<std::uint64_t>(key.count());
        };
        return count(b) - count(a);
    };
    // The width has this many ticks of the keys for each of its own.
    using OfKeys = typename decltype(std::declval<K>() - std::declval<K>())::period;
    using Scale = std::ratio_divide<typename W::period, OfKeys>;
    const bool around = position == WindowPosition::centre;
    if constexpr (std::integral<typename W::rep>) {
        const std::uint64_t most =
            ticks_within(static_cast<std::uint64_t>(width.count()), Scale::num, Scale::den, around);
        return windows_by(keys, position, ties,
                          [&](const K& a, const K& b) { return apart(a, b) <= most; });
    } else {
        const double wide = static_cast<double>(width.count()) * static_cast<double>(Scale::num);
        return windows_by(keys, position, ties, [&](const K& a, const K& b) {
            const double far = static_cast<double>(apart(a, b)) * static_cast<double>(Scale::den);
            return around ? 2 * far <= wide : far < wide;
        });
    }
}

/// Times that integers count.
template <typename K>
concept TimeInTicks = TimeElement<K> && requires(const K& key) {
    requires std::integral<typename decltype(key - key)::rep>;
};

/// The windows of ascending keys that can be subtracted, by a width. Throws `Error` for keys that
/// do not ascend, and for a width that is not positive.
template <typename K, typename W>
WindowRanges windows_of(const std::vector<K>& keys, const W& width, WindowPosition position,
                        WindowTies ties = WindowTies::in_order) {
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (is_nat_value(keys[i]) || !(keys[i > 0 ? i - 1 : 0] <= keys[i]))
            throw_keys_unsorted(static_cast<index_t>(i));
    if (!keys.empty() && !(W{} < width)) throw_empty_width();
    const bool around = position == WindowPosition::centre;
    if constexpr (TimeInTicks<K> && DurationElement<W>)
        return windows_of_times(keys, width, position, ties);
    else
        return windows_by(keys, position, ties, [&](const K& a, const K& b) {
            if constexpr (std::integral<K>) {
                // As of times.
                const auto apart = static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a);
                if constexpr (std::integral<W>) {
                    const auto whole = static_cast<std::uint64_t>(width);
                    return around ? apart <= whole / 2 : apart < whole;
                } else {
                    const auto far = static_cast<double>(apart);
                    return around ? 2 * far <= width : far < width;
                }
            } else {
                return around ? (b - a) + (b - a) <= width : b - a < width;
            }
        });
}

/// Every `step`-th window. Throws `ShapeError` naming `what` for a step below 1.
PURVIEW_EXPORT WindowRanges every_range(const char* what, WindowRanges windows, index_t step);

/// The position of windows relative to their elements, the step, and what they hold of equal keys:
/// written as the `RollingOptions` of fixed windows. Nothing is read beyond the ends, where windows
/// are cut off.
struct VariableOptions {
    WindowPosition position = WindowPosition::trailing;
    /// Only the windows of the elements 0, step, 2 step, … are computed.
    index_t step = 1;
    WindowTies ties = WindowTies::in_order;
};
/// A position and what windows hold of equal keys, in braces without names.
struct PositionAndTies {
    constexpr PositionAndTies(WindowPosition lies, WindowTies equal_keys)
        : position(lies), ties(equal_keys) {}
    constexpr VariableOptions options() const { return {.position = position, .ties = ties}; }

    WindowPosition position;
    WindowTies ties;
};

/// The width of windows of keys: what their differences compare with, a function of two keys that
/// tells whether they lie in one window, or, for keys of a type known at run time, a number.
template <typename W, typename Keys>
concept window_width =
    !array_like<W> &&
    (!std::is_void_v<ElementOrVoid<std::remove_cvref_t<Keys>>> || std::is_arithmetic_v<W>);

struct VariableRollingWindowFunction : RefusedAlong {
    using RefusedAlong::operator();

    template <lanes X, plain_array Keys, window_width<Keys> W, lane_reducer_of<X> Reducer>
    auto operator()(const X& x, const Keys& keys, const W& width, const Reducer& reducer,
                    const VariableOptions& options = {}) const {
        return over(x, keys, width, reducer, ChosenAxis(), options);
    }
    template <lanes X, plain_array Keys, window_width<Keys> W, lane_reducer_of<X> Reducer,
              std::same_as<WindowPosition> P>
    auto operator()(const X& x, const Keys& keys, const W& width, const Reducer& reducer,
                    P position) const {
        return over(x, keys, width, reducer, ChosenAxis(), {.position = position});
    }
    template <lanes X, plain_array Keys, window_width<Keys> W, lane_reducer_of<X> Reducer>
    auto operator()(const X& x, const Keys& keys, const W& width, const Reducer& reducer,
                    const PositionAndTies& given) const {
        return over(x, keys, width, reducer, ChosenAxis(), given.options());
    }
    template <lanes X, plain_array Keys, window_width<Keys> W, lane_reducer_of<X> Reducer>
    auto operator()(const X& x, const Keys& keys, const W& width, const Reducer& reducer,
                    const ChosenAxis& axis, const VariableOptions& options = {}) const {
        return over(x, keys, width, reducer, axis, options);
    }
    template <lanes X, plain_array Keys, window_width<Keys> W, lane_reducer_of<X> Reducer,
              std::same_as<WindowPosition> P>
    auto operator()(const X& x, const Keys& keys, const W& width, const Reducer& reducer,
                    const ChosenAxis& axis, P position) const {
        return over(x, keys, width, reducer, axis, {.position = position});
    }
    template <lanes X, plain_array Keys, window_width<Keys> W, lane_reducer_of<X> Reducer>
    auto operator()(const X& x, const Keys& keys, const W& width, const Reducer& reducer,
                    const ChosenAxis& axis, const PositionAndTies& given) const {
        return over(x, keys, width, reducer, axis, given.options());
    }
    template <plain_array Keys, window_width<Keys> W, lane_reducer Reducer>
    auto operator()(Keys&& keys, const W& width, const Reducer& reducer,
                    const VariableOptions& options = {}) const {
        return make_stage(*this, kept_argument(std::forward<Keys>(keys)), width, reducer, options);
    }
    template <plain_array Keys, window_width<Keys> W, lane_reducer Reducer,
              std::same_as<WindowPosition> P>
    auto operator()(Keys&& keys, const W& width, const Reducer& reducer, P position) const {
        return (*this)(std::forward<Keys>(keys), width, reducer,
                       VariableOptions{.position = position});
    }
    template <plain_array Keys, window_width<Keys> W, lane_reducer Reducer>
    auto operator()(Keys&& keys, const W& width, const Reducer& reducer,
                    const PositionAndTies& given) const {
        return (*this)(std::forward<Keys>(keys), width, reducer, given.options());
    }
    template <plain_array Keys, window_width<Keys> W, lane_reducer Reducer>
    auto operator()(Keys&& keys, const W& width, const Reducer& reducer, const AxisOrDim& axis,
                    const VariableOptions& options = {}) const {
        return make_stage(*this, kept_argument(std::forward<Keys>(keys)), width, reducer, axis,
                          options);
    }

private:
    static constexpr const char* kName = "variable_rolling_window";

    template <typename X, typename Keys, typename W, typename Reducer>
    static auto over(const X& x, const Keys& keys, const W& width, const Reducer& reducer,
                     const ChosenAxis& axis, const VariableOptions& options) {
        if (options.step > 1) require_positional(kName, axis);
        require_host_reads(kName, plain_tensor(tensor_for_call(keys)).operand());
        const WindowRanges all_of_them =
            windows_near(plain_tensor(tensor_for_call(keys)), width, options);
        const index_t count = std::ssize(all_of_them.begin);
        return reduced_ranges(
            kName, tensor_for_call(x), every_range(kName, all_of_them, options.step), reducer, axis,
            [count](const AxisParts& parts) { require_keys(count, parts.length); });
    }

    template <typename K>
    static std::vector<K> values_of(const Tensor<K>& keys) {
        check_rank("variable_rolling_window: the keys", keys.rank(), 1);
        return to_vector(keys);
    }

    template <TensorLike Keys, typename W>
    static WindowRanges windows_near(const Keys& keys, const W& width,
                                     const VariableOptions& options) {
        using K = ElementOrVoid<Keys>;
        if constexpr (std::is_void_v<K>) {
            if (std::integral<W> && !keys.dtype().is_floating())
                return windows_of(values_of<std::int64_t>(cast<std::int64_t>(keys)),
                                  static_cast<std::int64_t>(width), options.position, options.ties);
            return windows_of(values_of<double>(cast<double>(keys)), static_cast<double>(width),
                              options.position, options.ties);
        } else if constexpr (std::predicate<const W&, const K&, const K&>) {
            return windows_by(values_of<K>(keys), options.position, options.ties, width);
        } else {
            return windows_of(values_of<K>(keys), width, options.position, options.ties);
        }
    }
};

/// A window ends at its element, and looks back (`WindowPosition::trailing`), if nothing else is said; of rows
/// with equal keys it sees those before its own, and with `WindowTies::together` all of them.
///
/// `variable_rolling_window(x, times, 60.0, mean)`, or, without `x`, a stage: for each element,
/// reduces the elements whose keys lie near its own, along an axis or a Dim (by default the last
/// axis). The keys ascend, one for each element of the axis, of any type whose differences compare
/// with the width: numbers, times. A window that ends at its element (`left`) holds the rows at it and before it
/// whose keys lie in (key - width, key], as pandas's `rolling("5min")`: none behind it, also none of the same key. One that
/// begins there (`right`) holds the rows at it and behind it with keys in [key, key + width); one
/// around it (`centre`) the rows on both sides that are at most half the width away, so that rows of equal keys
/// have the same window. `{.ties = WindowTies::together}` gives rows of equal keys the same window
/// in all positions, as SQL's RANGE. Keys of a type known at
/// run time are compared in int64 if they and the width are integers, else in float64.
/// `{.step = 10}` keeps every tenth window. With the keys 0, 1, 2, … windows are cut
/// off at the ends, as by pandas's `rolling(7, min_periods=1)`.
///
/// Instead of a width, a comparison `near(a, b)` may tell whether two keys, of which a comes first,
/// lie in one window, as `[](double a, double b) { return b < 1.1 * a; }`. Then keys may be of any
/// type and in any order; but if `near` holds for two keys, it has to hold for any two between them.
/// It is called O(n) times.
///
/// `sum`, `product`, `mean`, `min` and `max` of built-in types take O(size), adding elements and
/// never subtracting any, `median` and quantiles O(size · log(length)); others get each window as a
/// tensor. Eager. Lanes over arrays of chunks larger than the memory limit are read segment by segment. Throws `Error` for keys that do
/// not ascend (NaN and NaT do not) and a width that is not positive, `ShapeError` for a wrong number of
/// keys and a step below 1, `IndexError`, `DimError`, also for a step along a Dim.
inline constexpr VariableRollingWindowFunction variable_rolling_window;

} // namespace purview
