#pragma once

#include <purview/base/axis_values.hpp>
#include <purview/functional/applied/random.hpp>
#include <purview/tensor/tensor.hpp>

#include <concepts>
#include <cstdint>

namespace purview {

// Lazy samples of distributions. Element i, in row-major order, is a function of the seed and of i
// alone: it does not depend on how it is read, on the machine or on the number of threads, and can
// be computed without the elements before it. The comments below define exactly what is computed
// from the word w = `random_word(seed, i)` (base/random_bits.hpp), by additions, multiplications,
// divisions and square roots, which all machines round alike. Tensors of one seed use the same
// words, and so are correlated: give each tensor its own seed.

/// The quantile function of the standard normal distribution (mean 0, deviation 1): Wichura's
/// algorithm AS 241, PPND16 (Applied Statistics 37, 1988), to 16 digits. Precondition: 0 < share <
/// 1.
PURVIEW_EXPORT double normal_quantile(double share) noexcept;
/// The logarithm of a normal (not subnormal) number in (0, 1], the same on every machine, to 2 ulp:
/// 2 atanh(s) by its series up to s^23, plus a multiple of the logarithm of 2.
PURVIEW_EXPORT double portable_log(double x) noexcept;

PURVIEW_EXPORT Operand normal_operand(ShapeSpan shape, std::uint64_t seed, double average,
                                      double deviation, DType dtype);
PURVIEW_EXPORT Operand exponential_operand(ShapeSpan shape, std::uint64_t seed, double scale,
                                           DType dtype);

/// `random_uniform({3, 4}, seed)`: uniformly distributed numbers in [0, 1), in float64 or,
/// `random_uniform<float>({3, 4}, seed)`, in float32; the same as `random_like` gives. Lazy, O(1).
/// Throws `ShapeError`.
template <std::floating_point T = double>
Tensor<T> random_uniform(AxisValues shape, std::uint64_t seed) {
    return Tensor<T>(random_operand<T>(shape, seed));
}

/// `random_normal({3, 4}, seed, average, deviation)`: normally distributed numbers: average +
/// deviation · `normal_quantile`(((w >> 12) + 1/2) / 2^52), at most 8.2 deviations from the
/// average. In float64, or rounded to float32. Lazy, O(1). Throws `ShapeError`, `Error` unless
/// average and deviation are finite and the deviation is not negative.
template <std::floating_point T = double>
Tensor<T> random_normal(AxisValues shape, std::uint64_t seed, double average = 0,
                        double deviation = 1) {
    return Tensor<T>(normal_operand(shape, seed, average, deviation, kDType<T>));
}

/// `random_exponential({3, 4}, seed, scale)`: exponentially distributed numbers with mean `scale`:
/// -scale · `portable_log`(((w >> 11) + 1) / 2^53), at most 36.8 · scale. In float64, or rounded to
/// float32. Lazy, O(1). Throws `ShapeError`, `Error` unless the scale is finite and not negative.
template <std::floating_point T = double>
Tensor<T> random_exponential(AxisValues shape, std::uint64_t seed, double scale = 1) {
    return Tensor<T>(exponential_operand(shape, seed, scale, kDType<T>));
}

/// `random_poisson({3, 4}, seed, rate)`: Poisson-distributed int64 numbers with mean `rate`: the
/// smallest k at which the sum of the probabilities up to k exceeds (w >> 11) / 2^53; probabilities
/// below 2^-70 of the greatest are left out. Lazy; O(sqrt(rate)) to compose, for a table. Throws
/// `ShapeError`, `Error` unless 0 <= rate <= 2^32.
PURVIEW_EXPORT Tensor<std::int64_t> random_poisson(AxisValues shape, std::uint64_t seed,
                                                   double rate);

} // namespace purview
