#pragma once

#include <purview/dimensions/dimensions.hpp>
#include <purview/reader/sparse_pairs.hpp>

#include "engine/pairs/digit_view.hpp"
#include "engine/pairs/entry_ranges.hpp"
#include "engine/pairs/keyed_places.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace purview::inline v0_1::engine {

/// One axis of a `ListedView`: a digit of an address, and where its coordinates are listed (an
/// index list, a mask, a rotation by steps), the coordinates that have each digit.
struct ListedDigit {
    Digit digit;
    std::optional<KeyedPlaces> listed; ///< coordinates by digit; none where they are computed
    std::vector<std::int32_t> only;    ///< the one coordinate of each digit, or -1: where no digit
                                       ///< has two, and there are not many more than entries
    bool repeats = false;              ///< whether a digit may have several coordinates

    /// The first coordinate of a digit in [0, span], or -1.
    index_t coordinate(index_t y) noexcept {
        if (!only.empty()) return only[static_cast<std::size_t>(y)];
        if (listed) {
            const index_t k = listed->find(y);
            return k == listed->count() ? -1 : listed->place(k);
        }
        const index_t g = digit.coordinate(y);
        return g < digit.extent ? g : -1;
    }
    /// Calls `f` for each coordinate of a digit.
    template <typename F>
    void each_coordinate(index_t y, F&& f) {
        if (digit.size == 0) { // all coordinates read the same
            for (index_t g = 0; g < digit.extent; ++g) f(g);
        } else if (listed) {
            for (index_t k = listed->find(y); k < listed->count() && listed->key(k) == y; ++k)
                f(listed->place(k));
        } else {
            const index_t step = digit.map.period == 0 ? digit.extent : digit.map.period;
            for (index_t g = digit.coordinate(y); g < digit.extent; g += step) f(g);
        }
    }
};

/// A view of one layer that reads some axes at listed coordinates, inverted: for each stored
/// address, its indexes in the view. An address is divided into digits, as by a `DigitView`, and a
/// digit is looked up in a list. Rows that are listed are searched for: what is stored in others is
/// not looked at.
class ListedView {
public:
    /// Takes a reduced view. Nothing if it has no list, several layers, or axes that divisions do
    /// not separate. O(extents of listed axes), and a radix sort of lists that do not ascend.
    /// `entries` is how many pairs there are.
    static std::optional<ListedView> of(const Dimensions& reduced, index_t entries,
                                        const char* what);

    /// Whether the view consists of rows, each of them a range of addresses, one after the other.
    bool takes_rows() const noexcept { return takes_rows_; }
    /// The rows of a view that `takes_rows`, among the pairs [begin, end).
    EntryRanges rows(const SparsePairs& pairs, index_t begin, index_t end, const char* what) const;

    /// Calls `add(index, position)` for the pairs [begin, end) that the view shows, in any order, or
    /// `add(index, position, whether)` for one that it may show.
    template <typename Add>
    void each(const SparsePairs& pairs, index_t begin, index_t end, Add&& add) {
        const ListedDigit& outer = digits_[order_[0]];
        if (!outer.listed ||
            (order_.size() == 1 && outer.listed->count() > (end - begin) / kFewPerRow))
            return each_within(pairs, begin, end, lowest_, 0, 0, add);
        each_row(pairs, begin, end, [&](index_t row, index_t first, index_t last, index_t g) {
            each_within(pairs, first, last, row, 1, g * outer.digit.stride, add);
        });
    }

private:
    /// To search for single elements costs about as much as to look at so many entries.
    static constexpr index_t kFewPerRow = 8;

    /// Calls `f(row, begin, end, coordinate)` for each coordinate of the outermost axis, which is
    /// listed, that reads entries: the address at which its row begins, and the positions of the
    /// entries. Entries and rows are skipped by steps that double.
    template <typename F>
    void each_row(const SparsePairs& pairs, index_t begin, index_t end, F&& f) const {
        const Digit& outer = digits_[order_[0]].digit;
        const KeyedPlaces& rows = *digits_[order_[0]].listed;
        const auto position_of = [&](index_t address, index_t from) {
            return std::min(end, sparse_position(pairs.indexes, address + pairs.offset, from));
        };
        index_t k = 0;
        for (index_t p = begin; p < end;) {
            const index_t y =
                outer.quotient(pairs.indexes[static_cast<std::size_t>(p)] - pairs.offset - lowest_);
            k = rows.first_from(y, k);
            if (k == rows.count()) return;
            const index_t next = rows.key(k);
            const index_t row = lowest_ + next * outer.size;
            p = position_of(row, p);
            if (next != y) continue;
            const index_t last = position_of(row + inner_span_ + 1, p);
            for (; k < rows.count() && rows.key(k) == y; ++k) f(row, p, last, rows.place(k));
            p = position_of(row + outer.size, last);
        }
    }

