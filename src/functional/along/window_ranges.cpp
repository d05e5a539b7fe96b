#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/functional/along/window_ranges.hpp>
#include <purview/reader/buffer.hpp>

#include "evaluation/numbers_only.hpp"
#include "functional/along/rolled_fold.hpp"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <numeric>
#include <optional>

namespace purview::inline v0_1 {
namespace {

template <typename T>
T joined(Reduction reduction, T a, T b) {
    if constexpr (std::same_as<T, bool>) {
        return reduction == Reduction::minimum ? a && b : a || b;
    } else if constexpr (std::floating_point<T>) {
        switch (reduction) {
        case Reduction::sum: return a + b;
        case Reduction::product: return a * b;
        case Reduction::minimum: return b < a || b != b ? b : a;
        default: return a < b || b != b ? b : a;
        }
    } else {
        using U = std::uint64_t;
        switch (reduction) {
        case Reduction::sum: return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
        case Reduction::product: return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
        case Reduction::minimum: return b < a ? b : a;
        default: return a < b ? b : a;
        }
    }
}

/// The fold of a sliding window of a sequence, as a queue of two stacks. The front stack holds the
/// fold of each of its suffixes, the back stack one fold.
template <typename T>
class FoldedQueue {
public:
    FoldedQueue(Reduction reduction, const T* elements, index_t length)
        : reduction_(reduction),
          elements_(elements),
          front_(new T[static_cast<std::size_t>(length)]) {}

    /// The fold of the non-empty window [begin, end). Neither may be less than in the previous
    /// call.
    T fold(index_t begin, index_t end) {
        for (; end_ < end; ++end_)
            back_ = end_ == turn_ ? elements_[end_] : joined(reduction_, back_, elements_[end_]);
        if (begin >= turn_) turn(begin);
        const T front = front_.get()[begin];
        return turn_ < end_ ? joined(reduction_, front, back_) : front;
    }

private:
    /// Makes all elements from `begin` on the front stack.
    void turn(index_t begin) {
        turn_ = end_;
        T folded = elements_[end_ - 1];
        for (index_t i = end_ - 1; i >= begin; --i) {
            if (i < end_ - 1) folded = joined(reduction_, elements_[i], folded);
            front_.get()[i] = folded;
        }
    }

    Reduction reduction_;
    const T* elements_;
    std::unique_ptr<T[]> front_; ///< the fold of the elements from each one up to `turn_`
    T back_{};                   ///< the fold of the elements from `turn_` on
    index_t turn_ = 0;
    index_t end_ = 0;
};

/// The fold of at least one element.
template <typename T>
T folded(Reduction reduction, const T* first, const T* last) {
    T all_of_them = *first;
    while (++first != last) all_of_them = joined(reduction, all_of_them, *first);
    return all_of_them;
}

/// Whether the windows, except empty ones, can be folded in order, and the first empty one.
struct Folding {
    explicit Folding(const WindowRanges& windows) : first_empty(windows.begin.size()) {
        index_t begin = 0;
        index_t end = 0;
        for (std::size_t i = windows.begin.size(); i-- > 0;)
            if (windows.begin[i] == windows.end[i]) first_empty = i;
        for (std::size_t i = 0; i < windows.begin.size(); ++i) {
            if (windows.begin[i] == windows.end[i]) continue;
            ascend = ascend && windows.begin[i] >= begin && windows.end[i] >= end;
            begin = windows.begin[i];
            end = windows.end[i];
        }
    }
    bool ascend = true;
    std::size_t first_empty;
};

} // namespace

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
    const bool extreme = reduction == Reduction::minimum || reduction == Reduction::maximum;
    const bool skips = by.nan == NanRule::skip && parts.operand.dtype().is_floating();
    const std::size_t count = windows.begin.size();
    const Folding folding(windows);
    if (extreme && !skips && folding.first_empty < count)
        throw ShapeError(fmt::format("{}: window {} is empty and has no {}", what,
                                     folding.first_empty,
                                     reduction == Reduction::minimum ? "min" : "max"));
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
        T* out = as_span(result).data();
        for (index_t group = 0; group < parts.groups; ++group) {
            if (parts.length > 0) source.read(group * parts.length, parts.length, elements);
            FoldedQueue<T> queue(reduction, elements, parts.length);
            if (skips) {
                before.front() = 0;
                if (parts.length > 0)
                    not_nan.read(group * parts.length, parts.length, before.data() + 1);
                std::partial_sum(before.begin(), before.end(), before.begin());
            }
            for (std::size_t i = 0; i < count; ++i) {
                const index_t begin = windows.begin[i];
                const index_t end = windows.end[i];
                if (begin == end)
                    *out = static_cast<T>(reduction == Reduction::product ? 1 : 0);
                else
                    *out = folding.ascend ? queue.fold(begin, end)
                                          : folded(reduction, elements + begin, elements + end);
                if constexpr (std::floating_point<T>) {
                    const index_t held = skips ? before[static_cast<std::size_t>(end)] -
                                                     before[static_cast<std::size_t>(begin)]
                                               : end - begin;
                    if (held == 0 && (averages || extreme))
                        *out = std::numeric_limits<T>::quiet_NaN();
                    else if (averages)
                        *out /= static_cast<T>(held);
                }
                ++out;
            }
        }
        return result.operand();
    });
}

} // namespace purview
