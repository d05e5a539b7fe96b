#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/evaluation/sorting.hpp>
#include <purview/expression/node.hpp>

#include "dtype/element_block.hpp"
#include "reader/chunk_cache.hpp"
#include "reader/temporary_file.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace purview::inline v0_1::engine {

/// What is sorted by way of runs, and how much of it at once.
struct RunPlan {
    const char* what;
    DType dtype;
    SortOrder order;
    bool with_indexes;
    index_t size;   ///< elements in all
    index_t most;   ///< elements that are sorted in memory at once
    index_t stride; ///< of each so many elements of a run, the key of one is kept in memory
    index_t fan_in; ///< runs that pieces are taken from at once
    int blocks; ///< what one has is written while the next one is sorted; only one where that is small

    /// Within what the memory limit leaves. Throws `MemoryLimitError` where that is next to nothing.
    RunPlan(const char* what, DType dtype, SortOrder order, bool with_indexes, index_t size);

    index_t block_bytes() const noexcept; ///< what a `RunBlock` takes, with what sorting it takes
    index_t file_bytes() const noexcept;
    index_t sample_bytes() const noexcept; ///< of the keys that are kept
    index_t runs() const noexcept { return (size + most - 1) / most; }
};

/// Elements in memory, with the indexes where they were.
class RunBlock {
public:
    explicit RunBlock(const RunPlan& plan);

    /// The first `count` elements.
    Operand operand(index_t count);
    std::span<std::byte> bytes(index_t first, index_t count);
    /// Empty unless the plan asks for indexes.
    std::span<std::int64_t> indexes() noexcept { return indexes_[at_]; }
    /// Sorts the first `count`, stable.
    void sort(index_t count);

private:
    const RunPlan& plan_;
    CountedBytes counted_;
    ElementBlock first_;
    ElementBlock second_;
    std::array<std::vector<std::int64_t>, 2> indexes_;
    std::vector<std::int64_t> order_;
    std::size_t at_ = 0; ///< which of both has the elements
};

/// Those of a plan, in turn.
class RunBlocks {
public:
    explicit RunBlocks(const RunPlan& plan) {
        for (int i = 0; i < plan.blocks; ++i) blocks_.push_back(std::make_unique<RunBlock>(plan));
    }
    /// The one to be filled; what the others have may still be written.
    RunBlock& current() { return *blocks_[at_ % blocks_.size()]; }
    /// The current one has been handed over.
    void advance() { ++at_; }

private:
    std::vector<std::unique_ptr<RunBlock>> blocks_;
    std::size_t at_ = 0;
};

/// Sorted runs in a temporary file, one after the other.
class RunStore {
public:
    explicit RunStore(const RunPlan& plan);

    std::size_t count() const noexcept { return ends_.size(); }
    void begin_run();
    /// Appends the first `count` elements of a block to the last run. Where there are several blocks, it stays as it is
    /// until the next call returns.
    void append(RunBlock& block, index_t count);
    void finish() { file_.finish(); }

    /// Elements that the block has: so many; of equal ones that come in several pieces, how many they are and how many of
    /// them came before.
    struct Piece {
        index_t count;
        index_t equal = 0;
        index_t before = 0;
    };
    using Found = FunctionRef<void(RunBlock&, const Piece&)>;
    /// Calls `found` with a block that has the next elements of the runs [first, last) in sorted order. They are not read
    /// again if this is the `last_time`.
    void merge(std::size_t first, std::size_t last, RunBlocks& blocks, bool last_time,
               Found found) const;

private:
    using Places = std::vector<index_t>; ///< in each of some runs, from the beginning of the file

    index_t begin(std::size_t run) const { return run == 0 ? 0 : ends_[run - 1]; }
    std::vector<std::uint64_t> splitters(std::size_t first, std::size_t last) const;
    /// The first element of a run whose key is not less than this one; or greater, if `after`.
    index_t bound(std::size_t run, std::uint64_t key, bool after) const;
    void load(index_t from, index_t count, RunBlock& block, index_t to) const;
    void forget(index_t from, index_t count) const noexcept;
    void merge_piece(const Places& from, const Places& to, RunBlocks& blocks, Found found) const;
    void copy_equal(const Places& from, const Places& to, RunBlocks& blocks, Found found) const;

    const RunPlan& plan_;
    TemporaryFile file_;
    CountedBytes counted_;                            ///< samples
    std::vector<index_t> ends_;                       ///< of runs
    std::vector<std::vector<std::uint64_t>> samples_; ///< keys of each run
};

} // namespace purview::engine
