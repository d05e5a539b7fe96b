#include "engine/moved_entries.hpp"

#include <purview/dimensions/inverse.hpp>
#include <purview/dimensions/reduce.hpp>
#include <purview/dtype/element_access.hpp>

#include "dimensions/layer.hpp"
#include "engine/element_bits.hpp"
#include "engine/entry_sort.hpp"

#include <libdivide.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdlib>
#include <optional>
#include <type_traits>

namespace purview::engine {
namespace {

using Divider = libdivide::divider<std::uint64_t>;

template <typename T>
T* data_of(const BufferPtr<T>& buffer) {
    return static_cast<T*>(buffer->writable_memory().data);
}

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
    /// The first coordinate that reads y, if the view is long enough to have it.
    index_t coordinate(index_t y) const noexcept {
        const index_t m = flipped ? origin - y : origin + y;
        if (period == 0) return m;
        const index_t g = backwards ? phase - m : m - phase;
        return g < 0 ? g + period : g;
    }
    bool keeps_order() const noexcept { return !flipped && period == 0 && size > 0; }
    bool repeats() const noexcept {
        return (size == 0 && extent > 1) || (period != 0 && extent > period);
    }
};

/// Addresses that follow each other, and the indexes of the view that read them, equally far apart; or -1 for those
/// that it leaves out.
struct Run {
    index_t begin = 0;
    index_t end = 0;
    index_t index = -1; ///< of the first
    index_t step = 0;

    bool holds(index_t address) const noexcept { return address >= begin && address < end; }
    index_t operator()(index_t address) const noexcept { return index + (address - begin) * step; }
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

    /// The run that an address is in; of a view that repeats none. Divides once for each axis.
    Run run_at(index_t address) const noexcept {
        index_t residual = address - lowest_;
        if (residual < 0 || residual > span_) return {address, address + 1};
        index_t end = lowest_ + span_ + 1; // of the addresses that have the coordinates so far
        index_t index = 0;
        for (const std::size_t a : order_) {
            const Digit& digit = digits_[a];
            if (digit.size == 1) return run_along(digit, address - residual, end, residual, index);
            const index_t y = digit.quotient(residual);
            residual -= y * digit.size;
            end = std::min(end, address - residual + digit.size);
            const index_t g = digit.coordinate(y);
            if (y > digit.span || g >= digit.extent) return {address - residual, end};
            index += g * digit.stride;
        }
        return {address, address + 1, residual == 0 ? index : -1};
    }

    /// Calls `f(index)` for each element that reads an address, ascending, if there are any after `expect(copies)`: at least so
    /// many.
    template <typename E, typename F>
    void each_index_of(index_t address, E&& expect, F&& f) const {
        index_t residual = address - lowest_;
        if (residual < 0 || residual > span_) return;
        std::array<index_t, kMaxRank> first{};
        for (const std::size_t a : order_) {
            const Digit& digit = digits_[a];
            const index_t y = digit.quotient(residual);
            if (y > digit.span) return;
            residual -= y * digit.size;
            first[a] = digit.coordinate(y);
            if (first[a] >= digit.extent) return;
        }
        if (residual != 0) return;
        expect(copies_);
        emit(0, 0, first, f);
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
                copies_ *= digit.extent;
            }
        return true;
    }

    /// The run of y along the axis that neighbouring addresses differ in; `begin` is the address of 0, and
    /// `index` that of coordinate 0; `end` bounds what may lie behind the axis.
    static Run run_along(const Digit& digit, index_t begin, index_t end, index_t y, index_t index) {
        if (y > digit.span) return {begin + digit.span + 1, end};
        const index_t g = digit.coordinate(y);
        const bool descends = digit.flipped != digit.backwards;
        // Coordinates of the run: those that the view has, or, behind them, those that it has not.
        index_t lowest = 0;
        index_t highest = digit.extent - 1;
        if (g >= digit.extent) {
            lowest = digit.extent;
            highest = digit.period - 1;
        } else if (digit.period != 0) {
            highest = std::min(highest, digit.period - 1);
        }
        const index_t first = std::max<index_t>(0, descends ? y - (highest - g) : y - (g - lowest));
        const index_t last = std::min(digit.span, descends ? y + (g - lowest) : y + (highest - g));
        if (g >= digit.extent) return {begin + first, begin + last + 1};
        const index_t step = descends ? -digit.stride : digit.stride;
        return {begin + first, begin + last + 1, index + g * digit.stride + (first - y) * step,
                step};
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
    index_t copies_ = 1; ///< along axes that move no address: no more than the view has elements
    bool repeats_ = false;
};

/// The pairs below a view.
struct Below {
    index_t begin = 0;
    index_t end = 0;
    Dimensions reduced;

