#pragma once

#include <purview/base/checked.hpp>
#include <purview/base/index.hpp>
#include <purview/base/range_concepts.hpp>
#include <purview/base/refused.hpp>

#include <concepts>
#include <initializer_list>
#include <limits>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// One entry of a brace list of `AxisValues`. Constructible from any integer type, so that
/// `{v.size(), 3}` is not a narrowing conversion. Throws `ShapeError` for an integer that does not
/// fit `index_t`.
class AxisValue {
public:
    template <std::integral I>
        requires(!std::same_as<I, bool>)
    constexpr AxisValue(I value) : value_(static_cast<index_t>(value)) {
        if constexpr (std::is_unsigned_v<I> && sizeof(I) >= sizeof(index_t))
            if (value > static_cast<I>((std::numeric_limits<index_t>::max)()))
                throw_overflow("shape", value_, value_);
    }
    constexpr operator index_t() const noexcept { return value_; }

private:
    index_t value_;
};

/// A range of integers (not of bools or characters) that `AxisValues` has to convert: not
/// contiguous memory of `index_t`, which it borrows, and not a view of computed elements.
template <typename R>
concept OtherIntegers = !kIsTensor<R> && std::ranges::forward_range<const R&> &&
                        std::integral<std::ranges::range_value_t<const R&>> &&
                        !std::same_as<std::ranges::range_value_t<const R&>, bool> &&
                        !std::same_as<std::ranges::range_value_t<const R&>, char> &&
                        (std::ranges::contiguous_range<const R&> || !std::ranges::view<R>)&&!(
                            std::ranges::contiguous_range<const R&> &&
                            std::same_as<std::ranges::range_value_t<const R&>, index_t>);

template <typename T>
concept TupleButNoRange = !kIsTensor<T> && !std::ranges::range<T> && requires {
    std::tuple_size<T>::value;
};

/// The parameter type of functions that take one number per axis (a shape, a permutation, amounts,
/// axes): accepts a brace list, a `Shape`, or a range of integers of any type. Borrows the numbers,
/// so it is valid for the length of the call only.
class AxisValues : public ShapeSpan {
public:
    AxisValues() = default;
    AxisValues(std::initializer_list<AxisValue> values) noexcept
        : ShapeSpan(reinterpret_cast<const index_t*>(values.begin()), values.size()) {
        // `AxisValue` has the size and layout of `index_t`, so an array of one can be read as an
        // array of the other.
        static_assert(sizeof(AxisValue) == sizeof(index_t) && std::is_standard_layout_v<AxisValue>);
    }
    AxisValues(const Shape& values) noexcept : ShapeSpan(values.data(), values.size()) {}
    template <typename R>
        requires(!kIsTensor<R> && std::ranges::contiguous_range<R> &&
                 std::same_as<std::ranges::range_value_t<R>, index_t> &&
                 std::ranges::sized_range<R>)
    AxisValues(const R& values)
    noexcept : ShapeSpan(std::ranges::data(values), std::ranges::size(values)) {}
    /// Converts other integers into `converted`, which as a default argument lives until the call
    /// ends. Throws `ShapeError` for an integer that does not fit `index_t`.
    template <OtherIntegers R>
    AxisValues(const R& values, Shape&& converted = Shape())
        : ShapeSpan(converted_to(converted, values)) {}
    template <TupleButNoRange T>
    AxisValues(const T&) = delete; // one number for each axis is a list, {2, 3}, and no tuple

private:
    template <typename R>
    static ShapeSpan converted_to(Shape& converted, const R& values) {
        for (const auto value : values) converted.push_back(AxisValue(value));
        return converted;
    }
};

} // namespace purview
