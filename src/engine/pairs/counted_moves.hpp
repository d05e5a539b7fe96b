#pragma once

#include <purview/reader/buffer.hpp>
#include <purview/reader/sparse_pairs.hpp>

#include "engine/pairs/digit_view.hpp"
#include "engine/places/buffers.hpp"

#include <libdivide.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1::engine {

/// Moves the pairs at positions [begin, end) to the order of a view in which they are ascending within each run
/// of `run` indexes: counts the entries of every run, and writes each to its place at once. For runs that are few
/// beside the entries, such as the rows of a transposed matrix: a sort would write each entry three times.
class CountedMoves {
public:
    /// The most runs: their places stay in the second-level cache.
    static constexpr index_t kMostRuns = index_t{1} << 16;

    static bool fit(const DigitView& digits, index_t run, index_t count) {
        return run > 1 && digits.size() / run <= std::min(kMostRuns, count / 4);
    }

    CountedMoves(const SparsePairs& pairs, index_t begin, index_t end, const DigitView& digits,
                 index_t run)
        : pairs_(pairs),
          begin_(begin),
          end_(end),
          digits_(digits),
          divider_(static_cast<std::uint64_t>(run)),
          places_(static_cast<std::size_t>(digits.size() / run)) {
        each([&](index_t index, index_t) { ++places_[run_of(index)]; });
        for (index_t& place : places_) count_ += std::exchange(place, count_);
    }

    index_t count() const noexcept { return count_; }

    /// Writes the indexes, and `payload(position)` of each entry. Places are far from each other: some entries wait
    /// until the lines that they are written to have come.
    template <typename T, typename Payload>
    void write(index_t* indexes, T* payloads, Payload payload) {
        struct Waiting {
            std::size_t to;
            index_t index;
            T payload;
        };
        std::array<Waiting, 64> waiting;
        std::size_t count = 0;
        const auto write_waiting = [&] {
            for (const Waiting& each : std::span(waiting).first(std::exchange(count, 0))) {
                indexes[each.to] = each.index;
                payloads[each.to] = each.payload;
            }
        };
        each([&](index_t index, index_t p) {
            const auto to = static_cast<std::size_t>(places_[run_of(index)]++);
            __builtin_prefetch(indexes + to, 1);
            __builtin_prefetch(payloads + to, 1);
            waiting[count++] = {to, index, static_cast<T>(payload(p))};
            if (count == waiting.size()) write_waiting();
        });
        write_waiting();
    }

private:
    std::size_t run_of(index_t index) const {
        return static_cast<std::size_t>(static_cast<std::uint64_t>(index) / divider_);
    }
    template <typename F>
    void each(F f) const {
        Run run;
        for (index_t p = begin_; p < end_; ++p) {
            const index_t address = pairs_.indexes[static_cast<std::size_t>(p)] - pairs_.offset;
            if (!run.holds(address)) run = digits_.run_at(address);
            if (const index_t index = run(address); index >= 0) f(index, p);
        }
    }

    const SparsePairs& pairs_;
    index_t begin_;
    index_t end_;
    const DigitView& digits_;
    libdivide::branchfree_divider<std::uint64_t> divider_;
    std::vector<index_t> places_; ///< of the next entry of each run
    index_t count_ = 0;
};

} // namespace purview::engine
