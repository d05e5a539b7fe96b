#include <purview/evaluation/histogram.hpp>
#include <purview/expression/elementwise.hpp>

#include "engine/boxes/chunked_parts.hpp"
#include "engine/kernels/table/lane_selection.hpp"
#include "engine/places/costs.hpp"
#include "engine/realise/entered_operation.hpp"
#include "engine/realise/realised_operand.hpp"
#include "engine/reduce/extremes.hpp"
#include "engine/run/element_runs.hpp"
#include "engine/threads/watch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

constexpr index_t kBinnedChunk = 4096;

/// Elements whose bins are computed before any of them is counted: so few that the processor
/// computes the next ones while it counts these.
constexpr index_t kFound = 64;

/// Elements ahead of those that are counted, which are asked for.
constexpr index_t kBinnedAhead = 1024;

/// Which bins elements lie in; `count()` for those that lie in none.
class BinFinder {
public:
    BinFinder(std::span<const double> edges, bool uniform) : edges_(edges) {
        const double first = edges.front();
        const double last = edges.back();
        const double scale = static_cast<double>(count()) / (last - first);
        const double edge_tolerance = 8 * std::numeric_limits<double>::epsilon() *
                                      (1 + scale * std::max(std::abs(first), std::abs(last)));
        if (uniform && count() < (1 << 24) && edge_tolerance < 0.25)
            bins_ =
                UniformBins{first, last, scale, edge_tolerance, static_cast<std::int32_t>(count())};
    }

    index_t count() const { return std::ssize(edges_) - 1; }

    /// Calls `f(found, begin, n)` for pieces of `count` elements, in order: `found` are the bins of
    /// those from `begin` on.
    template <typename F>
    void for_each_piece(const double* x, index_t count, F f) const {
        alignas(64) std::array<std::int32_t, static_cast<std::size_t>(kFound)> found;
        for (index_t begin = 0; begin < count; begin += kFound) {
            const index_t n = std::min(kFound, count - begin);
            find(x + begin, n, found.data());
            f(found.data(), begin, n);
        }
    }

private:
    /// The exact bin of `x`, which is `bin` or a neighbour of it; `count()` if it lies in none.
    std::int32_t beside(double x, std::int32_t bin) const {
        if (!(x >= bins_->first && x <= bins_->last)) return bins_->count;
        bin = std::min(bin, bins_->count - 1);
        const double* const edge = &edges_[static_cast<std::size_t>(bin)];
        if (x < edge[0]) return bin - 1;
        return x >= edge[1] && bin + 1 < bins_->count ? bin + 1 : bin;
    }

    void find(const double* x, index_t count, std::int32_t* found) const {
        for (index_t i = 0; i < count; i += 8) __builtin_prefetch(x + i + kBinnedAhead);
        if (!bins_) {
            for (index_t i = 0; i < count; ++i) found[i] = search(x[i]);
        } else if (find_(x, count, &*bins_, found)) {
            for (index_t i = 0; i < count; ++i) found[i] = beside(x[i], found[i]);
        }
    }

    std::int32_t search(double x) const {
        const auto none = static_cast<std::int32_t>(count());
        if (!(x >= edges_.front() && x <= edges_.back())) return none;
        if (x == edges_.back()) return none - 1;
        return static_cast<std::int32_t>(std::ranges::upper_bound(edges_, x) - edges_.begin() - 1);
    }

    std::span<const double> edges_;
    std::optional<UniformBins> bins_; ///< if a multiplication finds the bin
    FindBins find_ = lane_kernels().find_bins;
};

/// Four counters for each bin, to which elements are added in turn: with a single one, equal
/// elements that follow each other would wait for the previous increment.
class Counters {
public:
    explicit Counters(index_t bins)
        : bins_(bins), counts_(static_cast<std::size_t>(4 * (bins + 1))) {}

