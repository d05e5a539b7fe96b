#include "support/reducer_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>

namespace oracle {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

double count_of(const Group& g) { return static_cast<double>(g.elements.size()); }
bool has_nan(const Group& g) {
    return std::ranges::any_of(g.elements, [](double x) { return x != x; });
}

/// The mean of the powers of the differences from the mean.
double central_moment(const Group& g, int power) {
    const double mean = *by_loop::mean(g);
    double all = 0;
    for (const double x : g.elements) all += std::pow(x - mean, power);
    return all / count_of(g);
}
double of_sample(const Group& g) {
    const double n = count_of(g);
    return n > 1 ? central_moment(g, 2) * n / (n - 1) : kNaN;
}
/// A moment in units of the deviation. Of elements that do not differ, NaN.
double standardised(const Group& g, int power) {
    const double variance = central_moment(g, 2);
    return variance > 0 ? central_moment(g, power) / std::pow(variance, power / 2.) : kNaN;
}

/// The place of an element for which `is_better` than all before; of a NaN, the first or the last.
template <typename Better>
std::optional<double> place_of(const Group& g, bool last, Better is_better) {
    if (g.elements.empty()) return std::nullopt;
    std::size_t best = 0;
    for (std::size_t i = 1; i < g.elements.size(); ++i) {
        const double x = g.elements[i];
        const double y = g.elements[best];
        const bool is_nan = x != x;
        const bool was_nan = y != y;
        if (was_nan ? is_nan && last : is_nan || is_better(x, y)) best = i;
    }
    return static_cast<double>(g.places[best]);
}

/// The element, or what lies between two, at a fraction of the way from the least to the greatest.
double quantile(const Group& g, double fraction) {
    if (g.elements.empty() || has_nan(g)) return kNaN;
    std::vector<double> sorted = g.elements;
    std::ranges::sort(sorted);
    const double at = fraction * (count_of(g) - 1);
    const double below = sorted[static_cast<std::size_t>(std::floor(at))];
    const double above = sorted[static_cast<std::size_t>(std::ceil(at))];
    return below + (above - below) * (at - std::floor(at));
}

} // namespace

Group group_of(const std::vector<double>& all, purview::DType dtype, bool skips_nan) {
    Group g{{}, {}, std::ssize(all), dtype, skips_nan && dtype.is_floating()};
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (skips_nan && all[i] != all[i]) continue;
        g.elements.push_back(all[i]);
        g.places.push_back(static_cast<purview::index_t>(i));
    }
    return g;
}

