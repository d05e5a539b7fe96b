// Defines purview/evaluation/lanes.hpp.

#include "engine/kernels/table/lane_selection.hpp"
#include "engine/places/costs.hpp"
#include "engine/run/lane_pieces.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <span>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// The least share of the sum of squared differences from the centre that may be the spread: what
/// lies beside it costs up to six more bits.
constexpr double kLeastShare = 1. / 64;

/// Blocks of fewer results are not worth a centre of their own.
constexpr index_t kSmallestBlock = 32;

/// The variances of windows, block by block: from the sums of the differences from a centre of
/// the block and the sums of their squares. Where the mean of a window is far from the centre,
/// blocks as long as a window get centres of their own, and where that is not enough the window
/// is read by itself.
class WindowVariances {
public:
    WindowVariances(index_t most, index_t window, const VarianceOfWindows& rule)
        : window_(window),
          rule_(rule),
          spread_{static_cast<double>(window), static_cast<double>(rule.correction), rule.of_mean,
                  rule.root, kLeastShare},
          room_(with_slack(float64, most)),
          buffers_(float64, 8 * room_) {}

    /// Writes `count` results, and into the slack.
    void operator()(const double* in, index_t count, double* out) {
        if (!block(in, count, out)) return;
        const index_t step = std::max(window_, kSmallestBlock);
        double* const tried = buffer(7);
        for (index_t at = 0; at < count; at += step) {
            const std::span results(out + at, static_cast<std::size_t>(std::min(step, count - at)));
            if (count > step && std::ranges::find(results, -1.) != results.end()) {
                block(in + at, std::ssize(results), tried);
                std::copy_n(tried, results.size(), results.begin());
            }
            for (std::size_t i = 0; i < results.size(); ++i)
                if (results[i] == -1)
                    results[i] = alone({in + at + static_cast<index_t>(i), elements(1)});
        }
    }

private:
    std::size_t elements(index_t count) const {
        return static_cast<std::size_t>(count + window_ - 1);
    }
    double* buffer(index_t i) { return static_cast<double*>(buffers_.data()) + i * room_; }

    /// The middle one of some numbers among the elements; 0 if none is found.
    static double centre(std::span<const double> x) {
        std::array<double, 5> found;
        std::size_t some = 0;
        const std::size_t part = x.size() / found.size() + 1;
        for (std::size_t at = 0; at < x.size(); at += part) {
            const auto of_part = x.subspan(at, std::min(part, x.size() - at));
            const auto number =
                std::ranges::find_if(of_part, [](double e) { return std::isfinite(e); });
            if (number != of_part.end()) found[some++] = *number;
        }
        const auto middle = found.begin() + static_cast<std::ptrdiff_t>(some / 2);
        std::nth_element(found.begin(), middle, found.begin() + static_cast<std::ptrdiff_t>(some));
        return some == 0 ? 0 : *middle;
    }

    /// True if there are results that are not good enough, which are -1.
    bool block(const double* in, index_t count, double* out) {
        const LaneKernels& kernels = lane_kernels();
        const FoldWindows add = kernels.find_windows(LaneOp::add, TypeId::float64);
        const std::span x(in, elements(count));
        double* const shifted = buffer(0);
        double* const squares = buffer(1);
        double* const sums = buffer(2);
        double* const scratch = buffer(3);
        const double middle = centre(x);
        const double* counts = nullptr;
        const index_t reads = count + window_ - 1;
        if (rule_.skips_nan && std::ranges::any_of(x, [](double e) { return std::isnan(e); })) {
            double* const numbers = buffer(5);
            kernels.find_separation(TypeId::float64)(in, reads, middle, numbers, shifted);
            std::fill_n(shifted + reads, kLaneSlackBytes / sizeof(double), 0.);
            add(shifted, count, window_, scratch, buffer(6));
            counts = buffer(6);
            in = numbers;
        }
        kernels.shift_and_square(in, reads, middle, shifted, squares);
        add(shifted, count, window_, scratch, sums);
        add(squares, count, window_, scratch, out);
        return kernels.spread_of_sums(sums, out, count, &spread_, counts);
    }

    /// Of one window: differences from one of its elements, and then from their mean.
    double alone(std::span<const double> window) const {
        const auto first = std::ranges::find_if(window, [&](double e) { return counted(e); });
        double n = 0;
        double sum = 0;
        for (const double x : window)
            if (counted(x)) {
                sum += x - *first;
                ++n;
            }
        if (n <= spread_.correction) return std::numeric_limits<double>::quiet_NaN();
        const double mean = sum / n;
        double differences = 0;
        double squares = 0;
        for (const double x : window)
            if (counted(x)) {
                const double difference = x - *first - mean;
                differences += difference;
                squares += difference * difference;
            }
        if (std::isfinite(squares)) squares -= differences * (differences / n);
        const double variance = squares / (n - spread_.correction) / (rule_.of_mean ? n : 1);
        return rule_.root ? std::sqrt(variance) : variance;
    }
    bool counted(double x) const { return !rule_.skips_nan || !std::isnan(x); }

    index_t window_;
    VarianceOfWindows rule_;
    SpreadRule spread_;
    index_t room_;
    ElementBlock buffers_;
};

} // namespace

void roll_variances(const PaddedLanes& lanes, index_t window, const VarianceOfWindows& rule,
                    void* out) {
    const index_t results = std::min(lanes.length() - window + 1, std::max(kLanePiece, 2 * window));
    if (lanes.groups == 0 || results <= 0) return;
    const index_t most = results + window;
    const bool narrow = lanes.padded.dtype() == float32;
    for_each_window_piece(lanes, window, costs::kWindowVariance, out, [&] {
        return [&, variances = std::make_unique<WindowVariances>(most, window, rule),
                wide = std::make_unique<ElementBlock>(
                    float64, narrow ? 2 * with_slack(float64, most) : 0)](const std::byte* in,
                                                                          index_t count, void* to) {
            if (!narrow)
                return (*variances)(reinterpret_cast<const double*>(in), count,
                                    static_cast<double*>(to));
            auto* const elements = static_cast<double*>(wide->data());
            double* const found = elements + with_slack(float64, most);
            const auto* const floats = reinterpret_cast<const float*>(in);
            std::fill(std::copy_n(floats, count + window - 1, elements), found, 0.);
            (*variances)(elements, count, found);
            std::transform(found, found + count, static_cast<float*>(to),
                           [](double x) { return static_cast<float>(x); });
        };
    });
}

} // namespace purview
