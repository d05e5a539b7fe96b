#include "engine/pairs/listed_view.hpp"

#include <purview/base/index_sequence.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// Calls `f(coordinate, m)` with what the map of an axis makes of each coordinate.
template <typename F>
void for_each_mapped(const AxisMap& map, index_t extent, F&& f) {
    const bool is_list =
        map.table != nullptr && map.period == 0 && map.scale == 1 && map.offset == 0;
    std::array<index_t, 1024> block;
    for (index_t begin = 0; begin < extent; begin += std::ssize(block)) {
        const index_t count = std::min(std::ssize(block), extent - begin);
        if (is_list)
            map.table->read(begin, std::span(block).first(static_cast<std::size_t>(count)));
        for (index_t i = 0; i < count; ++i)
            f(begin + i, is_list ? block[static_cast<std::size_t>(i)] : map(begin + i));
    }
}

/// The coordinates of an axis by digit.
void list_coordinates(ListedDigit& axis, index_t entries_to_find, const char* what) {
    const Digit& digit = axis.digit;
    Entries entries(digit.extent, what);
    for_each_mapped(digit.map, digit.extent, [&](index_t g, index_t m) {
        const index_t y = digit.flipped ? digit.origin - m : m - digit.origin;
        entries.add(y, static_cast<std::uint64_t>(g));
    });
    axis.listed.emplace(entries);
    for (index_t k = 1; k < axis.listed->count() && !axis.repeats; ++k)
        axis.repeats = axis.listed->key(k) == axis.listed->key(k - 1);
    if (axis.repeats || digit.span >= 4 * std::max(digit.extent, entries_to_find) + 1024) return;
    axis.only.assign(static_cast<std::size_t>(digit.span + 1), -1);
    for (index_t k = 0; k < axis.listed->count(); ++k)
        axis.only[static_cast<std::size_t>(axis.listed->key(k))] =
            static_cast<std::int32_t>(axis.listed->place(k));
}

} // namespace

std::optional<ListedView> ListedView::of(const Dimensions& reduced, index_t entries,
                                         const char* what) {
    if (reduced.layer_count() != 1 || reduced.size() == 0) return std::nullopt;
    const LayerView layer = reduced.layer(0);
    if (layer.maps.empty()) return std::nullopt;
    ListedView view;
    view.lowest_ = layer.base;
    view.digits_.resize(layer.extents.size());
    index_t stride = 1;
    for (int a = layer.rank(); a-- > 0;) {
        const auto i = static_cast<std::size_t>(a);
        const dimensions::CoordinateBounds bounds = dimensions::coordinate_bounds(layer, a);
        const bool flipped = layer.strides[i] < 0;
        Digit& digit = view.digits_[i].digit;
        digit = {std::abs(layer.strides[i]),
                 bounds.highest - bounds.lowest,
                 flipped ? bounds.highest : bounds.lowest,
                 flipped,
                 layer.maps[i],
                 layer.extents[i],
                 stride,
                 {}};
        view.lowest_ += layer.strides[i] * digit.origin;
        if (digit.size > 1) digit.divider.emplace(static_cast<std::uint64_t>(digit.size));
        stride *= digit.extent;
    }
    if (!view.order()) return std::nullopt;
    for (const std::size_t a : view.order_) {
        ListedDigit& axis = view.digits_[a];
        const AxisMap& map = axis.digit.map;
        axis.repeats = map.period != 0 && map.period < axis.digit.extent;
        if (map.table == nullptr && (map.period == 0 || std::abs(map.step) == 1)) continue;
        if (axis.digit.extent > kMostEntries) return std::nullopt;
        list_coordinates(axis, entries, what);
    }
    view.is_single_ =
        view.repeated_.empty() &&
        std::ranges::none_of(view.digits_, [](const ListedDigit& axis) { return axis.repeats; });
    view.takes_rows_ = view.finds_rows();
    return view;
}

/// Sorts the axes by decreasing stride; returns false where the axes of smaller strides together
/// reach as far as a larger one, and where none changes the address.
bool ListedView::order() {
    for (std::size_t a = 0; a < digits_.size(); ++a) {
        Digit& digit = digits_[a].digit;
        if (digit.size == 0 || digit.span == 0) {
            digit.size = 0;
            if (digit.extent > 1) repeated_.push_back(a);
        } else {
            order_.push_back(a);
        }
    }
    std::ranges::sort(order_, std::ranges::greater{},
                      [this](std::size_t a) { return digits_[a].digit.size; });
    index_t rest = 0;
    for (std::size_t i = order_.size(); i-- > 0;) {
        const Digit& digit = digits_[order_[i]].digit;
        if (digit.size <= rest) return false;
        if (i == 0) inner_span_ = rest;
        rest += digit.size * digit.span;
    }
    return !order_.empty();
}

bool ListedView::finds_rows() const {
    if (order_.size() == 1 || !digits_[order_[0]].listed || !repeated_.empty()) return false;
    index_t width = 1;
    for (std::size_t i = order_.size(); i-- > 1;) {
        const Digit& digit = digits_[order_[i]].digit;
        if (!digit.keeps_order() || digits_[order_[i]].listed || digit.size != width ||
            digit.stride != width)
            return false;
        width *= digit.extent;
    }
    return digits_[order_[0]].digit.stride == width;
}

EntryRanges ListedView::rows(const SparsePairs& pairs, index_t begin, index_t end,
                             const char* what) const {
    EntryRanges ranges(what);
    each_row(pairs, begin, end, [&](index_t row, index_t first, index_t last, index_t g) {
        ranges.add(g, {first, last, g * digits_[order_[0]].digit.stride - row - pairs.offset});
    });
    ranges.put_in_order();
    return ranges;
}

} // namespace purview::engine
