#pragma once

#include <purview/base/index.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace oracle {

using purview::index_t;
using Coordinates = std::vector<index_t>;

inline index_t count_of(const Coordinates& shape) {
    index_t n = 1;
    for (const index_t extent : shape) n *= extent;
    return n;
}

/// Calls f with every coordinate tuple of a shape, in row-major order.
template <typename F>
void for_each(const Coordinates& shape, F f) {
    const index_t n = count_of(shape);
    Coordinates at(shape.size(), 0);
    for (index_t i = 0; i < n; ++i) {
        f(std::as_const(at));
        for (std::size_t a = shape.size(); a-- > 0;) {
            if (++at[a] < shape[a]) break;
            at[a] = 0;
        }
    }
}

inline std::size_t position_of(const Coordinates& shape, const Coordinates& at) {
    if (at.size() != shape.size()) throw std::logic_error("oracle: rank");
    index_t position = 0;
    for (std::size_t a = 0; a < shape.size(); ++a) {
        if (at[a] < 0 || at[a] >= shape[a]) throw std::logic_error("oracle: coordinate");
        position = position * shape[a] + at[a];
    }
    return static_cast<std::size_t>(position);
}

/// The indexes of a Python slice, by the definition in Python's language reference.
inline Coordinates slice_indexes(index_t extent, index_t begin, index_t end, index_t step) {
    const auto bound = [&](index_t b) {
        if (b < 0) b += extent;
        return step > 0 ? std::clamp<index_t>(b, 0, extent)
                        : std::clamp<index_t>(b, -1, extent - 1);
    };
    const index_t last = bound(end);
    Coordinates list;
    for (index_t i = bound(begin); step > 0 ? i < last : i > last; i += step) list.push_back(i);
    return list;
}

/// The shape that shapes broadcast to by NumPy's rule.
inline Coordinates broadcast_shape(Coordinates a, Coordinates b) {
    while (a.size() < b.size()) a.insert(a.begin(), 1);
    while (b.size() < a.size()) b.insert(b.begin(), 1);
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] != b[i] && a[i] != 1 && b[i] != 1) throw std::logic_error("oracle: broadcast");
        if (a[i] == 1) a[i] = b[i];
    }
    return a;
}

/// The naive twin of a tensor: dense values in row-major order. Every view is a nested loop over the
/// coordinates of the result that copies elements, and there is no algebra at all.
template <typename T>
struct Oracle {
    Coordinates shape;
    std::vector<T> values;

    std::size_t rank() const { return shape.size(); }
    index_t size() const { return count_of(shape); }
    T at(const Coordinates& coordinates) const { return values[position_of(shape, coordinates)]; }

    /// From a function of the coordinates.
    template <typename F>
    static Oracle make(Coordinates shape, F f) {
        Oracle result{std::move(shape), {}};
        for_each(result.shape, [&](const Coordinates& g) { result.values.push_back(f(g)); });
        return result;
    }

    /// The view whose element g is the element `where(g)` of this one.
    template <typename F>
    Oracle view(Coordinates to, F where) const {
        return make(std::move(to), [&](const Coordinates& g) { return at(where(g)); });
    }

    // Compiled once, in oracle.cpp, for the types named below.
    Oracle drop(std::size_t axis, index_t index) const;
    Oracle pick(std::size_t axis, const Coordinates& list) const;
    Oracle transpose(const Coordinates& axes) const;
    /// Tiles; axes of size 1 and new axes on the left repeat.
    Oracle tile(const Coordinates& to) const;
    /// The element at g goes to g + amount.
    Oracle rotate(const Coordinates& amounts) const;
    Oracle reshape(const Coordinates& to) const;
    Oracle flip(const Coordinates& axes) const;
    Oracle squeeze() const;
    Oracle insert_axis(std::size_t axis) const;
    Oracle diagonal(std::size_t axis0, std::size_t axis1, index_t offset) const;
    Oracle sliding_window(std::size_t axis, index_t window, index_t step) const;
    /// NumPy's broadcasting.
    Oracle expand(const Coordinates& to) const;
};

