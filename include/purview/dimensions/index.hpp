#pragma once

#include <purview/base/index_sequence.hpp>
#include <purview/base/refused.hpp>

#include <optional>
#include <variant>

namespace purview::inline v0_1 {

/// Index argument: the whole axis.
struct All {
    /// Declared only to reject a call of `all` as a function (NumPy's `all(x)`) with a clear
    /// message.
    template <typename... X>
    PURVIEW_REFUSED("pv::all is a whole axis in an index; whether all are true, says pv::all_of(x)",
                    operator()(const X&...) const);
};
inline constexpr All all{};

/// Index argument: an axis of size 1 is inserted here.
struct NewAxis {};
inline constexpr NewAxis new_axis{};

/// Index argument: `all` for as many axes as the other arguments leave over. At most one.
struct Ellipsis {};
inline constexpr Ellipsis ellipsis{};

/// Index argument: every `step`-th index from `begin` up to, not including, `end`, with the meaning
/// of a Python slice: negative bounds count from the end, bounds are clipped to the axis, and a
/// missing bound is the end of the axis at which a walk in the direction of `step` starts or stops.
class PURVIEW_EXPORT Range {
public:
    /// Throws `IndexError` when `step` is 0.
    Range(std::optional<index_t> begin, std::optional<index_t> end, index_t step = 1)
        : begin_(begin), end_(end), step_(step) {
        if (step == 0) throw_zero_step();
    }

    std::optional<index_t> begin() const noexcept { return begin_; }
    std::optional<index_t> end() const noexcept { return end_; }
    index_t step() const noexcept { return step_; }

    /// The range on an axis of a given size: indexes `first + step·i` for 0 <= i < `count`.
    struct Resolved {
        index_t first;
        index_t step;
        index_t count;
    };
    /// Clips the range to an axis of this size. `first` is 0 when nothing is left.
    Resolved resolve(index_t size) const noexcept;

private:
    [[noreturn]] static void throw_zero_step();

    std::optional<index_t> begin_;
    std::optional<index_t> end_;
    index_t step_;
};

/// `range(5)`: the indexes before 5. `range(1, 5)`, `range(std::nullopt, std::nullopt, -1)`: see
/// `Range`.
inline Range range(std::optional<index_t> begin, std::optional<index_t> end, index_t step = 1) {
    return Range(begin, end, step);
}
inline Range range(index_t end) { return Range(std::nullopt, end); }

/// One argument of an indexing call. A list or mask is an `IndexSequencePtr`, never null.
using IndexArgument = std::variant<index_t, All, Range, IndexSequencePtr, NewAxis, Ellipsis>;

} // namespace purview
