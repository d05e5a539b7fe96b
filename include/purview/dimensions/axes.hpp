#pragma once

#include <purview/base/axis_values.hpp>
#include <purview/dimensions/dim_list.hpp>

#include <concepts>
#include <initializer_list>
#include <optional>

namespace purview::inline v0_1 {

/// One axis: a positional one (negative numbers count from the end) or a bound Dim.
struct AxisOrDim {
    template <std::integral I>
        requires(!std::same_as<I, bool>)
    AxisOrDim(I number) : axis(AxisValue(number)) {}
    AxisOrDim(const Dim& bound) : dim(bound) {}

    index_t axis = 0;
    std::optional<Dim> dim{};
};

/// Several dims in the place of one axis: see `joint`.
class PURVIEW_EXPORT Joint {
public:
    // Here and in `Axes`, in src: lists of axes are copied in nearly every unit.
    Joint() noexcept;
    Joint(const Joint& other);
    Joint(Joint&& other) noexcept;
    Joint& operator=(const Joint& other);
    Joint& operator=(Joint&& other) noexcept;
    ~Joint();

    /// Appends an axis, a Dim, or every element of a list of dims, a range of dims or another
    /// joint.
    template <typename A>
    void add(const A& given) {
        if constexpr (requires { AxisOrDim(given); })
            add_one(given);
        else if constexpr (std::same_as<A, DimList>)
            for (const Dim& dim : given.dims()) add_one(dim);
        else
            for (const auto& each : given) add_one(each);
    }

    auto begin() const noexcept { return axes_.begin(); }
    auto end() const noexcept { return axes_.end(); }

    /// The dims alone, for splitting an axis into them. Throws `DimError` for a positional axis.
    DimVector dims() const;

private:
    void add_one(const AxisOrDim& axis);

    InlineVector<AxisOrDim, 4> axes_;
};

/// An argument that stands for one or several axes: an integer, a Dim, a list or a range of dims,
/// or a joint, `(i, j)`.
template <typename A>
concept AxisLike = (std::integral<A> && !std::same_as<A, bool>) || std::same_as<A, Dim> ||
                   std::same_as<A, DimList> || std::same_as<A, Joint> || DimRange<A>;

/// An argument that stands for exactly one axis: an `AxisLike`, or `{1}` or `{i}` where this type
/// is the default argument.
template <typename A>
concept OneAxisLike = AxisLike<A> || std::same_as<A, AxisOrDim>;

/// `t(joint(i, j))` splits an axis into dims, the last one fastest; one of their sizes may be
/// unbound and is inferred. `order(joint(i, j))` merges dims, and positional axes, which may count
/// from the end, into one axis. Lists and ranges of dims are replaced by their elements. `(i, j)`
/// is the same as `joint(i, j)`. Throws `DimError` for a list of dims that has no length yet.
template <AxisLike... A>
Joint joint(const A&... axes) {
    Joint joined;
    (joined.add(axes), ...);
    return joined;
}

/// Operands of the comma operator that makes a joint: dims and axes, at least one of which is a
/// Dim.
template <typename A, typename B>
concept CommaJoined = AxisLike<A> && AxisLike<B> && !DimRange<A> && !DimRange<B> &&
                      !(std::integral<A> && std::integral<B>);

/// `(i, j)` is `joint(i, j)`, torchdim's spelling: `A((i, j), k)`, `sum(x, (i, j))`,
/// `order((i, 0))`.
template <typename A, typename B>
    requires CommaJoined<A, B>
[[nodiscard]] Joint operator,(const A& first, const B& second) { return joint(first, second); }

/// The axes that a function works over: `{0, 1}`, `{0, i}`, `(i, j)`, a `Shape`, a list or a range
/// of dims.
class PURVIEW_EXPORT Axes {
public:
    Axes() noexcept;
    Axes(const Axes& other);
    Axes(Axes&& other) noexcept;
    Axes& operator=(const Axes& other);
    Axes& operator=(Axes&& other) noexcept;
    ~Axes();

    Axes(std::initializer_list<AxisOrDim> axes);
    Axes(const Shape& axes);
    Axes(const DimList& dims) { add(dims); }
    Axes(const Joint& axes) { add(axes); }
    template <typename R>
        requires(!kIsTensor<R> && std::ranges::contiguous_range<R> &&
                 std::same_as<std::ranges::range_value_t<R>, index_t>)
    Axes(const R& axes) {
        for (const index_t axis : axes) add_one(axis);
    }
    template <OtherIntegers R>
    Axes(const R& axes) {
        for (const auto axis : axes) add_one(axis);
    }
    template <DimRange R>
    Axes(const R& dims) {
        add(dims);
    }

    template <AxisLike... A>
    static Axes of(const A&... given) {
        Axes axes;
        (axes.add(given), ...);
        return axes;
    }

    template <AxisLike A>
    void add(const A& axis) {
        if constexpr (requires { AxisOrDim(axis); })
            add_one(axis);
        else if constexpr (std::same_as<A, DimList>)
            for (const Dim& dim : axis.dims()) add_one(dim);
        else
            for (const auto& each : axis) add_one(each);
    }

    auto begin() const noexcept { return axes_.begin(); }
    auto end() const noexcept { return axes_.end(); }

    /// The axes as positions. Throws `DimError` naming `what` and the Dim if any of them is a Dim.
    Shape positional(const char* what) const;

private:
    void add_one(const AxisOrDim& axis);

    InlineVector<AxisOrDim, 4> axes_;
};

} // namespace purview