    void add(const std::int32_t* found, index_t count) {
        std::int64_t* const first = counts_.data();
        std::int64_t* const second = first + bins_ + 1;
        std::int64_t* const third = second + bins_ + 1;
        std::int64_t* const fourth = third + bins_ + 1;
        index_t i = 0;
        for (; i + 8 <= count; i += 8) {
            std::uint64_t pairs[4]; // half as many loads
            std::memcpy(pairs, found + i, sizeof(pairs));
            for (int k = 0; k < 4; k += 2) {
                ++first[pairs[k] & 0xffffffff];
                ++second[pairs[k] >> 32];
                ++third[pairs[k + 1] & 0xffffffff];
                ++fourth[pairs[k + 1] >> 32];
            }
        }
        for (; i < count; ++i) ++first[found[i]];
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

/// What bins have of expressions over arrays of chunks, cell by cell, added up in an order that depends on shapes
/// alone. Returns false for others.
template <typename T>
bool add_up_cells(const Operand& source, index_t bins, T* sums,
                  FunctionRef<void(const WalkedCell& cell, T* sums)> of_cell) {
    ChunkedParts parts;
    if (!ChunkedParts::may_find(source) || !parts.find(source, 1)) return false;
    parts.run(
        "histogram", bins * index_t{sizeof(T)},
        [&](const WalkedCell& cell, index_t, void* results) {
            of_cell(cell, static_cast<T*>(results));
        },
        [&](void* into, const void* more, index_t) {
            for (index_t bin = 0; bin < bins; ++bin)
                static_cast<T*>(into)[bin] += static_cast<const T*>(more)[bin];
        },
        [&](const Box&, const void* results) {
            std::copy_n(static_cast<const T*>(results), bins, sums);
        });
    return true;
}

} // namespace

std::pair<double, double> limits_of(const Operand& source) {
    using Limits = std::pair<double, double>;
    ChunkedParts parts;
    if (ChunkedParts::may_find(source) && parts.find(source, 1)) {
        Limits limits;
        parts.run(
            "histogram", sizeof(Limits),
            [](const WalkedCell& cell, index_t, void* results) {
                *static_cast<Limits*>(results) = limits_of(cell.operand);
            },
            [](void* into, const void* more, index_t) {
                auto& [least, greatest] = *static_cast<Limits*>(into);
                const Limits& other = *static_cast<const Limits*>(more);
                // NaN if either is.
                least = std::isnan(other.first) || other.first < least ? other.first : least;
                greatest =
                    std::isnan(other.second) || other.second > greatest ? other.second : greatest;
            },
            [&](const Box&, const void* results) {
                limits = *static_cast<const Limits*>(results);
            });
        return limits;
    }
    return source.dims.size() == 0 ? std::pair{0.0, 1.0} : extremes_of<double>(source);
}

void count_in_bins(const Operand& given, std::span<const double> edges, bool uniform,
                   std::int64_t* counts) {
    const index_t bins = std::ssize(edges) - 1;
    if (given.node->reads(Below::blocks)) [[unlikely]]
        if (add_up_cells<std::int64_t>(given, bins, counts,
                                       [&](const WalkedCell& cell, std::int64_t* of_cell) {
                                           count_in_bins(cell.operand, edges, uniform, of_cell);
                                       }))
            return;
    const EnteredOperation entered("histogram", given);
    const Operand& source = *entered;
    const BinFinder bins_of(edges, uniform);
    std::fill_n(counts, bins_of.count(), 0);
    const index_t size = source.dims.size();
    if (size == 0) return;
    const int threads =
        ElementRuns<double>(source, kBinnedChunk).threads(size, costs::kBinnedElement);
    std::mutex mutex;
    parallel_for(size, 16 * kBinnedChunk, threads, [&](index_t begin, index_t end) {
        ElementRuns<double> runs(source, kBinnedChunk);
        Counters own(bins_of.count());
        for (index_t at = begin; at < end; at += kBinnedChunk) {
            const index_t length = std::min(kBinnedChunk, end - at);
            bins_of.for_each_piece(
                runs(at, length), length,
                [&](const std::int32_t* found, index_t, index_t count) { own.add(found, count); });
        }
        const std::lock_guard lock(mutex);
        own.add_to(counts);
    });
}

void sum_in_bins(const Operand& given_source, const Operand& given_weights,
                 std::span<const double> edges, bool uniform, double* sums) {
    const WatchedOperation watched("histogram");
    if (given_source.node->reads(Below::blocks) || given_weights.node->reads(Below::blocks))
        [[unlikely]] {
        const Operand both = elementwise<2>(Op::multiply, float64,
                                            {given_source, given_weights}); // never multiplied
        const auto of_cell = [&](const WalkedCell& cell, double* of_cell_sums) {
            const auto& pair = *node_as<Elementwise>(*cell.operand.node);
            sum_in_bins(pair.operand(0), pair.operand(1), edges, uniform, of_cell_sums);
        };
        if (add_up_cells<double>(both, std::ssize(edges) - 1, sums, of_cell)) return;
    }
    const RealisedOperand realised_source("histogram", given_source);
    const Operand& source = *realised_source;
    const RealisedOperand realised_weights("histogram", given_weights);
    const Operand& weights = *realised_weights;
    const BinFinder bins_of(edges, uniform);
    std::vector<double> totals(static_cast<std::size_t>(bins_of.count() + 1));
    const index_t size = source.dims.size();
    ElementRuns<double> elements(source, kBinnedChunk);
    ElementRuns<double> weight_runs(weights, kBinnedChunk);
    for (index_t at = 0; at < size; at += kBinnedChunk) {
        const index_t length = std::min(kBinnedChunk, size - at);
        const double* const w = weight_runs(at, length);
        bins_of.for_each_piece(elements(at, length), length,
                               [&](const std::int32_t* found, index_t begin, index_t count) {
                                   for (index_t i = 0; i < count; ++i)
                                       totals[static_cast<std::size_t>(found[i])] += w[begin + i];
                               });
    }
    std::copy_n(totals.begin(), bins_of.count(), sums);
}

} // namespace purview
