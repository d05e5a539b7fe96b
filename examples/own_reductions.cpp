// Reductions of one's own: docs/own_reductions.md.
#include <purview/format.hpp>
#include <purview/purview.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <limits>
#include <span>

namespace pv = purview;

// [spread]
struct Spread {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();
};
const auto spread = pv::reducer<double>(
    "spread", Spread{}, // a state, of which each part begins with a copy
    [](Spread& s, double x) {
        s.least = std::min(s.least, x);
        s.most = std::max(s.most, x);
    },
    [](Spread& s, const Spread& next) { // what follows
        s.least = std::min(s.least, next.least);
        s.most = std::max(s.most, next.most);
    },
    [](const Spread& s) { return s.most - s.least; });
// [/spread]

// [digest]
struct Digest {
    std::uint64_t value = 0;
    std::uint64_t power = 1; // of the base, to the number of elements
};
const auto digest = pv::reducer<std::int32_t>(
    "digest", Digest{},
    [](Digest& d, std::span<const std::int32_t> block) {
        for (const std::int32_t x : block) {
            d.value = d.value * 0x9e3779b97f4a7c15 + static_cast<std::uint32_t>(x);
            d.power *= 0x9e3779b97f4a7c15;
        }
    },
    [](Digest& d, const Digest& next) {
        d.value = d.value * next.power + next.value;
        d.power *= next.power;
    },
    [](const Digest& d) { return d.value; });
// [/digest]

int main() {
    // [several]
    const auto x = pv::tensor({{1., 2., 3.}, {4., 5., 9.}});
    const auto [average, deviation, range] =
        pv::reduce(x, pv::mean, pv::standard_deviation, spread); // numbers, in one pass
    const auto [total, at] = pv::reduce(x, {1}, pv::sum, pv::argmax);
    std::cout << average << ' ' << range << ' ' << total << ' ' << at << '\n';
    // [/several]

    // [carried]
    const auto of_rows = x | pv::reduce({1}, spread(pv::skip_nan));
    const auto rolled = pv::fixed_rolling_window(x, 2, spread, pv::WindowPosition::trailing);
    const auto keys = pv::tensor({{1, 2, 1}, {1, 2, 2}});
    const auto [key, by_key] = pv::group_by_reduce(keys, x, spread);
    std::cout << of_rows << ' ' << rolled << ' ' << by_key << '\n';
    // [/carried]

    // [chunks]
    const auto counted = pv::clone(pv::reshape(pv::arange<std::int32_t>(12), {3, 4}));
    const auto stored = pv::chunked(counted, {2, 3}); // or pv::open_zarr<std::int32_t>(path)
    std::cout << (pv::reduce(stored, digest) == pv::reduce(counted, digest)) << '\n';
    // [/chunks]

    // [sketches]
    const auto ages = pv::tensor({31, 18, 44, 18, 59});
    const auto [typical, kinds] =
        pv::reduce(ages, pv::approximate_quantile({.5, .9}), pv::approximate_distinct);
    std::cout << typical << ' ' << kinds << '\n';
    // [/sketches]
    return average == 4 && kinds == 4 && typical(0) == 31 && range == 8 && deviation > 2 &&
                   pv::reduce(stored, digest) == pv::reduce(counted, digest)
               ? 0
               : 1;
}