namespace by_loop {

std::optional<double> sum(const Group& g) {
    double all = 0;
    for (const double x : g.elements) all += x;
    return all;
}
std::optional<double> product(const Group& g) {
    if (g.dtype.is_floating()) {
        double all = 1;
        for (const double x : g.elements) all *= x;
        return all;
    }
    std::uint64_t all = 1; // integers wrap
    for (const double x : g.elements)
        all *= static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
    return g.dtype == purview::uint8 ? static_cast<double>(all)
                                     : static_cast<double>(static_cast<std::int64_t>(all));
}
std::optional<double> mean(const Group& g) { return *sum(g) / count_of(g); }
std::optional<double> min(const Group& g) {
    if (g.count == 0) return std::nullopt;
    if (g.elements.empty() || has_nan(g)) return kNaN;
    return *std::ranges::min_element(g.elements);
}
std::optional<double> max(const Group& g) {
    if (g.count == 0) return std::nullopt;
    if (g.elements.empty() || has_nan(g)) return kNaN;
    return *std::ranges::max_element(g.elements);
}
std::optional<double> any_of(const Group& g) { return *count_true(g) > 0 ? 1 : 0; }
std::optional<double> all_of(const Group& g) { return *count_true(g) == count_of(g) ? 1 : 0; }
std::optional<double> count_true(const Group& g) {
    return static_cast<double>(std::ranges::count_if(g.elements, [](double x) { return x != 0; }));
}
std::optional<double> argmin(const Group& g) {
    return place_of(g, false, [](double x, double y) { return x < y; });
}
std::optional<double> argmax(const Group& g) {
    return place_of(g, false, [](double x, double y) { return x > y; });
}
std::optional<double> argmin_last(const Group& g) {
    return place_of(g, true, [](double x, double y) { return x <= y; });
}
std::optional<double> argmax_last(const Group& g) {
    return place_of(g, true, [](double x, double y) { return x >= y; });
}

std::optional<double> variance(const Group& g) { return central_moment(g, 2); }
std::optional<double> standard_deviation(const Group& g) { return std::sqrt(central_moment(g, 2)); }
std::optional<double> sample_variance(const Group& g) { return of_sample(g); }
std::optional<double> sample_standard_deviation(const Group& g) { return std::sqrt(of_sample(g)); }
std::optional<double> standard_error(const Group& g) {
    return std::sqrt(of_sample(g) / count_of(g));
}
std::optional<double> skewness(const Group& g) { return standardised(g, 3); }
std::optional<double> sample_skewness(const Group& g) { // G1 of Joanes and Gill, 1998
    const double n = count_of(g);
    return n < 3 ? kNaN : std::sqrt(n * (n - 1)) / (n - 2) * standardised(g, 3);
}
std::optional<double> kurtosis(const Group& g) { return standardised(g, 4) - 3; }
std::optional<double> sample_kurtosis(const Group& g) { // G2 there
    const double n = count_of(g);
    if (n < 4) return kNaN;
    return (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * (standardised(g, 4) - 3) + 6);
}
std::optional<double> third_moment(const Group& g) { return central_moment(g, 3); }

std::optional<double> magnitude(const Group& g) { return std::sqrt(*magnitude_squared(g)); }
std::optional<double> magnitude_squared(const Group& g) {
    double all = 0;
    for (const double x : g.elements) all += x * x;
    return all;
}
std::optional<double> quadratic_mean(const Group& g) {
    return std::sqrt(*magnitude_squared(g) / count_of(g));
}
std::optional<double> geometric_mean(const Group& g) {
    double all = 0;
    for (const double x : g.elements) all += std::log(x);
    return std::exp(all / count_of(g));
}
std::optional<double> harmonic_mean(const Group& g) {
    double all = 0;
    for (const double x : g.elements) all += x < 0 ? kNaN : 1 / x;
    return count_of(g) / all;
}
std::optional<double> logsumexp(const Group& g) {
    double all = 0;
    for (const double x : g.elements) all += std::exp(x);
    return std::log(all);
}

std::optional<double> median(const Group& g) { return quantile(g, 0.5); }
std::optional<double> lower_quartile(const Group& g) { return quantile(g, 0.25); }
std::optional<double> most_frequent(const Group& g) {
    if (g.elements.empty()) return std::nullopt;
    if (has_nan(g)) return kNaN;
    std::map<double, int> counts;
    for (const double x : g.elements) ++counts[x];
    return std::ranges::max_element(counts, {}, [](const auto& pair) { return pair.second; })
        ->first;
}
std::optional<double> first(const Group& g) {
    if (!g.elements.empty()) return g.elements.front();
    return g.skips_nan ? std::optional(kNaN) : std::nullopt;
}
std::optional<double> last(const Group& g) {
    if (!g.elements.empty()) return g.elements.back();
    return g.skips_nan ? std::optional(kNaN) : std::nullopt;
}
std::optional<double> distinct(const Group& g) {
    std::set<double> numbers;
    for (const double x : g.elements)
        if (x == x) numbers.insert(x);
    return static_cast<double>(numbers.size()) + (has_nan(g) ? 1 : 0);
}

std::optional<double> spread(const Group& g) {
    double least = kInf;
    double most = -kInf;
    for (const double x : g.elements) { // NaN is not less and not more
        if (x < least) least = x;
        if (x > most) most = x;
    }
    return most - least;
}
std::optional<double> digest(const Group& g) {
    return static_cast<double>(oracle::digest(g.elements) >> 11);
}

} // namespace by_loop
} // namespace oracle
