// Defines purview/functional/statistics/percentiles.hpp.
#include <purview/evaluation/parallel.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/functional/statistics/percentiles.hpp>

#include "functional/reductions/float_results.hpp"
#include "functional/reductions/rolled_ranges.hpp"
#include "functional/statistics/interpolated.hpp"
#include "functional/statistics/ranked_window.hpp"
#include "functional/statistics/sorted_window.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// Windows are rolled in parts of at least so many elements, each on one thread.
constexpr index_t kWindowPart = 4096;

/// Nanoseconds to move a window on by an element, roughly.
constexpr double kQuantileCost = 50;

/// From this width on, windows of so many elements know ranks, and move no elements.
constexpr index_t kRankedWidth = 8192;

/// From this length on, lanes are worked on one after the other, in parts, between which Ctrl-C ends
/// it; shorter ones on several threads.
constexpr index_t kLongLane = 1 << 16;

/// Whether neither begins nor ends of windows ever decrease, but for empty ones.
bool windows_ascend(std::span<const index_t> begins, std::span<const index_t> ends) {
    index_t begin = 0;
    index_t end = 0;
    for (std::size_t i = 0; i < begins.size(); ++i) {
        if (begins[i] == ends[i]) continue;
        if (begins[i] < begin || ends[i] < end) return false;
        begin = begins[i];
        end = ends[i];
    }
    return true;
}

class Quantile final : public BuiltInReduction {
public:
    constexpr Quantile(const char* name, double quantile, double scale,
                       QuantileMethod method) noexcept
        : BuiltInReduction(name), quantile_(quantile), scale_(scale), method_(method) {}

