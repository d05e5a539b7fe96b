#pragma once

#include <purview/reader/reader.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>

namespace purview::inline v0_1 {

/// How many of `begin, begin + step, …` come before `end`. Throws `ShapeError` when the step is 0,
/// when a bound is not finite, or when there are too many to count.
PURVIEW_EXPORT index_t range_size(index_t begin, index_t end, index_t step);
PURVIEW_EXPORT index_t range_size(double begin, double end, double step);
PURVIEW_EXPORT index_t range_size(float begin, float end, float step);

[[noreturn]] PURVIEW_EXPORT void throw_range_bound(std::uint64_t bound);

/// The numbers `begin, begin + step, …`: what `range_reader` returns.
template <typename T>
    requires std::same_as<T, index_t> || std::floating_point<T>
class RangeReader final : public Reader<T> {
public:
    RangeReader(T begin, T end, T step)
        : begin_(begin), step_(step), size_(range_size(begin, end, step)) {}

    index_t size() const noexcept override { return size_; }
    T step() const noexcept { return step_; }

    T read(index_t i) const override {
        PURVIEW_ASSERT(i >= 0 && i < size_);
        return value(begin_, step_, i);
    }
    void read_block(index_t begin, index_t step, std::span<T> out) const override {
        const T start = begin_, by = step_; // `out` may overlap numbers, but not these
        const auto count = static_cast<index_t>(out.size());
        for (index_t i = 0; i < count; ++i)
            out[static_cast<std::size_t>(i)] = value(start, by, begin + i * step);
    }
    void gather(std::span<const index_t> indexes, std::span<T> out) const override {
        const T start = begin_, by = step_;
        for (std::size_t i = 0; i < indexes.size(); ++i) out[i] = value(start, by, indexes[i]);
    }

private:
    static T value(T begin, T step, index_t i) noexcept {
        if constexpr (std::same_as<T, index_t>) {
            // The result fits, but the product may overflow; unsigned, so that it may wrap.
            return static_cast<index_t>(static_cast<std::uint64_t>(begin) +
                                        static_cast<std::uint64_t>(i) *
                                            static_cast<std::uint64_t>(step));
        } else {
            return begin + static_cast<T>(i) * step;
        }
    }

    T begin_;
    T step_;
    index_t size_;
};

/// The element type of a range: `index_t` for integers, else the common floating type.
template <typename... Bounds>
using RangeElement = std::conditional_t<
    (std::integral<Bounds> && ...), index_t,
    std::conditional_t<(std::same_as<std::common_type_t<Bounds...>, float>), float, double>>;

/// Types that may be bounds of a range: numbers, but not bool.
template <typename T>
concept RangeBound = (std::integral<T> || std::floating_point<T>)&&!std::same_as<T, bool>;

template <typename T, RangeBound Bound>
T range_bound(Bound bound) {
    if constexpr (std::same_as<T, index_t> && std::is_unsigned_v<Bound> &&
                  sizeof(Bound) >= sizeof(index_t))
        if (bound > static_cast<std::uint64_t>((std::numeric_limits<index_t>::max)()))
            throw_range_bound(bound);
    return static_cast<T>(bound);
}

/// The numbers `begin, begin + step, …` before `end` (with a negative step: after it), as Python's
/// `range` and NumPy's `arange`: empty when `end` is not in the direction of `step`. Of `index_t`
/// when all arguments are integers, else of their common floating type, where element `i` is
/// `begin + i * step` and rounding decides whether the last one before `end` is included. O(1).
/// Throws `ShapeError` when the step is 0, a bound is not finite, or the size overflows.
template <RangeBound Begin, RangeBound End, RangeBound Step = int>
auto range_reader(Begin begin, End end, Step step = 1) {
    using T = RangeElement<Begin, End, Step>;
    return std::make_shared<RangeReader<T>>(range_bound<T>(begin), range_bound<T>(end),
                                            range_bound<T>(step));
}

/// The numbers `0, 1, …` before `end`.
template <RangeBound End>
auto range_reader(End end) {
    return range_reader(End{0}, end);
}

} // namespace purview
