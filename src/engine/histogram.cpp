#include <purview/expression/histogram.hpp>

#include "engine/element_runs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

namespace purview {
namespace {

using namespace engine;

constexpr index_t kChunk = 4096;

/// Nanoseconds for an element.
constexpr double kElementCost = 1.5;

/// Elements whose bins are computed before any of them is counted.
constexpr index_t kFound = 512;

/// Which bins elements lie in; `bins()` for those that lie in none.
class Bins {
public:
    Bins(std::span<const double> edges, bool uniform)
        : edges_(edges),
          uniform_(uniform && edges.size() < (1U << 24)),
          first_(edges.front()),
          last_(edges.back()),
          scale_(static_cast<double>(bins()) / (last_ - first_)),
          doubt_(8 * std::numeric_limits<double>::epsilon() *
                 (1 + scale_ * std::max(std::abs(first_), std::abs(last_)))) {}

    index_t bins() const { return std::ssize(edges_) - 1; }

    /// At most kFound elements.
    void find(const double* x, index_t count, std::int32_t* found) const {
        if (uniform_ && doubt_ < 0.25 && near_none(x, count, found)) return;
        for (index_t i = 0; i < count; ++i) found[i] = bin_of(x[i]);
    }

private:
    /// By multiplication, which may be off where an element is as good as on an edge. False if one is.
    bool near_none(const double* x, index_t count, std::int32_t* found) const {
        const double first = first_;
        const double last = last_;
        const double scale = scale_;
        const double half = 0.5 - doubt_;
        const double outside = static_cast<double>(bins());
        int doubtful = 0;
        for (index_t i = 0; i < count; ++i) {
            const double place = (x[i] - first) * scale;
            const bool inside = static_cast<int>(x[i] >= first) & static_cast<int>(x[i] < last);
            const double kept = inside ? place : outside;
            const auto bin = static_cast<std::int32_t>(kept);
            found[i] = bin;
            // Farther than this from the middle of its bin; the last edge belongs to the last one.
            const double off = std::abs(kept - static_cast<double>(bin) - 0.5);
            doubtful |= (static_cast<int>(off > half) & static_cast<int>(inside)) |
                        static_cast<int>(x[i] == last);
        }
        return doubtful == 0;
    }

    std::int32_t bin_of(double x) const {
        const auto none = static_cast<std::int32_t>(bins());
        if (!(x >= first_ && x <= last_)) return none;
        if (x == last_) return none - 1;
        return static_cast<std::int32_t>(std::ranges::upper_bound(edges_, x) - edges_.begin() - 1);
    }

    std::span<const double> edges_;
    bool uniform_;
    double first_;
    double last_;
    double scale_;
    double doubt_; ///< how far a multiplication may be off, in bins
};

/// Four counters for each bin, as one would wait for itself where neighbours are alike.
class Counters {
public:
    explicit Counters(index_t bins)
        : bins_(bins), counts_(static_cast<std::size_t>(4 * (bins + 1))) {}

    void add(const std::int32_t* found, index_t count) {
        std::int64_t* const counts = counts_.data();
        index_t i = 0;
        for (; i + 4 <= count; i += 4)
            for (index_t k = 0; k < 4; ++k) ++counts[k * (bins_ + 1) + found[i + k]];
        for (; i < count; ++i) ++counts[found[i]];
    }
    void add_to(std::int64_t* out) const {
        for (index_t k = 0; k < 4; ++k)
            for (index_t bin = 0; bin < bins_; ++bin)
                out[bin] += counts_[static_cast<std::size_t>(k * (bins_ + 1) + bin)];
    }

private:
    index_t bins_;
    std::vector<std::int64_t> counts_;
};

} // namespace

void count_in_bins(const Operand& source, std::span<const double> edges, bool uniform,
                   std::int64_t* counts) {
    const Bins bins(edges, uniform);
    std::fill_n(counts, bins.bins(), 0);
    const index_t size = source.dims.size();
    if (size == 0) return;
    const int threads = ElementRuns<double>(source, kChunk).threads(size, kElementCost);
    std::mutex mutex;
    parallel_for(size, 16 * kChunk, threads, [&](index_t begin, index_t end) {
        ElementRuns<double> runs(source, kChunk);
        Counters own(bins.bins());
        std::array<std::int32_t, static_cast<std::size_t>(kFound)> found;
        for (index_t at = begin; at < end; at += kChunk) {
            const index_t length = std::min(kChunk, end - at);
            const double* const x = runs(at, length);
            for (index_t block = 0; block < length; block += kFound) {
                const index_t part = std::min(kFound, length - block);
                bins.find(x + block, part, found.data());
                own.add(found.data(), part);
            }
        }
        const std::lock_guard lock(mutex);
        own.add_to(counts);
    });
}

void sum_in_bins(const Operand& source, const Operand& weights, std::span<const double> edges,
                 bool uniform, double* sums) {
    const Bins bins(edges, uniform);
    std::vector<double> totals(static_cast<std::size_t>(bins.bins() + 1));
    const index_t size = source.dims.size();
    ElementRuns<double> elements(source, kChunk);
    ElementRuns<double> weight_runs(weights, kChunk);
    std::array<std::int32_t, static_cast<std::size_t>(kFound)> found;
    for (index_t at = 0; at < size; at += kChunk) {
        const index_t length = std::min(kChunk, size - at);
        const double* const x = elements(at, length);
        const double* const w = weight_runs(at, length);
        for (index_t block = 0; block < length; block += kFound) {
            const index_t part = std::min(kFound, length - block);
            bins.find(x + block, part, found.data());
            for (index_t i = 0; i < part; ++i)
                totals[static_cast<std::size_t>(found[static_cast<std::size_t>(i)])] +=
                    w[block + i];
        }
    }
    std::copy_n(totals.begin(), bins.bins(), sums);
}

} // namespace purview
