#pragma once

#include <purview/functional/cast.hpp>
#include <purview/functional/rolling_window.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/plain_tensor.hpp>

#include <cstdint>
#include <vector>

namespace purview {

/// The elements [begin[i], end[i]) of a lane for each i. Neither ever decreases, and no window is empty.
struct VariableWindows {
    std::vector<index_t> begin;
    std::vector<index_t> end;
};

/// Throws `Error`: the keys of windows are to ascend, and do not at an index.
[[noreturn]] PURVIEW_EXPORT void throw_keys_unsorted(index_t index);
/// Throws `ShapeError` unless there is a key for each element of the lanes.
PURVIEW_EXPORT void require_keys(index_t keys, index_t length);
/// Throws `Error` for a width that is not greater than zero.
[[noreturn]] PURVIEW_EXPORT void throw_empty_width();

/// The windows of keys that ascend, of any type that can be subtracted and compared. O(n).
template <typename K, typename W>
VariableWindows windows_of(const std::vector<K>& keys, const W& width, WindowPosition position) {
    const index_t n = std::ssize(keys);
    const auto key = [&](index_t i) -> const K& { return keys[static_cast<std::size_t>(i)]; };
    for (index_t i = 0; i < n; ++i)
        if (!(i == 0 ? key(0) <= key(0) : key(i - 1) <= key(i))) throw_keys_unsorted(i);
    // Differences of integers may not fit their type, but are not negative.
    const auto apart = [&](index_t from, index_t to) {
        if constexpr (std::integral<K>)
            return static_cast<std::uint64_t>(key(to)) - static_cast<std::uint64_t>(key(from));
        else
            return key(to) - key(from);
    };
    const auto reaches = [&](index_t from, index_t to) {
        if (!(key(from) < key(to))) return true; // infinite ones are not apart by 0
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
    VariableWindows windows;
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

/// The folds of windows of each lane, in its type. O(size).
PURVIEW_EXPORT Operand folded_windows(Reduction reduction, const AxisParts& parts,
                                      const VariableWindows& windows, DType dtype, bool averages,
                                      bool of_numbers);

struct VariableRollingWindowFunction {
    static constexpr const char* kName = "variable_rolling_window";

    template <TensorLike X, TensorLike Keys, typename W, typename Reducer>
        requires(!kFoldsLater<X>)
    auto operator()(const X& x, const Keys& keys, const W& width, const Reducer& reducer,
                    WindowPosition position = WindowPosition::left) const {
        return along(x, windows_by(plain_tensor(keys), width, position), reducer, {});
    }
    template <TensorLike X, TensorLike Keys, typename W, typename Reducer,
              OneAxisLike A = AxisOrDim>
        requires(!kFoldsLater<X>)
    auto operator()(const X& x, const Keys& keys, const W& width, const Reducer& reducer,
                    const A& axis, WindowPosition position = WindowPosition::left) const {
        return along(x, windows_by(plain_tensor(keys), width, position), reducer, AxisOrDim(axis));
    }
    template <TensorLike Keys, typename W, typename Reducer>
        requires(!array_like<W> && !array_like<Reducer>)
    auto operator()(const Keys& keys, const W& width, const Reducer& reducer,
                    WindowPosition position = WindowPosition::left) const {
        return later(*this, keys, width, reducer, position);
    }
    template <TensorLike Keys, typename W, typename Reducer, OneAxisLike A = AxisOrDim>
        requires(!array_like<W> && !array_like<Reducer>)
    auto operator()(const Keys& keys, const W& width, const Reducer& reducer, const A& axis,
                    WindowPosition position = WindowPosition::left) const {
        return later(*this, keys, width, reducer, axis, position);
    }

private:
    template <typename K>
    static std::vector<K> values_of(const Tensor<K>& keys) {
        check_rank("variable_rolling_window: the keys", keys.rank(), 1);
        std::vector<K> values(static_cast<std::size_t>(keys.size()));
        if (!values.empty()) Evaluation(keys.operand()).read(0, keys.size(), values.data());
        return values;
    }

    template <TensorLike Keys, typename W>
    static VariableWindows windows_by(const Keys& keys, const W& width, WindowPosition position) {
        if constexpr (TypedTensor<Keys>) {
            return windows_of(values_of<typename Keys::value_type>(keys), width, position);
        } else {
            static_assert(std::is_arithmetic_v<W>,
                          "variable_rolling_window: keys of a type known at run time are numbers");
            const auto as_numbers = [&]<typename K>(std::type_identity<K>) {
                return windows_of(values_of<K>(cast<K>(keys)), static_cast<K>(width), position);
            };
            const bool whole = std::integral<W> && !keys.dtype().is_floating();
            return whole ? as_numbers(std::type_identity<std::int64_t>{})
                         : as_numbers(std::type_identity<double>{});
        }
    }

    template <TensorLike X, typename Reducer>
    static auto along(const X& x, const VariableWindows& windows, const Reducer& reducer,
                      const ChosenAxis& axis) {
        using Given = typename ReducerOperation<Reducer>::type;
        using Operation = typename PolicyOf<Given>::Plain;
        constexpr NanRule kRule = PolicyOf<Given>::kRule;
        if constexpr (kRule == NanRule::refuse) require_numbers(kName, x);
        if constexpr (kOnEngine<X, Operation> && kRolls<Operation>) {
            constexpr bool kMean = std::same_as<Operation, MeanOperation>;
            return along_axis<ReducedTo<Operation, X>>(kName, x, axis, [&](const AxisParts& parts) {
                require_keys(std::ssize(windows.begin), parts.length);
                const DType result = reduced_dtype<Operation>(kName, parts.operand.dtype());
                return folded_windows(kRolledBy<Operation>, parts, windows, result, kMean,
                                      kRule == NanRule::skip);
            });
        } else {
            return by_function(kName, x, reducer, [&](const auto& typed) {
                using T = typename std::remove_cvref_t<decltype(typed)>::value_type;
                using R = LaneResult<Reducer, T>;
                return along_axis<R>(kName, typed, axis, [&](const AxisParts& parts) {
                    require_keys(std::ssize(windows.begin), parts.length);
                    return by_windows<R, T>(parts, windows, reducer);
                });
            });
        }
    }

    template <typename R, typename T, typename Reducer>
    static Operand by_windows(const AxisParts& parts, const VariableWindows& windows,
                              const Reducer& reducer) {
        MutableTensor<R> result = empty<R>(parts.operand.dims.max_shape());
        if (result.empty()) return result.operand();
        const Evaluation evaluation(parts.operand, Reads::within_one_operation);
        R* out = as_span(result).data();
        for (index_t group = 0; group < parts.groups; ++group) {
            MutableTensor<T> lane = empty<T>({parts.length});
            evaluation.read(group * parts.length, parts.length, as_span(lane).data());
            const Tensor<T> whole = lane;
            for (std::size_t i = 0; i < windows.begin.size(); ++i)
                *out++ = static_cast<R>(
                    reducer(Tensor<T>(whole(range(windows.begin[i], windows.end[i])))));
        }
        return result.operand();
    }
};

/// A reduction of the elements whose keys lie near each element's own, along an axis or a Dim, the last axis if none is
/// given: `variable_rolling_window(x, times, 60.0, mean)`, or a stage, without `x`. The keys ascend, one for each element of
/// the axis, of any type whose differences compare with the width: numbers, times. A window ends at its element (`left`) and
/// holds the keys in (key - width, key], begins there (`right`): [key, key + width), or lies about it (`centre`): at most half
/// the width away. Elements of equal keys have one window. Keys of a type known at run time are compared in int64 if they and
/// the width are integers, else in float64.
///
/// `sum`, `product`, `mean`, `min` and `max` of built-in types take O(size), adding elements and never taking one
/// away; other reductions and functions of yours get each window as a tensor. Eager. Throws `Error` for keys that do not
/// ascend (NaN does not) and for a width that is not positive, `ShapeError` for a wrong number of keys, `IndexError`, `DimError`.
inline constexpr AcceptingArrays<VariableRollingWindowFunction> variable_rolling_window;

} // namespace purview