    /// Adds the pairs [begin, end), whose addresses minus `base` are digits from number `level` on;
    /// `index` is that of the digits before.
    template <typename Add>
    void each_within(const SparsePairs& pairs, index_t begin, index_t end, index_t base,
                     std::size_t level, index_t index, Add& add) {
        base += pairs.offset;
        if (!is_single_ || level == order_.size()) {
            for (index_t p = begin; p < end; ++p)
                descend(pairs.indexes[static_cast<std::size_t>(p)] - base, level, index,
                        [&](index_t at) { add(at, p); });
            return;
        }
        // The digits in front of the last one are those of many entries, one after the other.
        ListedDigit& last = digits_[order_.back()];
        const index_t reach = last.digit.span * last.digit.size;
        for (index_t p = begin; p < end;) {
            const index_t residual = pairs.indexes[static_cast<std::size_t>(p)] - base;
            index_t within = residual;
            index_t before = index;
            for (std::size_t k = level; k + 1 < order_.size(); ++k) {
                ListedDigit& each = digits_[order_[k]];
                const index_t y = each.digit.quotient(within);
                const index_t g = y > each.digit.span ? -1 : each.coordinate(y);
                within -= y * each.digit.size;
                before = g < 0 || before < 0 ? -1 : before + g * each.digit.stride;
            }
            const index_t row = base + residual - within;
            if (within > reach)
                ++p; // between two rows
            else
                p = add_row(pairs, p, end, row, row + reach, last, before, add);
        }
    }

    /// Adds the pairs from position `p` on whose indexes are at most `highest`, along the last axis,
    /// and returns the position behind them. `before` is the index at coordinate 0, or -1 where none
    /// of them is in the view.
    template <typename Add>
    static index_t add_row(const SparsePairs& pairs, index_t p, index_t end, index_t row,
                           index_t highest, ListedDigit& last, index_t before, Add& add) {
        const index_t* const indexes = pairs.indexes.data();
        const Digit& digit = last.digit;
        if (before < 0) {
            while (p < end && indexes[p] <= highest) ++p;
        } else if (digit.size == 1 && !last.only.empty()) {
            const std::int32_t* const only = last.only.data();
            if (digit.extent < digit.span / 8) { // most are left out, which is foreseen
                for (; p < end && indexes[p] <= highest; ++p)
                    if (const index_t g = only[indexes[p] - row]; g >= 0)
                        add(before + g * digit.stride, p);
            } else {
                for (; p < end && indexes[p] <= highest; ++p) {
                    const index_t g = only[indexes[p] - row];
                    add(before + g * digit.stride, p, g >= 0);
                }
            }
        } else {
            for (; p < end && indexes[p] <= highest; ++p) {
                const index_t y = digit.quotient(indexes[p] - row);
                if (y * digit.size != indexes[p] - row) continue;
                if (const index_t g = last.coordinate(y); g >= 0) add(before + g * digit.stride, p);
            }
        }
        return p;
    }

    /// Calls `f(index)` for each index of an address in the view.
    template <typename F>
    void descend(index_t residual, std::size_t level, index_t index, F&& f) {
        if (level == order_.size()) {
            if (residual == 0) repeat(0, index, f);
            return;
        }
        ListedDigit& each = digits_[order_[level]];
        const index_t y = each.digit.quotient(residual);
        if (y > each.digit.span) return;
        each.each_coordinate(y, [&](index_t g) {
            descend(residual - y * each.digit.size, level + 1, index + g * each.digit.stride, f);
        });
    }

    /// Along the axes that do not change the address.
    template <typename F>
    void repeat(std::size_t axis, index_t index, F&& f) {
        if (axis == repeated_.size()) return f(index);
        const Digit& digit = digits_[repeated_[axis]].digit;
        for (index_t g = 0; g < digit.extent; ++g) repeat(axis + 1, index + g * digit.stride, f);
    }

    bool order();
    bool finds_rows() const;

    std::vector<ListedDigit> digits_;   ///< one for each axis
    std::vector<std::size_t> order_;    ///< axes that change the address, by decreasing stride
    std::vector<std::size_t> repeated_; ///< axes that do not
    index_t lowest_ = 0;
    index_t inner_span_ = 0; ///< what all axes but the outermost one add to an address, at most
    bool is_single_ = true;  ///< no address has two indexes
    bool takes_rows_ = false;
};

} // namespace purview::engine
