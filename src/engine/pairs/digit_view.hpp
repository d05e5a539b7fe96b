#pragma once

#include <purview/dimensions/dimensions.hpp>

#include "dimensions/layer.hpp"
#include "engine/pairs/repeated_entries.hpp"

#include <boost/container/small_vector.hpp>
#include <libdivide.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

namespace purview::inline v0_1::engine {

using Divider = libdivide::divider<std::uint64_t>;

/// One axis of a view of one layer, inverted: the axis adds y · size to an address, and the digit y
/// = 0, 1, … is mapped back to the coordinate.
struct Digit {
    index_t size;   ///< absolute stride; 0: all coordinates read the same
    index_t span;   ///< the greatest digit: the number of digits less one
    index_t origin; ///< the coordinate of digit 0: lowest, or highest if flipped
    bool flipped;
    AxisMap map; ///< without a table, its step 1 or -1; of period 0 where the axis has none
    index_t extent;
    index_t stride; ///< in the row-major order of the view
    std::optional<Divider> divider;

    index_t quotient(index_t residual) const noexcept {
        return divider ? static_cast<index_t>(static_cast<std::uint64_t>(residual) / *divider)
                       : residual;
    }
    /// The first coordinate of the view that reads the digit y; it is beyond `extent` if the view
    /// has no such coordinate.
    index_t coordinate(index_t y) const noexcept {
        const index_t m = flipped ? origin - y : origin + y;
        if (map.period == 0) return m;
        const index_t g = map.step < 0 ? map.phase - m : m - map.phase;
        return g < 0 ? g + map.period : g;
    }
    bool keeps_order() const noexcept { return !flipped && map.period == 0 && size > 0; }
    /// The number of coordinates before the axis repeats itself.
    index_t distinct_coordinates() const noexcept {
        return size == 0 ? 1 : map.period == 0 ? extent : std::min(extent, map.period);
    }
};

/// A range of addresses whose indexes in the view are equally far apart; or a range of addresses
/// that the view does not read, with index -1.
struct Run {
    index_t begin = 0;
    index_t end = 0;
    index_t index = -1; ///< of the address `begin`
    index_t step = 0;

    bool holds(index_t address) const noexcept { return address >= begin && address < end; }
    index_t operator()(index_t address) const noexcept { return index + (address - begin) * step; }
};

/// The inverse of a view of one layer whose axes can be divided out of an address one by one.
/// Repetition is left to `RepeatedEntries`: here each address has at most one index, in the smaller
/// view that reads each address once.
class DigitView {
public:
    /// Takes a reduced view. Returns false if it cannot be inverted by divisions.
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
            const bool flipped = layer.strides[i] < 0;
            Digit digit{std::abs(layer.strides[i]),
                        bounds.highest - bounds.lowest,
                        flipped ? bounds.highest : bounds.lowest,
                        flipped,
                        map,
                        layer.extents[i],
                        stride,
                        {}};
            lowest_ += layer.strides[i] * digit.origin;
            if (digit.size > 1) digit.divider.emplace(static_cast<std::uint64_t>(digit.size));
            stride *= digit.extent;
            digits_.push_back(digit);
        }
        std::ranges::reverse(digits_);
        if (!order()) return false;
        separate_repetition();
        return true;
    }

    /// The number of elements of the smaller view.
    index_t size() const noexcept {
        index_t size = 1;
        for (const Digit& digit : digits_) size *= digit.extent;
        return size;
    }

    /// How the given view repeats the smaller one; nothing where the two are the same.
    std::optional<RepeatedEntries> repetition() const {
        if (repeated_.empty()) return std::nullopt;
        return RepeatedEntries(repeated_);
    }

    /// Makes the indexes those of groups of `size` elements, which follow each other in the view.
    /// Returns false where an axis reaches from one group into the next, or elements are repeated.
    bool group(index_t size) {
        if (!repeated_.empty()) return false;
        for (Digit& digit : digits_) {
            if (digit.stride >= size)
                digit.stride /= size;
            else if (digit.stride * digit.extent <= size)
                digit.stride = 0;
            else
                return false;
        }
        return true;
    }

    /// Whether the index of each address is its distance from `lowest()`.
    bool only_shifts() const noexcept {
        return std::ranges::all_of(digits_, [](const Digit& digit) {
            return digit.extent == 1 ||
                   (!digit.flipped && digit.map.step >= 0 && digit.origin == 0 &&
                    digit.map.phase == 0 && digit.span + 1 == digit.extent &&
                    digit.size == digit.stride);
        });
    }
    index_t lowest() const noexcept { return lowest_; }

    /// The number of elements, in blocks of the view's row-major order, whose addresses ascend with
    /// their indexes: entries need no sorting within such a block.
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

    /// The run that contains an address. Costs at most one division per axis.
    Run run_at(index_t address) const noexcept {
        index_t residual = address - lowest_;
        if (residual < 0 || residual > span_) return {address, address + 1};
        index_t end = lowest_ + span_ + 1; // of the addresses with the digits found so far
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

private:
    /// Sorts the axes by decreasing stride; returns false where the axes of smaller strides
    /// together reach as far as a larger stride.
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
        // An axis with one digit does not change the address.
        for (Digit& digit : digits_)
            if (digit.size == 0 || digit.span == 0) digit.size = 0;
        return true;
    }

    void separate_repetition() {
        if (std::ranges::all_of(
                digits_, [](const Digit& d) { return d.distinct_coordinates() == d.extent; }))
            return;
        index_t stride = 1;
        for (std::size_t a = digits_.size(); a-- > 0;) {
            Digit& digit = digits_[a];
            repeated_.push_back({digit.extent, digit.distinct_coordinates(), stride, digit.stride});
            digit.extent = digit.distinct_coordinates();
            digit.stride = stride;
            stride *= digit.extent;
        }
        std::ranges::reverse(repeated_);
    }

    /// The run that contains the digit `y` of an axis of stride 1. `begin` is the address of digit
    /// 0, `index` the view's index at coordinate 0 of the axis, and `end` bounds the run of unread
    /// addresses behind the axis.
    static Run run_along(const Digit& digit, index_t begin, index_t end, index_t y, index_t index) {
        if (y > digit.span) return {begin + digit.span + 1, end};
        const index_t g = digit.coordinate(y);
        const bool descends = digit.flipped != (digit.map.step < 0);
        // The run consists of the coordinates [0, extent) if `g` is one of them. Coordinates from
        // `extent` to the end of the period are not part of the view: if `g` is one of those, the
        // run consists of them.
        index_t lowest = 0;
        index_t highest = digit.extent - 1;
        if (g >= digit.extent) {
            lowest = digit.extent;
            highest = digit.map.period - 1;
        } else if (digit.map.period != 0) {
            highest = std::min(highest, digit.map.period - 1);
        }
        const index_t first = std::max<index_t>(0, descends ? y - (highest - g) : y - (g - lowest));
        const index_t last = std::min(digit.span, descends ? y + (g - lowest) : y + (highest - g));
        if (g >= digit.extent) return {begin + first, begin + last + 1};
        const index_t step = descends ? -digit.stride : digit.stride;
        return {begin + first, begin + last + 1, index + g * digit.stride + (first - y) * step,
                step};
    }

    boost::container::small_vector<Digit, 4> digits_;
    boost::container::small_vector<std::size_t, 4> order_;
    index_t lowest_ = 0;
    index_t span_ = 0;
    std::vector<RepeatedAxis> repeated_;
};

} // namespace purview::engine