template <typename T>
Oracle<T> Oracle<T>::drop(std::size_t axis, index_t index) const {
    Coordinates to = shape;
    to.erase(to.begin() + static_cast<std::ptrdiff_t>(axis));
    return view(to, [&](Coordinates g) {
        g.insert(g.begin() + static_cast<std::ptrdiff_t>(axis), index);
        return g;
    });
}

template <typename T>
Oracle<T> Oracle<T>::pick(std::size_t axis, const Coordinates& list) const {
    Coordinates to = shape;
    to[axis] = std::ssize(list);
    return view(to, [&](Coordinates g) {
        g[axis] = list[static_cast<std::size_t>(g[axis])];
        return g;
    });
}

template <typename T>
Oracle<T> Oracle<T>::transpose(const Coordinates& axes) const {
    Coordinates to;
    for (const index_t axis : axes) to.push_back(shape[static_cast<std::size_t>(axis)]);
    return view(to, [&](const Coordinates& g) {
        Coordinates from(g.size());
        for (std::size_t a = 0; a < g.size(); ++a) from[static_cast<std::size_t>(axes[a])] = g[a];
        return from;
    });
}

template <typename T>
Oracle<T> Oracle<T>::tile(const Coordinates& to) const {
    const std::size_t added = to.size() - rank();
    return view(to, [&](const Coordinates& g) {
        Coordinates from(rank());
        for (std::size_t a = 0; a < rank(); ++a) from[a] = g[a + added] % shape[a];
        return from;
    });
}

template <typename T>
Oracle<T> Oracle<T>::rotate(const Coordinates& amounts) const {
    return view(shape, [&](Coordinates g) {
        for (std::size_t a = 0; a < rank(); ++a)
            g[a] = (((g[a] - amounts[a]) % shape[a]) + shape[a]) % shape[a];
        return g;
    });
}

template <typename T>
Oracle<T> Oracle<T>::reshape(const Coordinates& to) const {
    if (count_of(to) != size()) throw std::logic_error("oracle: reshape");
    return {to, values};
}

template <typename T>
Oracle<T> Oracle<T>::flip(const Coordinates& axes) const {
    return view(shape, [&](Coordinates g) {
        for (const index_t axis : axes) {
            const auto a = static_cast<std::size_t>(axis);
            g[a] = shape[a] - 1 - g[a];
        }
        return g;
    });
}

template <typename T>
Oracle<T> Oracle<T>::squeeze() const {
    Coordinates kept;
    for (const index_t extent : shape)
        if (extent != 1) kept.push_back(extent);
    return reshape(kept);
}

