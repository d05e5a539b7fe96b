#pragma once

#include <purview/base/axis_values.hpp>
#include <purview/functional/applied/random.hpp>
#include <purview/tensor/tensor.hpp>

#include <concepts>
#include <cstdint>

namespace purview {

// Samples of a distribution, lazily: element i, in row-major order, is a function of the seed and of i alone, so that every read, every
// machine and every number of threads gives the same, and any element can be had without those before it. What is computed from word w =
// `random_word(seed, i)` (base/random_bits.hpp) is said below to the last bit: additions, multiplications, divisions and square roots, which all
// machines round alike. Tensors of one seed are made of the same words: give each its own.

/// The place below which a share of a normal distribution of mean 0 and deviation 1 lies: Wichura's algorithm AS 241, PPND16 (Applied
/// Statistics 37, 1988), to 16 digits. Precondition: 0 < share < 1.
PURVIEW_EXPORT double normal_quantile(double share) noexcept;
/// The logarithm of a number in (0, 1] that is not subnormal, the same on every machine, to 2 ulp: 2 atanh(s) by its series to s^23 and a
/// multiple of the logarithm of 2.
PURVIEW_EXPORT double portable_log(double x) noexcept;

PURVIEW_EXPORT Operand normal_operand(ShapeSpan shape, std::uint64_t seed, double average,
                                      double deviation, DType dtype);
PURVIEW_EXPORT Operand exponential_operand(ShapeSpan shape, std::uint64_t seed, double scale,
                                           DType dtype);

/// `random_uniform({3, 4}, seed)`: numbers in [0, 1), evenly distributed, in float64 or, `random_uniform<float>({3, 4}, seed)`, in float32: what
/// `random_like` gives. Lazy, O(1). Throws `ShapeError`.
template <std::floating_point T = double>
Tensor<T> random_uniform(AxisValues shape, std::uint64_t seed) {
    return Tensor<T>(random_operand<T>(shape, seed));
}

/// `random_normal({3, 4}, seed, average, deviation)`: normally distributed numbers: average + deviation · `normal_quantile`(((w >> 12) + 1/2) / 2^52),
/// within 8.2 deviations. In float64, or rounded to float32. Lazy, O(1). Throws `ShapeError`, `Error` unless average and deviation are finite and
/// the latter is not negative.
template <std::floating_point T = double>
Tensor<T> random_normal(AxisValues shape, std::uint64_t seed, double average = 0,
                        double deviation = 1) {
    return Tensor<T>(normal_operand(shape, seed, average, deviation, kDType<T>));
}

/// `random_exponential({3, 4}, seed, scale)`: exponentially distributed numbers with mean `scale`: -scale · `portable_log`(((w >> 11) + 1) / 2^53),
/// at most 36.8 scales. In float64, or rounded to float32. Lazy, O(1). Throws `ShapeError`, `Error` unless the scale is finite and not
/// negative.
template <std::floating_point T = double>
Tensor<T> random_exponential(AxisValues shape, std::uint64_t seed, double scale = 1) {
    return Tensor<T>(exponential_operand(shape, seed, scale, kDType<T>));
}

/// `random_poisson({3, 4}, seed, rate)`: int64 numbers of events, `rate` of them on average: the least k whose share, added up from the least k that
/// counts, is above (w >> 11) / 2^53; shares below 2^-70 of the greatest do not count. Lazy; O(sqrt(rate)) to compose, for a table. Throws `ShapeError`,
/// `Error` unless 0 <= rate <= 2^32.
PURVIEW_EXPORT Tensor<std::int64_t> random_poisson(AxisValues shape, std::uint64_t seed,
                                                   double rate);

} // namespace purview
