#pragma once

#include <purview/base/index_sequence.hpp>

#include <span>

namespace purview::inline v0_1 {

/// The index map of one axis, which takes a global coordinate to the coordinate that the stride
/// multiplies:
///
///     u(g) = g                                  without a period
///          | (step·g + phase) mod period        with one
///     m(g) = u(g)                               without a table: plain or periodic
///          | table[scale·u(g) + offset]         with one
///
/// Axes that are affine and have no table need no `AxisMap`: the stride and the base of the layer
/// express them.
struct PURVIEW_EXPORT AxisMap {
    IndexSequencePtr table{};
    index_t scale = 1;  ///< only with a table
    index_t offset = 0; ///< only with a table
    index_t period = 0; ///< 0: none
    index_t step = 1;   ///< only with a period; its smallest representative, |step| <= period / 2
    index_t phase = 0;  ///< only with a period; in [0, period)

    bool is_plain() const noexcept { return period == 0 && table == nullptr; }
    /// u(g): before the table.
    index_t before_table(index_t g) const noexcept;
    /// m(g).
    index_t operator()(index_t g) const noexcept;
    /// How many coordinates the periodic stage takes before it repeats: period / gcd(step, period).
    /// 0 without a period.
    index_t cycle() const noexcept;

    friend PURVIEW_EXPORT bool operator==(const AxisMap& a, const AxisMap& b) noexcept;
};

/// One layer of a `Dimensions`, for inspection: `local(g) = base + Σ strides[a]·maps[a](g[a])`.
/// Borrowed from the `Dimensions` it came from.
struct PURVIEW_EXPORT LayerView {
    ShapeSpan extents;
    ShapeSpan strides;
    index_t base = 0;
    std::span<const AxisMap> maps; ///< one per axis, or none where every axis is plain

    int rank() const noexcept { return static_cast<int>(extents.size()); }
    index_t size() const noexcept;
    bool is_plain(int axis) const noexcept {
        return maps.empty() || maps[static_cast<std::size_t>(axis)].is_plain();
    }
    /// m_a(g).
    index_t coordinate(int axis, index_t g) const noexcept {
        return maps.empty() ? g : maps[static_cast<std::size_t>(axis)](g);
    }
    /// The address of one element. Unchecked.
    index_t local_of(ShapeSpan coordinates) const noexcept;
    /// The address of one element, by its row-major index. Unchecked.
    index_t local_of_index(index_t index) const noexcept;
};

} // namespace purview
