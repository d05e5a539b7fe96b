#pragma once

#include <purview/base/index.hpp>

#include <concepts>
#include <initializer_list>
#include <ranges>

namespace purview {

/// How functions take one number per axis (a shape, a permutation, amounts, axes): a brace list, a
/// `Shape`, or any contiguous range of `index_t`. It borrows, for the length of a call.
class AxisValues : public ShapeSpan {
public:
    AxisValues() = default;
    AxisValues(std::initializer_list<index_t> values) noexcept
        : ShapeSpan(values.begin(), values.size()) {}
    AxisValues(const Shape& values) noexcept : ShapeSpan(values.data(), values.size()) {}
    template <std::ranges::contiguous_range R>
        requires std::same_as<std::ranges::range_value_t<R>, index_t> && std::ranges::sized_range<R>
        AxisValues(const R& values)
    noexcept : ShapeSpan(std::ranges::data(values), std::ranges::size(values)) {}
};

} // namespace purview
