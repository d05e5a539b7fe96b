// Defines purview/evaluation/lanes.hpp.

#include <purview/dtype/visit.hpp>

#include "engine/folds/folds.hpp"
#include "engine/folds/lane_operation.hpp"
#include "engine/kernels/table/lane_selection.hpp"
#include "engine/places/costs.hpp"
#include "engine/run/lane_pieces.hpp"
#include "evaluation/fold_types.hpp"
#include "evaluation/numbers_only.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// A running fold takes up to this many elements one after the other, and joins the result to that
/// of the elements before, so that rounding errors of sums stay small.
constexpr index_t kWindowRun = 512;

/// Folds elements as they come, behind the elements so far or in front of them, and returns the
/// fold of all of them.
template <typename F, bool in_front>
class RunningFold {
public:
    using T = typename F::Type;

    T add(T value) {
        run_ = length_ == 0 ? value : joined(run_, value);
        const T all = any_ ? joined(before_, run_) : run_;
        if (++length_ == kWindowRun) {
            before_ = all;
            any_ = true;
            length_ = 0;
        }
        return all;
    }

private:
    static T joined(T so_far, T next) {
        return in_front ? F::combine(next, so_far) : F::combine(so_far, next);
    }

    T before_{};
    T run_{};
    index_t length_ = 0;
    bool any_ = false;
};

/// Folds windows that are wider than kWidestWindow. The lane is cut into parts as long as a window,
/// so that each window is the end of one part and the beginning of the next: the folds of all ends
/// and all beginnings are joined (van Herk's method).
template <typename F>
void roll_wide(const PaddedLanes& lanes, index_t window, typename F::Type* out) {
    using T = typename F::Type;
    const index_t length = lanes.length();
    const index_t results = length - window + 1;
    ElementBlock part(lanes.padded.dtype(), window);
    ElementBlock ends(lanes.padded.dtype(), window);
    auto* const elements = static_cast<T*>(part.data());
    auto* const end = static_cast<T*>(ends.data());
    RangeStore read(lanes.padded);
    for (index_t group = 0; group < lanes.groups; ++group) {
        const index_t lane = group * length;
        read(lane, window, elements);
        for (index_t at = 0; at < results; at += window) {
            RunningFold<F, true> from_the_end;
            for (index_t i = window; i-- > 0;) end[i] = from_the_end.add(elements[i]);
            const index_t count = std::min(window, results - at);
            const index_t next = std::min(window, length - at - window);
            if (next > 0) read(lane + at + window, next, elements);
            *out++ = end[0];
            RunningFold<F, false> from_the_beginning;
            for (index_t i = 1; i < count; ++i)
                *out++ = F::combine(end[i], from_the_beginning.add(elements[i - 1]));
        }
    }
}

/// `finish(results, count)` is called for each piece of the results, after it is folded.
template <typename Finish>
void roll_lanes(Reduction reduction, const PaddedLanes& lanes, index_t window, void* out,
                Finish finish) {
    const DType dtype = lanes.padded.dtype();
    if (lanes.groups == 0 || lanes.length() < window) return;
    const FoldWindows fold = lane_kernels().find_windows(lane_operation(reduction), dtype.id());
    if (fold == nullptr) throw_dtype_unsupported("roll", dtype);
    if (window > kWidestWindow) {
        visit_dtype(dtype, "roll", [&]<typename T>(std::type_identity<T>) {
            visit_fold<T>(reduction, [&]<typename F>(std::type_identity<F>) {
                roll_wide<F>(lanes, window, static_cast<T*>(out));
            });
        });
        const index_t bytes = dtype.size_bytes();
        const index_t count = lanes.groups * (lanes.length() - window + 1);
        ElementBlock piece(dtype, with_slack(dtype, kLanePiece));
        for (index_t at = 0; at < count; at += kLanePiece) {
            const index_t some = std::min(kLanePiece, count - at);
            std::byte* const results = static_cast<std::byte*>(out) + at * bytes;
            std::memcpy(piece.data(), results, static_cast<std::size_t>(some * bytes));
            std::memset(piece.at(some), 0, kLaneSlackBytes);
            finish(piece.data(), some);
            std::memcpy(results, piece.data(), static_cast<std::size_t>(some * bytes));
        }
        return;
    }
    for_each_window_piece(lanes, window, costs::kWindow, out, [&] {
        const index_t room =
            kWindowScratch * with_slack(dtype, std::max(kLanePiece, 2 * window) + window);
        return [&, scratch = std::make_unique<ElementBlock>(dtype, room)](
                   const std::byte* in, index_t count, void* results) {
            fold(in, count, window, scratch->data(), results);
            finish(results, count);
        };
    });
}

} // namespace

