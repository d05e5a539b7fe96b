#include "functional/statistics/row_pair_runs.hpp"

#include "reader/chunk_cache.hpp"

#include <algorithm>

namespace purview::inline v0_1 {
namespace {

constexpr index_t kPairBytes = sizeof(RowPair);

} // namespace

void RowPairRuns::add(std::span<const RowPair> pairs) {
    const index_t bytes = std::ssize(pairs) * kPairBytes;
    file_.grow(bytes);
    file_.write(size_ * kPairBytes, std::as_bytes(pairs));
    size_ += std::ssize(pairs);
}

void RowPairRuns::end_run() {
    if (size_ > begins_.back()) begins_.push_back(size_);
}

/// Takes the pairs of all rows below a bound from the runs, a window of rows after the other: rows are dense, so that
/// pairs come to their places without being compared.
class RowPairRuns::Merge {
public:
    Merge(const RowPairRuns& all, index_t buffer_bytes)
        : all_(all),
          runs_(all.begins_.size() - 1),
          most_(std::max<index_t>(1, buffer_bytes / 4 / kPairBytes)),
          of_run_(std::max<index_t>(1, buffer_bytes / 2 / kPairBytes /
                                           std::max<index_t>(1, std::ssize(runs_)))),
          counted_((2 * most_ + of_run_ * std::ssize(runs_)) * kPairBytes, all.what_),
          buffer_(static_cast<std::size_t>(of_run_ * std::ssize(runs_))),
          slots_(static_cast<std::size_t>(most_)) {
        for (std::size_t r = 0; r < runs_.size(); ++r) {
            const index_t begin = static_cast<index_t>(r) * of_run_;
            runs_[r] = {begin, begin, begin, all.begins_[r], all.begins_[r + 1]};
            fill(runs_[r]);
        }
        merged_.reserve(static_cast<std::size_t>(most_));
    }

    void run(TakesRowPairs take) {
        while (!runs_.empty()) {
            if (const auto check = before_chunk.load())
                check(); // whether the work has been cancelled
            window(take);
            std::erase_if(runs_, [](const Run& run) { return run.at == run.end; });
        }
        flush(take);
    }

private:
    /// What is held of a run, in the buffer, and what is still in the file.
    struct Run {
        index_t begin;
        index_t at;
        index_t end;
        index_t next;
        index_t file_end;

        bool has_more() const noexcept { return next < file_end; }
    };
    struct Slot {
        index_t first = 0;
        index_t count = 0;
    };

    const RowPair& pair(index_t at) const { return buffer_[static_cast<std::size_t>(at)]; }

    /// Makes room for more of a run, and reads it.
    void fill(Run& run) {
        const auto at = [&](index_t i) { return buffer_.begin() + i; };
        run.end = std::copy(at(run.at), at(run.end), at(run.begin)) - buffer_.begin();
        run.at = run.begin;
        const index_t count = std::min(run.begin + of_run_ - run.end, run.file_end - run.next);
        all_.file_.read(run.next * kPairBytes,
                        std::as_writable_bytes(std::span(buffer_).subspan(
                            static_cast<std::size_t>(run.end), static_cast<std::size_t>(count))));
        run.next += count;
        run.end += count;
    }

    void window(TakesRowPairs take) {
        Run* first = &runs_[0];
        for (Run& run : runs_)
            if (pair(run.at).row < pair(first->at).row) first = &run;
        const index_t base = pair(first->at).row;
        index_t bound = base + std::ssize(slots_);
        for (const Run& run : runs_)
            if (run.has_more()) bound = std::min(bound, pair(run.end - 1).row);
        if (bound == base) return one_row(*first, take);
        for (Run& run : runs_) {
            for (; run.at < run.end && pair(run.at).row < bound; ++run.at) {
                Slot& slot = slots_[static_cast<std::size_t>(pair(run.at).row - base)];
                if (slot.count++ == 0) slot.first = run.at;
            }
        }
        for (index_t row = base; row < bound; ++row) {
            Slot& slot = slots_[static_cast<std::size_t>(row - base)];
            for (index_t i = 0; i < slot.count; ++i) put(pair(slot.first + i), take);
            slot.count = 0;
        }
        for (Run& run : runs_)
            if (run.has_more() && run.end - run.at <= of_run_ / 2) fill(run);
    }
    /// Of which there may be more than fit into the buffer.
    void one_row(Run& run, TakesRowPairs take) {
        const index_t row = pair(run.at).row;
        while (run.at < run.end && pair(run.at).row == row) {
            put(pair(run.at++), take);
            if (run.at == run.end && run.has_more()) fill(run);
        }
    }

    void put(const RowPair& pair, TakesRowPairs take) {
        merged_.push_back(pair);
        if (std::ssize(merged_) == most_) flush(take);
    }
    void flush(TakesRowPairs take) {
        if (!merged_.empty()) take(merged_);
        merged_.clear();
    }

    const RowPairRuns& all_;
    std::vector<Run> runs_;
    index_t most_;   ///< rows of a window, pairs that are handed over
    index_t of_run_; ///< pairs that are held
    CountedBytes counted_;
    std::vector<RowPair> buffer_;
    std::vector<Slot> slots_;
    std::vector<RowPair> merged_;
};

void RowPairRuns::merge(index_t buffer_bytes, TakesRowPairs take) const {
    if (size_ > 0) Merge(*this, buffer_bytes).run(take);
}

} // namespace purview
