#pragma once

#include <support/oracle.hpp>
#include <support/random_layout.hpp>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace oracle {

/// A function of each line of elements along an axis, which gives a line of the same or another length.
template <typename T, typename F>
auto along_lanes(const Oracle<T>& x, std::size_t axis, F f) {
    using R = typename decltype(f(std::vector<T>{}))::value_type;
    Coordinates others = x.shape;
    others[axis] = 1;
    Coordinates shape = x.shape;
    shape[axis] = std::ssize(f(std::vector<T>(static_cast<std::size_t>(x.shape[axis]), T{1})));
    Oracle<R> result{shape, std::vector<R>(static_cast<std::size_t>(count_of(shape)))};
    for_each(others, [&](Coordinates at) {
        std::vector<T> lane;
        for (at[axis] = 0; at[axis] < x.shape[axis]; ++at[axis]) lane.push_back(x.at(at));
        const std::vector<R> line = f(std::as_const(lane));
        for (at[axis] = 0; at[axis] < shape[axis]; ++at[axis])
            result.values[position_of(shape, at)] = line[static_cast<std::size_t>(at[axis])];
    });
    return result;
}

/// Equal, or for floats close: to a number of roundings of numbers of this size.
template <typename T>
bool near(T a, T b, double size) {
    if constexpr (std::floating_point<T>) {
        if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
        if (a == b) return true;
        return std::abs(static_cast<double>(a) - static_cast<double>(b)) <=
               200 * static_cast<double>(std::numeric_limits<T>::epsilon()) * size;
    } else {
        return a == b;
    }
}

template <typename X, typename T>
bool agrees(const X& real, const Oracle<T>& naive, double size = 1) {
    const pv::Shape shape = real.shape();
    if (Coordinates(shape.begin(), shape.end()) != naive.shape) return false;
    const std::vector<T> values = pv::to_vector(real);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!near<T>(values[i], naive.values[i], size)) return false;
    return true;
}

} // namespace oracle