void roll_groups(Reduction reduction, const PaddedLanes& lanes, index_t window, void* out) {
    roll_lanes(reduction, lanes, window, out, [](void*, index_t) {});
}

void roll_means(const PaddedLanes& lanes, index_t window, void* out) {
    const DType dtype = lanes.padded.dtype();
    const DivideEach divide = lane_kernels().find_division(dtype.id());
    if (divide == nullptr) throw_dtype_unsupported("roll", dtype);
    const auto width = static_cast<double>(window);
    const auto narrow = static_cast<float>(window);
    const void* const divisor = dtype == float32 ? static_cast<const void*>(&narrow) : &width;
    roll_lanes(Reduction::sum, lanes, window, out,
               [&](void* sums, index_t count) { divide(sums, count, divisor); });
}

namespace {

/// Folds the numbers (elements that are not NaN) of each window of floats, piece by piece. Where
/// the result depends on how many numbers a window has, these are counted by a second fold, as
/// float32: no window has too many.
void roll_non_nan_of(Reduction reduction, bool averages, const PaddedLanes& lanes, index_t window,
                     void* out) {
    const double neutral = neutral_number(reduction);
    const bool counted = averages || is_extreme(reduction);
    const DType dtype = lanes.padded.dtype();
    const FoldWindows fold = lane_kernels().find_windows(lane_operation(reduction), dtype.id());
    const FoldWindows add = lane_kernels().find_windows(LaneOp::add, TypeId::float32);
    const SeparateNonNan separate = dtype == float64 ? lane_kernels().separate_doubles
                                                     : lane_kernels().find_separation(dtype.id());
    const DivideByCounts divide = lane_kernels().find_division_by_counts(dtype.id());
    for_each_window_piece(lanes, window, 2 * costs::kWindow, out, [&] {
        const index_t most = std::max(kLanePiece, 2 * window) + window;
        const auto block = [&](DType of, index_t count) {
            return std::make_unique<ElementBlock>(of, with_slack(of, count));
        };
        return [&, filled = block(dtype, most), ones = block(float32, most),
                counts = block(float32, most),
                scratch = std::make_unique<ElementBlock>(dtype,
                                                         kWindowScratch * with_slack(dtype, most))](
                   const std::byte* in, index_t count, void* results) {
            // Folds read more than they need, but at most three quarters of the slack.
            const auto beyond = [](DType of) { return with_slack(of, 0) / 4 * 3; };
            const index_t separated = count + window - 1 + beyond(dtype);
            separate(in, separated, neutral, filled->data(), ones->data());
            std::fill_n(static_cast<float*>(ones->data()) + separated,
                        beyond(float32) - beyond(dtype), 0.F);
            fold(filled->data(), count, window, scratch->data(), results);
            if (!counted) return;
            add(ones->data(), count, window, scratch->data(), counts->data());
            divide(results, count, counts->data(), averages);
        };
    });
}

} // namespace

bool roll_non_nan(Reduction reduction, bool averages, const PaddedLanes& lanes, index_t window,
                  void* out) {
    if (window > kWidestWindow) return false;
    roll_non_nan_of(reduction, averages, lanes, window, out);
    return true;
}

void correlate_groups(const PaddedLanes& lanes, const void* taps, index_t length, void* out) {
    const DType dtype = lanes.padded.dtype();
    const Correlate correlate = lane_kernels().find_correlate(dtype.id());
    if (correlate == nullptr) throw_dtype_unsupported("correlate", dtype);
    const double cost = costs::kWindowTap * static_cast<double>(length);
    for_each_window_piece(lanes, length, cost, out, [&] {
        return [&](const std::byte* in, index_t count, void* results) {
            correlate(in, count, taps, length, results);
        };
    });
}

} // namespace purview
