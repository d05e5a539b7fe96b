#include <purview/base/index_sequence.hpp>

#include "base/distinct_indexes.hpp"
#include "base/index_extremes.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <utility>

namespace purview::inline v0_1 {
namespace {

std::size_t at_position(index_t position) { return static_cast<std::size_t>(position); }

} // namespace

IndexSequence::~IndexSequence() = default;

/// The positions sorted by index: what `find_all` and `count` search. Made when one of them is first
/// called.
struct IndexList::Sorted {
    std::vector<index_t> positions; ///< sorted by index; equal indexes by position
};

IndexList::~IndexList() { delete sorted_.load(std::memory_order_relaxed); }

IndexList::IndexList(std::vector<index_t> indexes) : own_(std::move(indexes)), indexes_(own_) {
    find_extremes();
}

IndexList::IndexList(std::shared_ptr<const void> owner, std::span<const index_t> indexes)
    : owner_(std::move(owner)), indexes_(indexes) {
    find_extremes();
}

IndexList::IndexList(std::shared_ptr<const void> owner, std::span<const index_t> indexes,
                     index_t least, index_t greatest)
    : owner_(std::move(owner)), indexes_(indexes), min_(least), max_(greatest) {}

void IndexList::find_extremes() noexcept {
    IndexExtremes extremes;
    extremes.add(indexes_);
    min_ = extremes.least();
    max_ = extremes.greatest();
}

void IndexList::read(index_t begin, std::span<index_t> out) const noexcept {
    const auto from = indexes_.begin() + static_cast<std::ptrdiff_t>(begin);
    std::copy(from, from + static_cast<std::ptrdiff_t>(out.size()), out.begin());
}

const IndexList::Sorted& IndexList::sorted() const {
    if (const Sorted* const known = sorted_.load(std::memory_order_acquire)) return *known;
    auto made = std::make_unique<Sorted>();
    std::vector<index_t>& positions = made->positions;
    positions.resize(indexes_.size());
    std::iota(positions.begin(), positions.end(), index_t{0});
    if (!std::is_sorted(indexes_.begin(), indexes_.end()))
        std::sort(positions.begin(), positions.end(),
                  [this](index_t a, index_t b) { return at(a) != at(b) ? at(a) < at(b) : a < b; });
    // Threads that ask at once each make one; the first to finish is kept.
    const Sorted* kept = nullptr;
    if (!sorted_.compare_exchange_strong(kept, made.get(), std::memory_order_acq_rel)) return *kept;
    return *made.release();
}

IndexPositions IndexList::find_all(index_t value) const {
    if (indexes_.empty() || value < min_ || value > max_) return {};
    const std::vector<index_t>& positions = sorted().positions;
    const auto first =
        std::lower_bound(positions.begin(), positions.end(), value,
                         [this](index_t position, index_t v) { return at(position) < v; });
    const auto last =
        std::upper_bound(first, positions.end(), value,
                         [this](index_t v, index_t position) { return v < at(position); });
    return {positions.data() + (first - positions.begin()), last - first};
}

index_t IndexList::count(index_t value) const {
    return static_cast<index_t>(find_all(value).size());
}

bool IndexList::is_unique() const { return are_distinct(indexes_, min_, max_); }

IndexSequencePtr make_index_sequence(std::vector<index_t> indexes) {
    return std::make_shared<const IndexList>(std::move(indexes));
}

IndexSequencePtr make_index_sequence(std::shared_ptr<const void> owner,
                                     std::span<const index_t> indexes) {
    return std::make_shared<const IndexList>(std::move(owner), indexes);
}

IndexSequencePtr make_index_sequence(std::shared_ptr<const void> owner,
                                     std::span<const index_t> indexes, index_t least,
                                     index_t greatest) {
    return std::make_shared<const IndexList>(std::move(owner), indexes, least, greatest);
}

namespace {

/// Without a branch on each element of the mask, which the processor would often mispredict.
template <typename Truth>
IndexSequencePtr positions_of(std::span<const Truth> mask) {
    const auto falses = static_cast<std::size_t>(std::ranges::count(mask, Truth{}));
    std::vector<index_t> positions(mask.size() - falses);
    std::size_t found = 0;
    for (std::size_t i = 0; found < positions.size(); ++i) {
        positions[found] = static_cast<index_t>(i);
        found += mask[i] != Truth{} ? 1 : 0;
    }
    return make_index_sequence(std::move(positions));
}

} // namespace

IndexSequencePtr index_sequence_from_mask(std::span<const bool> mask) { return positions_of(mask); }

IndexSequencePtr index_sequence_from_mask(std::span<const unsigned char> mask) {
    return positions_of(mask);
}

bool same_indexes(const IndexSequence& a, const IndexSequence& b) noexcept {
    if (&a == &b) return true;
    if (a.size() != b.size() || a.min() != b.min() || a.max() != b.max()) return false;
    const index_t size = a.size();
    if (a.data() != nullptr && b.data() != nullptr)
        return std::equal(a.data(), a.data() + at_position(size), b.data());
    constexpr index_t kBlock = 64;
    index_t block_a[kBlock];
    index_t block_b[kBlock];
    for (index_t begin = 0; begin < size; begin += kBlock) {
        const std::size_t count = at_position(std::min(kBlock, size - begin));
        a.read(begin, {block_a, count});
        b.read(begin, {block_b, count});
        if (!std::equal(block_a, block_a + count, block_b)) return false;
    }
    return true;
}

} // namespace purview