template <typename T>
Oracle<T> Oracle<T>::insert_axis(std::size_t axis) const {
    Coordinates to = shape;
    to.insert(to.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    return reshape(to);
}

template <typename T>
Oracle<T> Oracle<T>::diagonal(std::size_t axis0, std::size_t axis1, index_t offset) const {
    const index_t row = offset < 0 ? -offset : 0;
    const index_t column = offset < 0 ? 0 : offset;
    const index_t length =
        std::max<index_t>(0, std::min(shape[axis0] - row, shape[axis1] - column));
    Coordinates to;
    for (std::size_t a = 0; a < rank(); ++a)
        if (a != axis0 && a != axis1) to.push_back(shape[a]);
    to.push_back(length);
    return view(to, [&](const Coordinates& g) {
        Coordinates from(rank());
        std::size_t next = 0;
        for (std::size_t a = 0; a < rank(); ++a)
            if (a != axis0 && a != axis1) from[a] = g[next++];
        from[axis0] = row + g.back();
        from[axis1] = column + g.back();
        return from;
    });
}

template <typename T>
Oracle<T> Oracle<T>::sliding_window(std::size_t axis, index_t window, index_t step) const {
    Coordinates to = shape;
    to[axis] = (shape[axis] - window) / step + 1;
    to.push_back(window);
    return view(to, [&](Coordinates g) {
        const index_t inside = g.back();
        g.pop_back();
        g[axis] = g[axis] * step + inside;
        return g;
    });
}

template <typename T>
Oracle<T> Oracle<T>::expand(const Coordinates& to) const {
    const std::size_t added = to.size() - rank();
    return view(to, [&](const Coordinates& g) {
        Coordinates from(rank());
        for (std::size_t a = 0; a < rank(); ++a) from[a] = shape[a] == 1 ? 0 : g[a + added];
        return from;
    });
}

// Each is compiled once, in oracle.cpp.
extern template struct Oracle<bool>;
extern template struct Oracle<std::int8_t>;
extern template struct Oracle<std::int16_t>;
extern template struct Oracle<std::int32_t>;
extern template struct Oracle<std::int64_t>;
extern template struct Oracle<std::uint8_t>;
extern template struct Oracle<std::uint16_t>;
extern template struct Oracle<std::uint32_t>;
extern template struct Oracle<std::uint64_t>;
extern template struct Oracle<float>;
extern template struct Oracle<double>;
extern template struct Oracle<std::string>;

/// `f` of every element.
template <typename T, typename F>
auto map(const Oracle<T>& x, F f) {
    using R = decltype(f(x.values.front()));
    Oracle<R> result{x.shape, {}};
    for (const auto& value : x.values) result.values.push_back(f(value));
    return result;
}

/// `f` of elements broadcast together.
template <typename T, typename U, typename F>
auto map(const Oracle<T>& x, const Oracle<U>& y, F f) {
    using R = decltype(f(T(x.values.front()), U(y.values.front())));
    const Coordinates shape = broadcast_shape(x.shape, y.shape);
    const Oracle<T> left = x.expand(shape);
    const Oracle<U> right = y.expand(shape);
    Oracle<R> result{shape, {}};
    for (std::size_t i = 0; i < left.values.size(); ++i)
        result.values.push_back(f(T(left.values[i]), U(right.values[i])));
    return result;
}

/// NumPy's `where`.
template <typename T>
Oracle<T> where(const Oracle<bool>& condition, const Oracle<T>& x, const Oracle<T>& y) {
    const Coordinates shape = broadcast_shape(condition.shape, broadcast_shape(x.shape, y.shape));
    const Oracle<bool> c = condition.expand(shape);
    const Oracle<T> left = x.expand(shape);
    const Oracle<T> right = y.expand(shape);
    Oracle<T> result{shape, {}};
    for (std::size_t i = 0; i < c.values.size(); ++i)
        result.values.push_back(c.values[i] ? left.values[i] : right.values[i]);
    return result;
}

/// Folds over axes: `f(accumulator, element)` from `start`. Reduced axes go, or keep size 1.
template <typename R, typename T, typename F>
Oracle<R> fold(const Oracle<T>& x, const Coordinates& axes, bool keep, R start, F f) {
    const auto reduced = [&](std::size_t a) {
        return std::find(axes.begin(), axes.end(), static_cast<index_t>(a)) != axes.end();
    };
    Coordinates to;
    for (std::size_t a = 0; a < x.rank(); ++a)
        if (!reduced(a))
            to.push_back(x.shape[a]);
        else if (keep)
            to.push_back(1);
    Oracle<R> result = Oracle<R>::make(to, [&](const Coordinates&) { return start; });
    for_each(x.shape, [&](const Coordinates& g) {
        Coordinates at;
        for (std::size_t a = 0; a < x.rank(); ++a)
            if (!reduced(a))
                at.push_back(g[a]);
            else if (keep)
                at.push_back(0);
        const std::size_t position = position_of(to, at);
        result.values[position] = f(result.values[position], x.at(g));
    });
    return result;
}

} // namespace oracle
