#include "engine/moved_entries.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/inverse.hpp>
#include <purview/dimensions/reduce.hpp>

#include "dimensions/layer.hpp"

#include <fmt/format.h>
#include <libdivide.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>

namespace purview::engine {
namespace {

using Divider = libdivide::divider<std::uint64_t>;

constexpr index_t kMostEntries = index_t{1} << 30;
constexpr int kDigitBits = 11;
constexpr std::size_t kFew = 64;

[[noreturn]] void throw_too_many(const char* what) {
    throw KindError(fmt::format(
        "{}: more than 2^30 elements would have to be stored; write to_dense, or operate before "
        "broadcasting",
        what));
}

struct Entry {
    index_t index = 0;
    index_t position = 0;
};

template <typename T>
T* data_of(const BufferPtr<T>& buffer) {
    return static_cast<T*>(buffer->writable_memory().data);
}

std::shared_ptr<void> entry_memory(index_t count) {
    return allocate_bytes(checked_bytes(count, sizeof(Entry), "sparse"));
}

/// Entries in memory that is recycled, with room for as many as are expected.
class Entries {
public:
    explicit Entries(index_t expected) { grow(expected); }

    index_t count() const noexcept { return count_; }
    bool ascending() const noexcept { return ascending_; }
    std::span<Entry> all() noexcept { return {data_, static_cast<std::size_t>(count_)}; }

    void add(index_t index, index_t position) {
        if (count_ == room_) grow(2 * room_);
        ascending_ &= last_ < index;
        last_ = index;
        data_[count_++] = {index, position};
    }

private:
    void grow(index_t room) {
        room = std::max<index_t>(room, 64);
        std::shared_ptr<void> larger = entry_memory(room);
        auto* const data = static_cast<Entry*>(larger.get());
        if (count_ > 0) std::copy_n(data_, count_, data);
        memory_ = std::move(larger);
        data_ = data;
        room_ = room;
    }

    std::shared_ptr<void> memory_;
    Entry* data_ = nullptr;
    index_t count_ = 0;
    index_t room_ = 0;
    index_t last_ = -1;
    bool ascending_ = true;
};

/// One axis of a view of one layer, from addresses back to coordinates.
struct Digit {
    index_t size;   ///< of the stride; 0: every coordinate reads the same
    index_t span;   ///< of the coordinates read, less one
    index_t origin; ///< of coordinates: lowest, or highest if flipped
    bool flipped;
    index_t period; ///< 0: plain
    index_t phase;
    bool backwards; ///< a step of -1
    index_t extent;
    index_t stride; ///< in the row-major order of the view
    std::optional<Divider> divider;

    index_t quotient(index_t residual) const noexcept {
        return divider ? static_cast<index_t>(static_cast<std::uint64_t>(residual) / *divider)
                       : residual;
    }
    /// The first coordinate of the view that reads y, or -1.
    index_t coordinate(index_t y) const noexcept {
        const index_t m = flipped ? origin - y : origin + y;
        if (period == 0) return m;
        index_t g = backwards ? phase - m : m - phase;
        g = g < 0 ? g + period : g;
        return g < extent ? g : -1;
    }
    bool keeps_order() const noexcept { return !flipped && period == 0 && size > 0; }
    bool repeats() const noexcept {
        return (size == 0 && extent > 1) || (period != 0 && extent > period);
    }
};

/// The outermost coordinate of the address before.
struct RunningDigit {
    index_t begin = std::numeric_limits<index_t>::max(); ///< of the residuals that have it
    index_t index = -1; ///< what it adds to the index; -1: the view leaves it out
};

/// The inverse of a view of one layer whose axes can be divided out one by one.
class DigitView {
public:
    /// False for other views.
    bool prepare(const Dimensions& reduced) {
        if (reduced.layer_count() != 1) return false;
        const LayerView layer = reduced.layer(0);
        lowest_ = layer.base;
        index_t stride = 1;
        for (int a = layer.rank(); a-- > 0;) {
            const auto i = static_cast<std::size_t>(a);
            AxisMap map;
            if (!layer.maps.empty()) map = layer.maps[i];
            if (map.table != nullptr || (map.period != 0 && std::abs(map.step) != 1)) return false;
            const dimensions::CoordinateBounds bounds = dimensions::coordinate_bounds(layer, a);
            Digit digit{};
            digit.flipped = layer.strides[i] < 0;
            digit.size = std::abs(layer.strides[i]);
            digit.span = bounds.highest - bounds.lowest;
            digit.origin = digit.flipped ? bounds.highest : bounds.lowest;
            digit.period = map.period;
            digit.phase = map.phase;
            digit.backwards = map.step < 0;
            digit.extent = layer.extents[i];
            digit.stride = stride;
            lowest_ += layer.strides[i] * digit.origin;
            if (digit.size > 1) digit.divider.emplace(static_cast<std::uint64_t>(digit.size));
            repeats_ |= digit.repeats();
            stride *= digit.extent;
            digits_.push_back(digit);
        }
        std::ranges::reverse(digits_);
        return order();
    }

