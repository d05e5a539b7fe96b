#pragma once

#include <purview/base/axis_values.hpp>
#include <purview/dimensions/dim_list.hpp>

#include <concepts>
#include <initializer_list>
#include <optional>
#include <ranges>

namespace purview {

/// What stands for one axis, or for several: an integer, a Dim, a list of dims.
template <typename A>
concept AxisLike = (std::integral<A> && !std::same_as<A, bool>) || std::same_as<A, Dim> ||
                   std::same_as<A, DimList>;

/// One axis: a positional one, which may count from the end, or a bound Dim.
struct AxisOrDim {
    template <std::integral I>
        requires(!std::same_as<I, bool>)
    AxisOrDim(I number) : axis(AxisValue(number)) {}
    AxisOrDim(const Dim& bound) : dim(bound) {}

    index_t axis = 0;
    std::optional<Dim> dim{};
};

/// What stands for one axis alone: also `{1}` and `{i}`, by a default argument of this type.
template <typename A>
concept OneAxisLike = AxisLike<A> || std::same_as<A, AxisOrDim>;

/// The axes that a function works over: `{0, 1}`, `{0, i}`, a `Shape`, a list of dims.
class PURVIEW_EXPORT Axes {
public:
    Axes() = default;
    Axes(std::initializer_list<AxisOrDim> axes) : axes_(axes) {}
    Axes(const Shape& axes) : axes_(axes.begin(), axes.end()) {}
    Axes(const DimList& dims) { add(dims); }
    template <std::ranges::contiguous_range R>
        requires std::same_as<std::ranges::range_value_t<R>, index_t> ||
            std::same_as<std::ranges::range_value_t<R>, Dim>
            Axes(const R& axes) {
            for (const auto& axis : axes) axes_.emplace_back(axis);
        }
    template <OtherIntegers R>
    Axes(const R& axes) {
        for (const auto axis : axes) axes_.emplace_back(axis);
    }

    template <AxisLike A>
    void add(const A& axis) {
        if constexpr (std::same_as<A, DimList>)
            for (const Dim& dim : axis.dims()) axes_.emplace_back(dim);
        else
            axes_.emplace_back(axis);
    }

    auto begin() const noexcept { return axes_.begin(); }
    auto end() const noexcept { return axes_.end(); }

    /// Where there are no dims. Throws `DimError` naming `what` and the Dim.
    Shape positional(const char* what) const;

private:
    boost::container::small_vector<AxisOrDim, 4> axes_;
};

} // namespace purview
