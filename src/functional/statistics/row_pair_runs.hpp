#pragma once

#include <purview/base/function_ref.hpp>

#include "reader/parted_records.hpp"

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

/// A row, by which pairs are ordered, and one of the other side, or -1.
struct RowPair {
    std::int64_t row;
    std::int64_t other;
};
using TakesRowPairs = FunctionRef<void(std::span<const RowPair>)>;

/// Pairs that are handed over some at a time.
class PairBatch {
public:
    PairBatch(index_t most, TakesRowPairs take) : take_(take), most_(most) {
        pairs_.reserve(static_cast<std::size_t>(most));
    }
    void add(const RowPair& pair) {
        pairs_.push_back(pair);
        if (std::ssize(pairs_) == most_) end();
    }
    void end() {
        if (!pairs_.empty()) take_(pairs_);
        pairs_.clear();
    }

private:
    TakesRowPairs take_;
    index_t most_;
    std::vector<RowPair> pairs_;
};

/// Pairs in a temporary file, as runs in the order of rows. All pairs of a row are in one run.
class RowPairRuns {
public:
    RowPairRuns(const char* what, int runs)
        : file_(what, 0), runs_(static_cast<std::size_t>(runs)) {}

    /// To one of the runs; from several threads.
    void add(int run, std::span<const RowPair> pairs);
    /// Of all runs.
    index_t size() const noexcept { return file_.appended() / index_t{sizeof(RowPair)}; }
    /// Hands over the pairs of all runs, in the order of rows, those of a row in that of their run.
    void merge(index_t buffer_bytes, TakesRowPairs take) const;

private:
    std::mutex mutex_;
    TemporaryFile file_;
    std::vector<std::vector<RecordSegment>> runs_;
};

} // namespace purview
