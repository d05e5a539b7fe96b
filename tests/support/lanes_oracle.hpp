#pragma once

#include <support/oracle.hpp>
#include <support/random_layout.hpp>

#include <purview/tensor/copy.hpp>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace oracle {

/// A function of a line of elements: borrowed, so that what is done with it is not compiled for each function.
template <typename T, typename R>
struct LaneFunction {
    const void* object;
    std::vector<R> (*call)(const void*, const std::vector<T>&);
};

/// A function of each line of elements along an axis, which gives a line of the same or another length.
template <typename T, typename R>
Oracle<R> map_lanes(const Oracle<T>& x, std::size_t axis, LaneFunction<T, R> f) {
    Coordinates others = x.shape;
    others[axis] = 1;
    Coordinates shape = x.shape;
    shape[axis] =
        std::ssize(f.call(f.object, std::vector<T>(static_cast<std::size_t>(x.shape[axis]), T{1})));
    Oracle<R> result{shape, std::vector<R>(static_cast<std::size_t>(count_of(shape)))};
    for_each(others, [&](Coordinates at) {
        std::vector<T> lane;
        for (at[axis] = 0; at[axis] < x.shape[axis]; ++at[axis]) lane.push_back(x.at(at));
        const std::vector<R> line = f.call(f.object, lane);
        for (at[axis] = 0; at[axis] < shape[axis]; ++at[axis])
            result.values[position_of(shape, at)] = line[static_cast<std::size_t>(at[axis])];
    });
    return result;
}

template <typename T, typename F>
auto along_lanes(const Oracle<T>& x, std::size_t axis, const F& f) {
    using R = typename decltype(f(std::vector<T>{}))::value_type;
    return map_lanes<T, R>(x, axis,
                           {&f, [](const void* object, const std::vector<T>& lane) {
                                return std::vector<R>((*static_cast<const F*>(object))(lane));
                            }});
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

template <typename T>
bool agrees(const pv::Shape& shape, const std::vector<T>& values, const Oracle<T>& naive,
            double size) {
    if (Coordinates(shape.begin(), shape.end()) != naive.shape) return false;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!near<T>(values[i], naive.values[i], size)) return false;
    return true;
}

template <typename X, typename T>
bool agrees(const X& real, const Oracle<T>& naive, double size = 1) {
    return agrees<T>(real.shape(), pv::to_vector(real), naive, size);
}

/// Of a tensor whose type is known only at run time: it is of that of the twin, too.
template <typename T>
bool agrees(const pv::AnyTensor& real, const Oracle<T>& naive, double size = 1) {
    return agrees<T>(real.shape(), pv::to_vector(real.as<T>()), naive, size);
}

// Each is compiled once, in lanes_oracle.cpp.
#define LANES_OF(WHAT, T)                                                              \
 WHAT template Oracle<T> map_lanes(const Oracle<T>&, std::size_t, LaneFunction<T, T>); \
 WHAT template bool agrees(const pv::Shape&, const std::vector<T>&, const Oracle<T>&, double);
#define LANES_TO(WHAT, T, R) \
 WHAT template Oracle<R> map_lanes(const Oracle<T>&, std::size_t, LaneFunction<T, R>);
#define LANES(WHAT)                           \
 LANES_OF(WHAT, bool)                         \
 LANES_OF(WHAT, std::int8_t)                  \
 LANES_OF(WHAT, std::int16_t)                 \
 LANES_OF(WHAT, std::int32_t)                 \
 LANES_OF(WHAT, std::int64_t)                 \
 LANES_OF(WHAT, std::uint8_t)                 \
 LANES_OF(WHAT, std::uint16_t)                \
 LANES_OF(WHAT, std::uint32_t)                \
 LANES_OF(WHAT, std::uint64_t)                \
 LANES_OF(WHAT, float)                        \
 LANES_OF(WHAT, double)                       \
 LANES_TO(WHAT, bool, std::int64_t)           \
 LANES_TO(WHAT, std::int8_t, std::int64_t)    \
 LANES_TO(WHAT, std::int16_t, std::int64_t)   \
 LANES_TO(WHAT, std::int32_t, std::int64_t)   \
 LANES_TO(WHAT, std::uint8_t, std::int64_t)   \
 LANES_TO(WHAT, std::uint16_t, std::int64_t)  \
 LANES_TO(WHAT, std::uint32_t, std::int64_t)  \
 LANES_TO(WHAT, std::uint64_t, std::int64_t)  \
 LANES_TO(WHAT, float, std::int64_t)          \
 LANES_TO(WHAT, double, std::int64_t)         \
 LANES_TO(WHAT, std::uint8_t, std::uint64_t)  \
 LANES_TO(WHAT, std::uint16_t, std::uint64_t) \
 LANES_TO(WHAT, std::uint32_t, std::uint64_t) \
 LANES_TO(WHAT, bool, double)                 \
 LANES_TO(WHAT, std::int8_t, double)          \
 LANES_TO(WHAT, std::int16_t, double)         \
 LANES_TO(WHAT, std::int32_t, double)         \
 LANES_TO(WHAT, std::int64_t, double)         \
 LANES_TO(WHAT, std::uint8_t, double)         \
 LANES_TO(WHAT, std::uint16_t, double)        \
 LANES_TO(WHAT, std::uint32_t, double)        \
 LANES_TO(WHAT, std::uint64_t, double)
LANES(extern)

} // namespace oracle
