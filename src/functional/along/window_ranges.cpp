#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/functional/along/window_ranges.hpp>
#include <purview/reader/buffer.hpp>

#include "evaluation/fold_types.hpp"
#include "evaluation/numbers_only.hpp"
#include "evaluation/scalar_fold.hpp"
#include "functional/along/rolled_fold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>

namespace purview::inline v0_1 {
void throw_keys_unsorted(index_t index) {
    throw Error(fmt::format(
        "variable_rolling_window: the keys have to ascend, and do not at index {}", index));
}

void require_keys(index_t keys, index_t length) {
    if (keys != length)
        throw ShapeError(fmt::format(
            "variable_rolling_window: {} keys are given for an axis of size {}", keys, length));
}

void throw_empty_width() {
    throw Error("variable_rolling_window: the width of the windows has to be greater than zero");
}

std::uint64_t ticks_within(std::uint64_t count, std::uint64_t num, std::uint64_t den, bool around) {
    __extension__ typedef unsigned __int128 Wide; // a unit may have many ticks of another
    const Wide wide = Wide{count} * num;
    const Wide most = around ? wide / (Wide{den} * 2) : (wide + den - 1) / den - 1;
    constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
    return most < kAll ? static_cast<std::uint64_t>(most) : kAll;
}

WindowRanges every_range(const char* what, WindowRanges windows, index_t step) {
    const index_t count = stepped_count(what, std::ssize(windows.begin), step, {});
    for (index_t i = 0; i < count; ++i) {
        const auto from = static_cast<std::size_t>(i * step);
        windows.begin[static_cast<std::size_t>(i)] = windows.begin[from];
        windows.end[static_cast<std::size_t>(i)] = windows.end[from];
    }
    windows.begin.resize(static_cast<std::size_t>(count));
    windows.end.resize(static_cast<std::size_t>(count));
    return windows;
}

std::vector<index_t> window_ends(const char* what, const Operand& ends) {
    if (!ends.dtype().is_integer()) throw_dtype_unsupported(what, ends.dtype());
    if (ends.dims.rank() != 1)
        throw ShapeError(
            fmt::format("{}: begins and ends have one axis, not {}", what, ends.dims.rank()));
    require_host_reads(what, ends);
    std::vector<index_t> values(static_cast<std::size_t>(ends.dims.size()));
    if (!values.empty())
        Evaluation(cast_operand(ends, int64, Op::cast)).read(0, std::ssize(values), values.data());
    return values;
}

void require_pairs(const char* what, const WindowRanges& windows) {
    if (windows.begin.size() != windows.end.size())
        throw ShapeError(fmt::format("{}: {} begins of windows and {} ends", what,
                                     windows.begin.size(), windows.end.size()));
}

void require_within(const char* what, const WindowRanges& windows, const AxisParts& parts) {
    if (parts.operand.dims.rank() == 0)
        throw IndexError(fmt::format("{}: a tensor of rank 0 has no axis", what));
    for (std::size_t i = 0; i < windows.begin.size(); ++i)
        if (windows.begin[i] < 0 || windows.end[i] < windows.begin[i] ||
            windows.end[i] > parts.length)
            throw IndexError(fmt::format("{}: window {}, [{}, {}), is none of an axis of size {}",
                                         what, i, windows.begin[i], windows.end[i], parts.length));
}

Operand folded_windows(const char* what, const ChosenReducer& by, const AxisParts& parts,
                       const WindowRanges& windows) {
    const std::optional<PlainFold> fold = rolled_fold(*by.built_in);
    if (!fold) return each_window(what, windows_of_lanes(parts, windows), by);
    if (!parts.operand.dtype().is_builtin()) throw_dtype_unsupported(what, parts.operand.dtype());
    require_host_reads(what, parts.operand);
    const DType dtype = by.built_in->result_of(parts.operand.dtype());
    const auto [reduction, averages] = *fold;
    const bool extreme = is_extreme(reduction);
    const bool skips = by.nan == NanRule::skip && parts.operand.dtype().is_floating();
    if (extreme && !skips) {
        const auto empty =
            std::ranges::mismatch(windows.begin, windows.end, std::ranges::not_equal_to());
        if (empty.in1 != windows.begin.end())
            throw ShapeError(fmt::format("{}: window {} is empty and has no {}", what,
                                         (parts.windows != nullptr ? parts.first() : 0) +
                                             (empty.in1 - windows.begin.begin()),
                                         reduction == Reduction::minimum ? "min" : "max"));
    }
    const WindowEnds ends{std::ssize(windows.begin), windows.begin, windows.end};
    const Operand elements_of = cast_operand(parts.operand, dtype, Op::cast);
    const Evaluation source(skips ? numbers_only(elements_of, reduction) : elements_of,
                            Reads::within_one_operation);
    const Evaluation not_nan(skips ? cast_operand(is_not_nan(elements_of), int64, Op::cast)
                                   : constant_operand(std::int64_t{1}),
                             Reads::within_one_operation);
    // The number of elements before each position that are not NaN.
    std::vector<std::int64_t> before(static_cast<std::size_t>(skips ? parts.length + 1 : 0));
    return visit_dtype(dtype, what, [&]<typename T>(std::type_identity<T>) {
        MutableTensor<T> result = empty<T>(windows_of_lanes(parts, windows).shape);
        if (result.empty()) return result.operand();
        const MutableTensor<T> lane = empty<T>({parts.length});
        T* const elements = as_span(lane).data();
        const auto kept = static_cast<std::size_t>(states_to_roll(ends));
        const auto front = std::make_unique<T[]>(kept);
        const std::span states(front.get(), kept);
        T* out = as_span(result).data();
        const auto roll_groups = [&]<typename F>(std::type_identity<F>) {
            for (index_t group = 0; group < parts.groups; ++group) {
                if (parts.length > 0) source.read(group * parts.length, parts.length, elements);
                if (skips) {
                    before.front() = 0;
                    if (parts.length > 0)
                        not_nan.read(group * parts.length, parts.length, before.data() + 1);
                    std::partial_sum(before.begin(), before.end(), before.begin());
                }
                const auto join = [](T& state, T next) { state = F::combine(state, next); };
                const auto found = [&, i = index_t{0}](T window) mutable {
                    const index_t begin = ends.begin(i);
                    const index_t end = ends.end(i++);
                    if (begin == end)
                        window = static_cast<T>(reduction == Reduction::product ? 1 : 0);
                    if constexpr (std::floating_point<T>) {
                        const index_t held = skips ? before[static_cast<std::size_t>(end)] -
                                                         before[static_cast<std::size_t>(begin)]
                                                   : end - begin;
                        if (held == 0 && (averages || extreme))
                            window = std::numeric_limits<T>::quiet_NaN();
                        else if (averages)
                            window /= static_cast<T>(held);
                    }
                    *out++ = window;
                };
                roll_states(
                    ends, states, F::start(),
                    [&](T& state, index_t at) { join(state, elements[at]); }, join, found);
            }
        };
        visit_reduction<T>(reduction, roll_groups);
        return result.operand();
    });
}

} // namespace purview
