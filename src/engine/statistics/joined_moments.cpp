#include "engine/statistics/joined_moments.hpp"

#include "engine/folds/two_sum.hpp"

#include <algorithm>
#include <cmath>

namespace purview::inline v0_1::engine {
namespace {

double lesser(double a, double b) {
    return std::isnan(a) || std::isnan(b) ? a + b : (b < a ? b : a);
}

/// The same moments of elements divided by 2^exponent.
PartMoments with_exponent(PartMoments part, double exponent) {
    const int less = static_cast<int>(part.exponent - exponent);
    part.mean = std::ldexp(part.mean, less);
    part.mean_rest = std::ldexp(part.mean_rest, less);
    part.squares = std::ldexp(part.squares, 2 * less);
    part.cubes = std::ldexp(part.cubes, 3 * less);
    part.fourths = std::ldexp(part.fourths, 4 * less);
    part.exponent = exponent;
    return part;
}
bool is_zero(const PartMoments& part) { return part.mean == 0 && part.squares == 0; }

/// What elements are like.
double size_of(const PartMoments& part) {
    return std::max(std::abs(part.mean), std::sqrt(part.squares / part.count));
}

} // namespace

PartMoments joined_by_pebay(const PartMoments& a, const PartMoments& b) {
    PartMoments both;
    const double n = a.count + b.count;
    const double share_a = a.count / n;
    const double share_b = b.count / n;
    const TwoSum mean_a{a.mean, a.mean_rest};
    const double shift = difference({b.mean, b.mean_rest}, mean_a);
    const double shift2 = shift * shift;
    const double weight = a.count * share_b; // of the square of the shift
    both.count = n;
    both.sum = a.sum + b.sum;
    TwoSum mean = plus(mean_a, shift * share_b);
    if (!std::isfinite(mean.high)) mean = {a.mean * share_a + b.mean * share_b, 0};
    both.mean = mean.high;
    both.mean_rest = mean.low;
    both.squares = a.squares + b.squares + shift2 * weight;
    both.exponent = a.exponent;
    both.cubes = a.cubes + b.cubes + shift * shift2 * weight * (share_a - share_b) +
                 3 * shift * (share_a * b.squares - share_b * a.squares);
    both.fourths =
        a.fourths + b.fourths +
        shift2 * shift2 * weight * (share_a * share_a - share_a * share_b + share_b * share_b) +
        6 * shift2 * (share_a * share_a * b.squares + share_b * share_b * a.squares) +
        4 * shift * (share_a * b.cubes - share_b * a.cubes);
    both.least = lesser(a.least, b.least);
    both.greatest = -lesser(-a.greatest, -b.greatest);
    return both;
}

PartMoments joined(const PartMoments& a, const PartMoments& b, int power) {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const double exponent =
        is_zero(a) || is_zero(b) ? (is_zero(a) ? b : a).exponent : std::max(a.exponent, b.exponent);
    const PartMoments x = with_exponent(a, exponent);
    const PartMoments y = with_exponent(b, exponent);
    const PartMoments both = joined_by_pebay(x, y);
    const bool overflows = !std::isfinite(both.squares) ||
                           (power > 2 && !std::isfinite(both.cubes)) ||
                           (power > 3 && !std::isfinite(both.fourths));
    const double size = std::max(size_of(x), size_of(y));
    if (!overflows || !std::isfinite(size) || size == 0) return both;
    const double larger = exponent + std::ilogb(size);
    return joined_by_pebay(with_exponent(a, larger), with_exponent(b, larger));
}

} // namespace purview::engine
