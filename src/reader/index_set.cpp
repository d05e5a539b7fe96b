#include <purview/base/errors.hpp>
#include <purview/reader/index_set.hpp>

#include "reader/index_set_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

namespace purview::inline v0_1 {
namespace {

std::uint32_t high_of(index_t index) { return static_cast<std::uint32_t>(index >> 32); }
std::uint32_t low_of(index_t index) { return static_cast<std::uint32_t>(index); }
index_t joined(std::uint32_t high, std::uint32_t low) { return index_t{high} << 32 | low; }

/// The longest interval: an interval has a container for each 65536 indexes, which take more than
/// 100 MB beyond that.
constexpr index_t kLongestInterval = index_t{1} << 36;

void require_index(index_t index) {
    if (index < 0)
        throw IndexError(fmt::format("IndexSet: {} is negative, and is no index", index));
}

} // namespace

IndexSet::IndexSet() {
    static const auto& none =
        *new auto(std::make_shared<const State>()); // never destroyed: static sets may outlive it
    state_ = none;
}

IndexSet::IndexSet(std::initializer_list<index_t> indexes)
    : IndexSet(std::span(indexes.begin(), indexes.size())) {}

IndexSet::IndexSet(std::span<const index_t> indexes) : IndexSet() {
    std::vector<index_t> sorted;
    if (!std::ranges::is_sorted(indexes)) {
        sorted.assign(indexes.begin(), indexes.end());
        std::ranges::sort(sorted);
        indexes = sorted;
    }
    if (indexes.empty()) return;
    require_index(indexes.front());
    auto state = std::make_shared<State>();
    std::vector<std::uint32_t> low;
    while (!indexes.empty()) {
        const std::uint32_t high = high_of(indexes.front());
        low.clear();
        for (; low.size() < indexes.size() && high_of(indexes[low.size()]) == high;)
            low.push_back(low_of(indexes[low.size()]));
        indexes = indexes.subspan(low.size());
        State::require_room(low.size() * sizeof(std::uint16_t),
                            std::min<std::size_t>(low.size(), 1 << 16));
        roaring_bitmap_t* const bitmap = roaring_bitmap_of_ptr(low.size(), low.data());
        State::Bitmap owned = State::owned(bitmap);
        roaring_bitmap_run_optimize(bitmap);
        state->add(high, std::move(owned));
    }
    state_ = std::move(state);
}

IndexSet IndexSet::interval(index_t begin, index_t end) {
    require_index(begin);
    if (begin < end && end - begin > kLongestInterval)
        throw IndexError(
            fmt::format("IndexSet: the interval [{}, {}) is longer than 2^36", begin, end));
    auto state = std::make_shared<State>();
    while (begin < end) {
        const std::uint32_t high = high_of(begin);
        const index_t first = joined(high, 0);
        const auto low_end =
            static_cast<std::uint64_t>(high_of(end - 1) == high ? end - first : index_t{1} << 32);
        State::require_room(0, static_cast<std::size_t>(((low_end - low_of(begin)) >> 16) + 2));
        state->add(high, State::owned(roaring_bitmap_from_range(low_of(begin), low_end, 1)));
        if (high_of(end - 1) == high) break;
        begin = joined(high + 1, 0);
    }
    return IndexSet(std::move(state));
}

index_t IndexSet::size() const noexcept { return state_->size; }

bool IndexSet::contains(index_t index) const noexcept {
    if (index < 0) return false;
    const State::Part* const part = state_->find(high_of(index));
    return part != nullptr && roaring_bitmap_contains(part->bitmap.get(), low_of(index));
}

index_t IndexSet::min() const {
    if (empty()) throw IndexError("IndexSet: the empty set has no least index");
    const State::Part& part = state_->parts.front();
    return joined(part.high, roaring_bitmap_minimum(part.bitmap.get()));
}

index_t IndexSet::max() const {
    if (empty()) throw IndexError("IndexSet: the empty set has no greatest index");
    const State::Part& part = state_->parts.back();
    return joined(part.high, roaring_bitmap_maximum(part.bitmap.get()));
}

index_t IndexSet::rank(index_t index) const { return state_->directory().rank(index); }

index_t IndexSet::select(index_t position) const {
    if (position < 0 || position >= size())
        throw IndexError(
            fmt::format("IndexSet: position {} is out of range for a set of {}", position, size()));
    return state_->directory().select(position);
}

void IndexSet::read(index_t begin, std::span<index_t> out) const {
    if (begin < 0 || begin > size() || std::ssize(out) > size() - begin)
        throw IndexError(
            fmt::format("IndexSet: {} indexes from position {} on are out of range for a set of {}",
                        out.size(), begin, size()));
    state_->directory().read(begin, out);
}

std::optional<IndexInterval> IndexSet::as_interval() const {
    if (empty()) return IndexInterval{};
    const index_t last = max();
    // The end of an interval with the greatest number would overflow.
    if (last - min() != size() - 1 || last == std::numeric_limits<index_t>::max())
        return std::nullopt;
    return IndexInterval{min(), last + 1};
}

IndexSet operator|(const IndexSet& a, const IndexSet& b) {
    return IndexSet(IndexSet::State::combined(*a.state_, *b.state_, roaring_bitmap_or, true, true));
}
IndexSet operator&(const IndexSet& a, const IndexSet& b) {
    return IndexSet(
        IndexSet::State::combined(*a.state_, *b.state_, roaring_bitmap_and, false, false));
}
IndexSet operator-(const IndexSet& a, const IndexSet& b) {
    return IndexSet(
        IndexSet::State::combined(*a.state_, *b.state_, roaring_bitmap_andnot, true, false));
}
IndexSet operator^(const IndexSet& a, const IndexSet& b) {
    return IndexSet(
        IndexSet::State::combined(*a.state_, *b.state_, roaring_bitmap_xor, true, true));
}

IndexSet IndexSet::complement(index_t begin, index_t end) const {
    return interval(begin, end) - *this;
}

bool operator==(const IndexSet& a, const IndexSet& b) {
    return a.state_ == b.state_ ||
           (a.size() == b.size() &&
            std::ranges::equal(a.state_->parts, b.state_->parts, [](const auto& x, const auto& y) {
                return x.high == y.high && roaring_bitmap_equals(x.bitmap.get(), y.bitmap.get());
            }));
}

bool is_subset(const IndexSet& a, const IndexSet& b) {
    return a.size() <= b.size() && std::ranges::all_of(a.state_->parts, [&](const auto& part) {
               const auto* const other = b.state_->find(part.high);
               return other != nullptr &&
                      roaring_bitmap_is_subset(part.bitmap.get(), other->bitmap.get());
           });
}

bool intersects(const IndexSet& a, const IndexSet& b) {
    return std::ranges::any_of(a.state_->parts, [&](const auto& part) {
        const auto* const other = b.state_->find(part.high);
        return other != nullptr && roaring_bitmap_intersect(part.bitmap.get(), other->bitmap.get());
    });
}

std::vector<std::byte> IndexSet::serialize() const { return state_->serialized(); }

IndexSet IndexSet::deserialize(std::span<const std::byte> bytes) {
    return IndexSetBuilder::from_directory(
        IndexSetDirectory(std::vector<std::byte>(bytes.begin(), bytes.end())));
}

} // namespace purview