    DType result_of(DType element) const override { return element == float32 ? float32 : float64; }
    void run(ReducedView view, DType, void* out) const override {
        Evaluation(quantiles(view, NanRule::keep)).read(0, view.groups, out);
    }
    void run_on_non_nan(ReducedView view, void* out) const override {
        if (view.groups > 0) Evaluation(quantiles(view, NanRule::skip)).read(0, view.groups, out);
    }
    AnyTensor of_non_builtin(const ReducedView& view) const override {
        return AnyTensor::writable(quantiles(view, NanRule::keep));
    }
    Operand of_non_nat(const ReducedView& view) const override {
        return quantiles(view, NanRule::skip);
    }
    /// A window is kept in order, or, of many elements, their ranks.
    bool roll(const PaddedLanes& lanes, index_t width, index_t step, NanRule nan,
              void* out) const override {
        check_quantile(name(), quantile_, scale_);
        require_not_sparse(name(), lanes.inner);
        if (width >= kRankedWidth) return roll_as_ranges(*this, lanes, width, step, nan, out);
        with_floats(result_of(lanes.padded.dtype()), out, [&]<typename R>(R* results) {
            const Evaluation elements(cast_operand(lanes.padded, kDType<R>, Op::cast));
            const index_t length = lanes.length();
            const index_t count = (length - width) / step + 1;
            const index_t together = std::max(index_t{1}, std::max(kWindowPart, 8 * width) / step);
            const index_t parts = (count + together - 1) / together;
            const double cost = kQuantileCost * static_cast<double>(lanes.groups * length);
            parallel_ranges(lanes.groups * parts, 1, elements.is_thread_safe() ? cost : 0,
                            [&](index_t begin, index_t end) {
                                const index_t most = (std::min(together, count) - 1) * step + width;
                                const auto part =
                                    std::make_unique<R[]>(static_cast<std::size_t>(most));
                                SortedWindow<R> window(width);
                                SortedWindow<R> later(width);
                                for (index_t p = begin; p < end; ++p) {
                                    const index_t group = p / parts;
                                    const index_t first = p % parts * together;
                                    const index_t some = std::min(together, count - first);
                                    elements.read(group * length + first * step,
                                                  (some - 1) * step + width, part.get());
                                    roll_part(window, later, part.get(), width, step, nan,
                                              std::span(results + group * count + first,
                                                        static_cast<std::size_t>(some)));
                                }
                            });
        });
        return true;
    }
    /// O(log length) for each element that comes or goes.
    bool roll_ranges(const Operand& lanes, index_t groups, std::span<const index_t> begins,
                     std::span<const index_t> ends, NanRule nan, void* out) const override {
        check_quantile(name(), quantile_, scale_);
        if (groups == 0 || !windows_ascend(begins, ends)) return false;
        const index_t length = lanes.dims.size() / groups;
        const index_t count = std::ssize(begins);
        with_floats(result_of(lanes.dtype()), out, [&]<typename R>(R* results) {
            const Evaluation elements(cast_operand(lanes, kDType<R>, Op::cast));
            const bool together = length < kLongLane && elements.is_thread_safe();
            const double cost = 4 * kQuantileCost * static_cast<double>(groups * (length + count));
            const auto roll_lanes = [&](index_t begin, index_t end) {
                const MutableTensor<R> lane = empty<R>({length});
                R* const x = as_span(lane).data();
                RankedWindow<R> window(length);
                for (index_t group = begin; group < end; ++group) {
                    if (length > 0) elements.read(group * length, length, x);
                    window.begin(lane.operand(), x);
                    roll_lane(window, begins, ends, nan, !together, results + group * count);
                }
            };
            if (together)
                parallel_ranges(groups, 1, cost, roll_lanes);
            else
                roll_lanes(0, groups);
        });
        return true;
    }

private:
    Operand quantiles(const ReducedView& view, NanRule nan) const {
        return quantile_operand(name(), view, std::span(&quantile_, 1), scale_, false, method_,
                                nan);
    }
    /// The results of the windows of a lane.
    template <typename R>
    void roll_lane(RankedWindow<R>& window, std::span<const index_t> begins,
                   std::span<const index_t> ends, NanRule nan, bool in_parts, R* results) const {
        index_t begin = 0;
        index_t end = 0;
        const auto roll_some = [&](index_t from, index_t to) {
            for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to); ++i) {
                if (begins[i] == ends[i]) {
                    results[i] = std::numeric_limits<R>::quiet_NaN();
                    continue;
                }
                if (begins[i] >= end) { // nothing stays
                    for (; begin < end; ++begin) window.remove(begin);
                    begin = end = begins[i];
                }
                for (; end < ends[i]; ++end) window.add(end);
                for (; begin < begins[i]; ++begin) window.remove(begin);
                const index_t width = end - begin;
                results[i] = in_window(window, width, place_in(width), nan);
            }
        };
        const index_t count = std::ssize(begins);
        if (in_parts)
            parallel_ranges(count, 1, 0, roll_some);
        else
            roll_some(0, count);
    }
    /// The results of windows, the first of which begins at `x`: both halves at once.
    template <typename R>
    void roll_part(SortedWindow<R>& window, SortedWindow<R>& later, const R* x, index_t width,
                   index_t step, NanRule nan, std::span<R> results) const {
        const QuantilePlace whole = place_in(width);
        const std::size_t half = results.size() / 2;
        const R* y = x + static_cast<index_t>(half) * step;
        window.fill(x, width);
        later.fill(y, width);
        for (std::size_t i = 0; i < half; ++i) {
            results[i] = in_window(window, width, whole, nan);
            results[half + i] = in_window(later, width, whole, nan);
            if (half + i + 1 == results.size()) return;
            for (const R* const end = x + step; x < end; ++x, ++y)
                SortedWindow<R>::replace(window, later, *x, x[width], *y, y[width]);
        }
        results.back() = in_window(later, width, whole, nan);
    }
    QuantilePlace place_in(index_t count) const {
        return quantile_place(count, quantile_ / scale_, method_);
    }
    template <typename R, template <typename> typename Window>
    R in_window(const Window<R>& window, index_t width, const QuantilePlace& whole,
                NanRule nan) const {
        if (window.size() == 0 || (window.nans() > 0 && nan != NanRule::skip))
            return std::numeric_limits<R>::quiet_NaN();
        const QuantilePlace place = window.size() == width ? whole : place_in(window.size());
        const auto low = static_cast<double>(window[place.low]);
        if (place.share == 0) return static_cast<R>(interpolated(low, low, 0));
        return static_cast<R>(
            interpolated(low, static_cast<double>(window[place.high]), place.share));
    }

    double quantile_;
    double scale_;
    QuantileMethod method_;
};

} // namespace

const BuiltInReduction& MedianOperation::built_in() {
    static constexpr Quantile kMedian(kName, 0.5, 1, QuantileMethod::linear);
    return kMedian;
}

std::shared_ptr<const BuiltInReduction> quantile_reduction(const char* what, double quantile,
                                                           double scale, QuantileMethod method) {
    return std::make_shared<Quantile>(what, quantile, scale, method);
}

} // namespace purview
