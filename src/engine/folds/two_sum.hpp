#pragma once

namespace purview::inline v0_1::engine {

/// A number as an unevaluated sum high + low (double-double), `high` being the sum rounded to
/// double.
struct TwoSum {
    double high = 0;
    double low = 0;
};

/// a + b without error (Knuth).
inline TwoSum two_sum(double a, double b) noexcept {
    const double sum = a + b;
    const double part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
}
inline TwoSum plus(const TwoSum& a, double b) noexcept {
    const TwoSum sum = two_sum(a.high, b);
    return two_sum(sum.high, sum.low + a.low);
}
inline double difference(const TwoSum& a, const TwoSum& b) noexcept {
    return (a.high - b.high) + (a.low - b.low);
}

} // namespace purview::engine