    index_t lowest() const noexcept { return lowest_; }
    index_t highest() const noexcept { return lowest_ + span_; }
    bool repeats() const noexcept { return repeats_; }

    /// Elements that follow each other in the view as they do in memory: entries need no sorting within.
    index_t ordered_run() const noexcept {
        index_t run = 1;
        index_t size = 0;
        for (std::size_t a = digits_.size(); a-- > 0;) {
            const Digit& digit = digits_[a];
            if (digit.extent == 1) continue;
            if (!digit.keeps_order() || digit.size < size) break;
            size = digit.size;
            run *= digit.extent;
        }
        return run;
    }

    /// The index of the only element that reads an address, or -1. Addresses that come one after the other mostly share
    /// the coordinate of the largest stride, which need not be divided out again.
    index_t index_of(index_t address, RunningDigit& running) const noexcept {
        index_t residual = address - lowest_;
        if (order_.empty()) return residual == 0 ? 0 : -1;
        const Digit& outer = digits_[order_[0]];
        if (residual < running.begin || residual - running.begin >= outer.size) {
            const index_t y = outer.quotient(residual);
            running.begin = y * outer.size;
            const index_t g = y > outer.span ? -1 : outer.coordinate(y);
            running.index = g < 0 ? -1 : g * outer.stride;
        }
        if (running.index < 0) return -1;
        residual -= running.begin;
        index_t index = running.index;
        for (std::size_t i = 1; i < order_.size(); ++i) {
            const Digit& digit = digits_[order_[i]];
            const index_t y = digit.quotient(residual);
            if (y > digit.span) return -1;
            residual -= y * digit.size;
            const index_t g = digit.coordinate(y);
            if (g < 0) return -1;
            index += g * digit.stride;
        }
        return residual == 0 ? index : -1;
    }

    /// Calls `f(index)` for each element that reads an address, ascending.
    template <typename F>
    void each_index_of(index_t address, F&& f) const {
        index_t residual = address - lowest_;
        std::array<index_t, kMaxRank> first{};
        for (const std::size_t a : order_) {
            const Digit& digit = digits_[a];
            const index_t y = digit.quotient(residual);
            if (y > digit.span) return;
            residual -= y * digit.size;
            const index_t m = digit.flipped ? digit.origin - y : digit.origin + y;
            index_t g = digit.period == 0 ? m : digit.backwards ? digit.phase - m : m - digit.phase;
            if (g < 0) g += digit.period;
            if (g >= digit.extent) return;
            first[a] = g;
        }
        if (residual == 0) emit(0, 0, first, f);
    }

private:
    /// Largest strides first; false where the smaller ones reach as far as a larger one.
    bool order() {
        for (std::size_t a = 0; a < digits_.size(); ++a)
            if (digits_[a].size > 0 && digits_[a].span > 0) order_.push_back(a);
        std::ranges::sort(order_, [this](std::size_t a, std::size_t b) {
            return digits_[a].size > digits_[b].size;
        });
        index_t rest = 0;
        for (std::size_t i = order_.size(); i-- > 0;) {
            const Digit& digit = digits_[order_[i]];
            if (digit.size <= rest) return false;
            rest += digit.size * digit.span;
        }
        span_ = rest;
        // An axis that moves no address has coordinate 0, or all of them.
        for (Digit& digit : digits_)
            if (digit.size == 0 || digit.span == 0) {
                if (digit.extent > 1) repeats_ = true;
                digit.size = 0;
            }
        return true;
    }

    template <typename F>
    void emit(std::size_t axis, index_t index, const std::array<index_t, kMaxRank>& first,
              F& f) const {
        if (axis == digits_.size()) return f(index);
        const Digit& digit = digits_[axis];
        const index_t apart = digit.size == 0 ? 1 : digit.period == 0 ? digit.extent : digit.period;
        for (index_t g = digit.size == 0 ? 0 : first[axis]; g < digit.extent; g += apart)
            emit(axis + 1, index + g * digit.stride, first, f);
    }

