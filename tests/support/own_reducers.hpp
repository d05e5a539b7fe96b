// Reducers of one's own, of which one knows no order and one depends on it.
#pragma once

#include <purview/functional/reductions/own_reducer.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace oracle {

struct Spread {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();
};
inline auto spread_of(bool commutes = false) {
    return purview::reducer<double>(
        "spread", Spread{},
        [](Spread& s, double x) {
            s.least = std::min(s.least, x);
            s.most = std::max(s.most, x);
        },
        [](Spread& s, const Spread& next) {
            s.least = std::min(s.least, next.least);
            s.most = std::max(s.most, next.most);
        },
        [](const Spread& s) { return s.most - s.least; }, {.commutes = commutes});
}

/// The two ends of it.
inline auto ends_of() {
    return purview::reducer<double>(
        "ends", Spread{},
        [](Spread& s, double x) {
            s.least = std::min(s.least, x);
            s.most = std::max(s.most, x);
        },
        [](Spread& s, const Spread& next) {
            s.least = std::min(s.least, next.least);
            s.most = std::max(s.most, next.most);
        },
        [](const Spread& s) {
            return std::array<double, 2>{s.least, s.most};
        },
        {.commutes = true});
}

/// A polynomial whose coefficients are the elements, in 64 bits; of floats their 1024-fold.
struct Digest {
    static constexpr std::uint64_t kBase = 0x9e3779b97f4a7c15;

    std::uint64_t value = 0;
    std::uint64_t power = 1;

    template <typename T>
    void add(T x) {
        if constexpr (std::is_floating_point_v<T>)
            value = value * kBase + (x != x ? 7 : static_cast<std::uint64_t>(std::abs(x) * 1024));
        else
            value = value * kBase + static_cast<std::uint64_t>(x);
        power *= kBase;
    }
    void join(const Digest& next) {
        value = value * next.power + next.value;
        power *= next.power;
    }
};
template <typename T = std::int64_t>
auto digest_of() {
    return purview::reducer<T>(
        "digest", Digest{},
        [](Digest& d, std::span<const T> block) {
            for (const T x : block) d.add(x);
        },
        [](Digest& d, const Digest& next) { d.join(next); },
        [](const Digest& d) { return d.value; });
}
template <typename T>
std::uint64_t digest(const std::vector<T>& elements) {
    Digest all;
    for (const T x : elements) all.add(x);
    return all.value;
}

/// The sum of each element times its place.
inline auto weighted() {
    return purview::reducer<std::int64_t>(
        "weighted", std::int64_t{0},
        [](std::int64_t& sum, std::span<const std::int64_t> block, purview::index_t place) {
            for (const std::int64_t x : block) sum += x * place++;
        },
        [](std::int64_t& sum, std::int64_t next) { sum += next; },
        [](std::int64_t sum) { return sum; });
}

} // namespace oracle