    Below(const SparsePairs& pairs, const Dimensions& view) {
        if (view.size() == 0) return;
        reduced = dimensions::reduce(view);
        const AddressRange range = reduced.address_range(); // exact where it is one layer
        begin = sparse_position(pairs.indexes, range.lowest + pairs.offset);
        end = sparse_position(pairs.indexes, range.highest + 1 + pairs.offset, begin);
    }
    index_t count() const noexcept { return end - begin; }
    bool only_shifts() const { return reduced.is_contiguous() && !reduced.is_broadcast(); }
};

/// Entries as a view shows them, in the order of memory; those of equal index / `run` are in order.
struct Unsorted {
    Entries entries;
    index_t run = 1;
};

/// Moves pairs below a view; `payload(p)` travels with the one at position p.
template <typename Payload>
Unsorted moved_by(const SparsePairs& pairs, const Below& below, const char* what, Payload payload) {
    Unsorted result{Entries(below.count(), what)};
    const auto add = [&](index_t index, index_t p) { result.entries.add(index, payload(p)); };
    const auto address = [&](index_t p) {
        return pairs.indexes[static_cast<std::size_t>(p)] - pairs.offset;
    };
    DigitView digits;
    if (digits.prepare(below.reduced)) {
        if (digits.repeats()) {
            for (index_t p = below.begin; p < below.end; ++p)
                digits.each_index_of(
                    address(p), [&](index_t copies) { result.entries.expect(copies); },
                    [&](index_t index) { add(index, p); });
        } else {
            Run run; // mostly that of the address before
            for (index_t p = below.begin; p < below.end; ++p) {
                if (!run.holds(address(p))) run = digits.run_at(address(p));
                if (const index_t index = run(address(p)); index >= 0) add(index, p);
            }
        }
        result.run = digits.ordered_run();
        return result;
    }
    const dimensions::InverseMap inverse(below.reduced);
    for (index_t p = below.begin; p < below.end; ++p)
        for (const index_t index : inverse(address(p))) add(index, p);
    return result;
}

/// Values travel along. What does not look at them is compiled once for each width.
template <typename Bits>
Unsorted move_bits(const SparsePairs& pairs, const Below& below, const char* what) {
    const auto* const values = static_cast<const std::byte*>(pairs.values.data);
    return moved_by(pairs, below, what, [=, stride = pairs.values.stride_bytes](index_t p) {
        return static_cast<std::uint64_t>(load_element<Bits>(values + p * stride));
    });
}

} // namespace

MovedEntries move_entries(const SparsePairs& pairs, const Dimensions& view, const char* what) {
    const Below below(pairs, view);
    MovedEntries moved;
    if (below.count() == 0) return moved;
    if (below.only_shifts()) {
        const auto part = pairs.indexes.subspan(static_cast<std::size_t>(below.begin),
                                                static_cast<std::size_t>(below.count()));
        moved.first = below.begin;
        const index_t shift = below.reduced.base() + pairs.offset;
        if (shift == 0) {
            moved.indexes = part;
            return moved;
        }
        moved.own = allocate_uninitialized_buffer<index_t>(below.count());
        index_t* const indexes = data_of(moved.own);
        for (std::size_t i = 0; i < part.size(); ++i) indexes[i] = part[i] - shift;
        moved.indexes = {indexes, part.size()};
        return moved;
    }
    Unsorted unsorted =
        moved_by(pairs, below, what, [](index_t p) { return static_cast<std::uint64_t>(p); });
    const index_t count = unsorted.entries.count();
    moved.own = allocate_uninitialized_buffer<index_t>(count);
    moved.own_positions = allocate_uninitialized_buffer<index_t>(count);
    moved.indexes = {data_of(moved.own), static_cast<std::size_t>(count)};
    moved.positions = {data_of(moved.own_positions), static_cast<std::size_t>(count)};
    sort_entries(unsorted.entries, unsorted.run, data_of(moved.own),
                 reinterpret_cast<std::byte*>(data_of(moved.own_positions)), sizeof(index_t));
    return moved;
}

template <typename T>
MovedValues<T> move_values(const SparsePairs& pairs, const Dimensions& view, const char* what) {
    const Below below(pairs, view);
    MovedValues<T> moved;
    if (below.count() == 0 || below.only_shifts()) {
        moved.indexes = allocate_uninitialized_buffer<index_t>(below.count());
        moved.values = allocate_uninitialized_buffer<T>(below.count());
        index_t* const indexes = data_of(moved.indexes);
        T* const elements = data_of(moved.values);
        const index_t shift = below.count() == 0 ? 0 : below.reduced.base() + pairs.offset;
        for (index_t i = 0; i < below.count(); ++i)
            indexes[i] = pairs.indexes[static_cast<std::size_t>(below.begin + i)] - shift;
        const auto* const values = static_cast<const std::byte*>(pairs.values.data) +
                                   below.begin * pairs.values.stride_bytes;
        for (index_t i = 0; i < below.count(); ++i)
            elements[i] = load_element<T>(values + i * pairs.values.stride_bytes);
        return moved;
    }
    // Any byte but 0 is true.
    using Bits = std::conditional_t<std::same_as<T, bool>, bool, BitsOf<T>>;
    Unsorted unsorted = move_bits<Bits>(pairs, below, what);
    moved.indexes = allocate_uninitialized_buffer<index_t>(unsorted.entries.count());
    moved.values = allocate_uninitialized_buffer<T>(unsorted.entries.count());
    sort_entries(unsorted.entries, unsorted.run, data_of(moved.indexes),
                 reinterpret_cast<std::byte*>(data_of(moved.values)), sizeof(T));
    return moved;
}

#define PURVIEW_DEFINE_MOVE_VALUES(T) \
 template MovedValues<T> move_values(const SparsePairs&, const Dimensions&, const char*);
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_DEFINE_MOVE_VALUES)
#undef PURVIEW_DEFINE_MOVE_VALUES

} // namespace purview::engine