    boost::container::small_vector<Digit, 4> digits_;
    boost::container::small_vector<std::size_t, 4> order_;
    index_t lowest_ = 0;
    index_t span_ = 0;
    bool repeats_ = false;
};

/// Stably by index / run, by digits; returns where the sorted ones lie.
Entry* sort_entries(std::span<Entry> entries, Entry* other, index_t size, index_t run) {
    if (entries.size() < kFew) {
        std::ranges::sort(entries, {}, &Entry::index); // no two are alike
        return entries.data();
    }
    const auto bits =
        static_cast<int>(std::bit_width(static_cast<std::uint64_t>((size - 1) / run)));
    const int passes = (bits + kDigitBits - 1) / kDigitBits;
    if (passes == 0) return entries.data();
    const int width = (bits + passes - 1) / passes;
    const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
    const Divider divider(static_cast<std::uint64_t>(run));
    std::vector<std::size_t> places(std::size_t{1} << width);
    Entry* from = entries.data();
    for (int pass = 0; pass < passes; ++pass) {
        const int shift = pass * width;
        const auto digit = [&](const Entry& entry) {
            const auto index = static_cast<std::uint64_t>(entry.index);
            return static_cast<std::size_t>((run == 1 ? index : index / divider) >> shift & mask);
        };
        std::ranges::fill(places, std::size_t{0});
        for (std::size_t i = 0; i < entries.size(); ++i) ++places[digit(from[i])];
        if (std::ranges::find(places, entries.size()) != places.end()) continue;
        std::exclusive_scan(places.begin(), places.end(), places.begin(), std::size_t{0});
        for (std::size_t i = 0; i < entries.size(); ++i) other[places[digit(from[i])]++] = from[i];
        std::swap(from, other);
    }
    return from;
}

MovedEntries sorted(Entries& entries, index_t size, index_t run) {
    const index_t count = entries.count();
    const Entry* from = entries.all().data();
    std::shared_ptr<void> other;
    if (!entries.ascending()) {
        other = entry_memory(count);
        from = sort_entries(entries.all(), static_cast<Entry*>(other.get()), size, run);
    }
    MovedEntries moved;
    moved.own = allocate_uninitialized_buffer<index_t>(count);
    moved.own_positions = allocate_uninitialized_buffer<index_t>(count);
    index_t* const indexes = data_of(moved.own);
    index_t* const positions = data_of(moved.own_positions);
    for (index_t i = 0; i < count; ++i) {
        indexes[i] = from[i].index;
        positions[i] = from[i].position;
    }
    moved.indexes = {indexes, static_cast<std::size_t>(count)};
    moved.positions = {positions, static_cast<std::size_t>(count)};
    return moved;
}

} // namespace

MovedEntries move_entries(const SparsePairs& pairs, const Dimensions& view, const char* what) {
    if (view.size() == 0) return {};
    const AddressRange range = view.address_range();
    const index_t begin = sparse_position(pairs.indexes, range.lowest + pairs.offset);
    const index_t end = sparse_position(pairs.indexes, range.highest + 1 + pairs.offset, begin);
    if (begin == end) return {};
    const auto part = pairs.indexes.subspan(static_cast<std::size_t>(begin),
                                            static_cast<std::size_t>(end - begin));
    const Dimensions reduced = dimensions::reduce(view);

    if (reduced.is_contiguous() && !reduced.is_broadcast()) {
        MovedEntries moved;
        moved.first = begin;
        const index_t shift = reduced.base() + pairs.offset;
        if (shift == 0) {
            moved.indexes = part;
            return moved;
        }
        moved.own = allocate_uninitialized_buffer<index_t>(std::ssize(part));
        auto* const indexes = static_cast<index_t*>(moved.own->writable_memory().data);
        for (std::size_t i = 0; i < part.size(); ++i) indexes[i] = part[i] - shift;
        moved.indexes = {indexes, part.size()};
        return moved;
    }

    Entries entries(std::ssize(part));
    const auto add = [&](index_t index, index_t position) {
        if (entries.count() == kMostEntries) throw_too_many(what);
        entries.add(index, position);
    };
    DigitView digits;
    if (digits.prepare(reduced)) {
        RunningDigit running;
        for (index_t p = begin; p < end; ++p) {
            const index_t address = pairs.indexes[static_cast<std::size_t>(p)] - pairs.offset;
            if (address < digits.lowest() || address > digits.highest()) continue;
            if (digits.repeats()) {
                digits.each_index_of(address, [&](index_t index) { add(index, p); });
            } else if (const index_t index = digits.index_of(address, running); index >= 0) {
                add(index, p);
            }
        }
        return sorted(entries, view.size(), digits.ordered_run());
    }
    const dimensions::InverseMap inverse(reduced);
    for (index_t p = begin; p < end; ++p)
        for (const index_t index :
             inverse(pairs.indexes[static_cast<std::size_t>(p)] - pairs.offset))
            add(index, p);
    return sorted(entries, view.size(), 1);
}

} // namespace purview::engine
