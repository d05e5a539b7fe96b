// Defines purview/reader/index_set.hpp.

#include <purview/base/errors.hpp>
#include <purview/reader/buffer.hpp> // declares which readers are compiled once: theirs is the visibility
#include <purview/reader/index_set.hpp>

#include "reader/index_set_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// The indexes of a set, ascending.
class SetReader final : public Reader<index_t> {
public:
    SetReader(IndexSet set, const IndexSetDirectory& directory)
        : set_(std::move(set)), directory_(directory) {}

    index_t size() const override { return directory_.size(); }
    index_t read(index_t i) const override { return directory_.select(i); }
    void read_block(index_t begin, index_t step, std::span<index_t> out) const override {
        if (step == 1)
            directory_.read(begin, out);
        else
            Reader::read_block(begin, step, out);
    }

private:
    IndexSet set_; // keeps the directory alive
    const IndexSetDirectory& directory_;
};

/// A mask: whether each index is in the set.
class MaskReader final : public Reader<bool> {
public:
    MaskReader(IndexSet set, const IndexSetDirectory& directory, index_t size)
        : set_(std::move(set)), directory_(directory), size_(size) {}

    index_t size() const override { return size_; }
    bool read(index_t i) const override { return directory_.contains(i); }
    void read_block(index_t begin, index_t step, std::span<bool> out) const override {
        if (step == 1)
            directory_.read_mask(begin, out);
        else
            Reader::read_block(begin, step, out);
    }

private:
    IndexSet set_;
    const IndexSetDirectory& directory_;
    index_t size_;
};

/// Views read one index after the other: each thread caches the indexes around the last one read.
struct Decoded {
    std::uint64_t sequence = 0; ///< the number of the `SetSequence` they belong to
    index_t begin = 0;
    index_t count = 0;
    index_t indexes[64];
};
thread_local Decoded decoded;

std::atomic<std::uint64_t> sequences{0};

class SetSequence final : public IndexSequence {
public:
    SetSequence(IndexSet set, const IndexSetDirectory& directory)
        : set_(std::move(set)),
          directory_(directory),
          number_(sequences.fetch_add(1, std::memory_order_relaxed) + 1) {
        if (set_.empty()) return;
        min_ = set_.min();
        max_ = set_.max();
    }

    index_t size() const noexcept override { return directory_.size(); }
    index_t at(index_t position) const noexcept override {
        Decoded& last = decoded;
        const index_t offset = position - last.begin;
        if (last.sequence == number_ && offset >= 0 && offset < last.count) [[likely]]
            return last.indexes[offset];
        constexpr index_t kMost = std::size(Decoded{}.indexes);
        last.sequence = number_;
        last.begin = position / kMost * kMost;
        last.count = std::min(kMost, size() - last.begin);
        directory_.read(last.begin, {last.indexes, static_cast<std::size_t>(last.count)});
        return last.indexes[position - last.begin];
    }
    void read(index_t begin, std::span<index_t> out) const noexcept override {
        directory_.read(begin, out);
    }
    index_t min() const noexcept override { return min_; }
    index_t max() const noexcept override { return max_; }
    index_t count(index_t value) const override { return directory_.contains(value) ? 1 : 0; }
    IndexPositions find_all(index_t value) const override {
        return directory_.contains(value) ? IndexPositions(directory_.rank(value))
                                          : IndexPositions();
    }
    bool is_unique() const override { return true; }

private:
    IndexSet set_;
    const IndexSetDirectory& directory_;
    std::uint64_t number_;
    index_t min_ = 0;
    index_t max_ = 0;
};

} // namespace

ReaderPtr<index_t> IndexSet::reader() const {
    return std::make_shared<const SetReader>(*this, state_->directory());
}

ReaderPtr<bool> IndexSet::mask_reader(index_t size) const {
    if (size < 0 || (!empty() && max() >= size))
        throw IndexError(fmt::format("IndexSet: a mask of {} places has none for index {}", size,
                                     empty() ? index_t{0} : max()));
    return std::make_shared<const MaskReader>(*this, state_->directory(), size);
}

IndexSequencePtr IndexSet::sequence() const {
    return std::make_shared<const SetSequence>(*this, state_->directory());
}

} // namespace purview
