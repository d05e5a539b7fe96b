#pragma once

#include <purview/dimensions/dimensions.hpp>
#include <purview/dimensions/index.hpp>

#include <functional>
#include <vector>

/// The naive twin of `Dimensions`: an explicit table of the address of every element, in row-major
/// order. Views are nested loops over the coordinates of the result, and know no algebra at all.
struct DimensionOracle {
    using Coordinates = std::vector<purview::index_t>;
    using index_t = purview::index_t;

    Coordinates shape;
    std::vector<index_t> addresses;

    static index_t count(const Coordinates& shape) {
        index_t n = 1;
        for (const index_t extent : shape) n *= extent;
        return n;
    }

    /// Calls f with every coordinate tuple of a shape, in row-major order.
    static void for_each(const Coordinates& shape,
                         const std::function<void(const Coordinates&)>& f) {
        Coordinates g(shape.size(), 0);
        const index_t n = count(shape);
        for (index_t i = 0; i < n; ++i) {
            f(g);
            for (std::size_t a = shape.size(); a-- > 0;) {
                if (++g[a] < shape[a]) break;
                g[a] = 0;
            }
        }
    }

    /// From a function of the coordinates.
    static DimensionOracle make(Coordinates shape,
                                const std::function<index_t(const Coordinates&)>& address) {
        DimensionOracle result{std::move(shape), {}};
        for_each(result.shape,
                 [&](const Coordinates& g) { result.addresses.push_back(address(g)); });
        return result;
    }

    index_t at(const Coordinates& g) const {
        index_t index = 0;
        for (std::size_t a = 0; a < shape.size(); ++a) {
            if (g[a] < 0 || g[a] >= shape[a]) throw std::logic_error("oracle: coordinate");
            index = index * shape[a] + g[a];
        }
        return addresses[static_cast<std::size_t>(index)];
    }

    /// The view whose element g is the element `where(g)` of this one.
    DimensionOracle view(Coordinates to,
                         const std::function<Coordinates(const Coordinates&)>& where) const {
        return make(std::move(to), [&](const Coordinates& g) { return at(where(g)); });
    }

    DimensionOracle transpose(const Coordinates& axes) const {
        Coordinates to;
        for (const index_t a : axes) to.push_back(shape[static_cast<std::size_t>(a)]);
        return view(to, [&](const Coordinates& g) {
            Coordinates from(g.size());
            for (std::size_t a = 0; a < g.size(); ++a)
                from[static_cast<std::size_t>(axes[a])] = g[a];
            return from;
        });
    }

    /// One axis replaced by the elements listed.
    DimensionOracle pick(std::size_t axis, const Coordinates& list) const {
        Coordinates to = shape;
        to[axis] = static_cast<index_t>(list.size());
        return view(to, [&](Coordinates g) {
            g[axis] = list[static_cast<std::size_t>(g[axis])];
            return g;
        });
    }

    DimensionOracle drop(std::size_t axis, index_t at_index) const {
        Coordinates to = shape;
        to.erase(to.begin() + static_cast<std::ptrdiff_t>(axis));
        return view(to, [&](Coordinates g) {
            g.insert(g.begin() + static_cast<std::ptrdiff_t>(axis), at_index);
            return g;
        });
    }

    DimensionOracle rotate(const Coordinates& amounts) const {
        return view(shape, [&](Coordinates g) {
            for (std::size_t a = 0; a < g.size(); ++a) {
                // The element that came to g is the one from which g is `amount` steps ahead.
                index_t from = (g[a] - amounts[a]) % shape[a];
                while (from < 0) from += shape[a];
                g[a] = from;
            }
            return g;
        });
    }

    DimensionOracle tile(const Coordinates& to) const {
        return view(to, [&](const Coordinates& g) {
            const std::size_t added = g.size() - shape.size();
            Coordinates from(shape.size());
            for (std::size_t a = 0; a < from.size(); ++a) from[a] = g[added + a] % shape[a];
            return from;
        });
    }

    DimensionOracle reshape(const Coordinates& to) const { return {to, addresses}; }

    DimensionOracle diagonal(std::size_t axis0, std::size_t axis1, index_t offset) const {
        const auto inside = [&](index_t i) {
            return i + (offset < 0 ? -offset : 0) < shape[axis0] &&
                   i + (offset > 0 ? offset : 0) < shape[axis1];
        };
        index_t length = 0;
        while (inside(length)) ++length;
        Coordinates to;
        for (std::size_t a = 0; a < shape.size(); ++a)
            if (a != axis0 && a != axis1) to.push_back(shape[a]);
        to.push_back(length);
        return view(to, [&](const Coordinates& g) {
            Coordinates from;
            std::size_t next = 0;
            for (std::size_t a = 0; a < shape.size(); ++a) {
                if (a == axis0)
                    from.push_back(g.back() + (offset < 0 ? -offset : 0));
                else if (a == axis1)
                    from.push_back(g.back() + (offset > 0 ? offset : 0));
                else
                    from.push_back(g[next++]);
            }
            return from;
        });
    }

    DimensionOracle sliding_window(std::size_t axis, index_t window, index_t step) const {
        Coordinates to = shape;
        to[axis] = 0;
        for (index_t i = 0; i + window <= shape[axis]; i += step) ++to[axis];
        to.push_back(window);
        return view(to, [&](Coordinates g) {
            const index_t within = g.back();
            g.pop_back();
            g[axis] = g[axis] * step + within;
            return g;
        });
    }
};
