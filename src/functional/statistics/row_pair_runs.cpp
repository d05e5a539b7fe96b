#include "functional/statistics/row_pair_runs.hpp"

#include <algorithm>
#include <utility>

namespace purview::inline v0_1 {
namespace {

constexpr index_t kPairBytes = sizeof(RowPair);
/// Places of rows, which the caches hold beside pairs of the runs.
constexpr index_t kMostRowsOfWindow = 1 << 12;

/// Takes the pairs of all rows below a bound from the runs, a window of rows after the other: rows are dense, so that
/// pairs come to their places without being compared.
class RowPairMerge {
public:
    RowPairMerge(const TemporaryFile& file, std::span<const std::vector<RecordSegment>> runs,
                 index_t buffer_bytes, TakesRowPairs take)
        : most_(std::max<index_t>(1, buffer_bytes / 4 / kPairBytes)),
          counted_(2 * most_ * kPairBytes, file.what()),
          slots_(static_cast<std::size_t>(std::min(most_, kMostRowsOfWindow))),
          merged_(most_, take) {
        const index_t of_run =
            std::max<index_t>(1, buffer_bytes / 2 / kPairBytes / std::ssize(runs));
        for (const std::vector<RecordSegment>& run : runs)
            if (!run.empty()) runs_.push_back({RecordReader(file, run, kPairBytes, of_run)});
    }

    void run() {
        while (!runs_.empty()) {
            window();
            std::erase_if(runs_, [](const Run& run) { return run.held() == 0; });
        }
        merged_.end();
    }

private:
    struct Run {
        RecordReader reader;
        index_t taken = 0; ///< of those that are held

        index_t held() const noexcept { return reader.held(); }
        const RowPair* pair(index_t i) const noexcept {
            return reinterpret_cast<const RowPair*>(reader.record(i));
        }
        std::int64_t first_row() const noexcept { return pair(0)->row; }
        void drop() { reader.drop(std::exchange(taken, 0)); }
    };
    struct Slot {
        const RowPair* first = nullptr;
        index_t count = 0;
    };

    void window() {
        Run& first = *std::ranges::min_element(runs_, {}, &Run::first_row);
        const index_t base = first.first_row();
        index_t bound = base + std::ssize(slots_);
        for (const Run& run : runs_)
            if (run.reader.has_more()) bound = std::min(bound, run.pair(run.held() - 1)->row);
        if (bound == base) return one_row(first);
        for (Run& run : runs_) {
            const RowPair* pair = run.pair(0);
            const RowPair* const end = run.pair(run.held());
            for (; pair < end && pair->row < bound; ++pair) {
                Slot& slot = slots_[static_cast<std::size_t>(pair->row - base)];
                if (slot.count++ == 0) slot.first = pair;
            }
            run.taken = pair - run.pair(0);
        }
        for (index_t row = base; row < bound; ++row) {
            Slot& slot = slots_[static_cast<std::size_t>(row - base)];
            for (index_t i = 0; i < slot.count; ++i) merged_.add(slot.first[i]);
            slot.count = 0;
        }
        for (Run& run : runs_) run.drop();
    }
    /// Of which there may be more than are held.
    void one_row(Run& run) {
        for (const index_t row = run.first_row(); run.held() > 0 && run.first_row() == row;
             run.drop())
            for (; run.taken < run.held() && run.pair(run.taken)->row == row; ++run.taken)
                merged_.add(*run.pair(run.taken));
    }

    index_t most_; ///< pairs that are handed over
    CountedBytes counted_;
    std::vector<Run> runs_;
    std::vector<Slot> slots_;
    PairBatch merged_;
};

} // namespace

void RowPairRuns::add(int run, std::span<const RowPair> pairs) {
    if (pairs.empty()) return;
    const std::scoped_lock lock(mutex_);
    const index_t at = file_.append(std::as_bytes(pairs));
    runs_[static_cast<std::size_t>(run)].push_back({at, std::ssize(pairs)});
}

void RowPairRuns::merge(index_t buffer_bytes, TakesRowPairs take) const {
    if (size() > 0) RowPairMerge(file_, runs_, buffer_bytes, take).run();
}

} // namespace purview
