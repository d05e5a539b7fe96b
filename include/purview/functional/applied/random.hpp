#pragma once

#include <purview/base/axis_values.hpp>
#include <purview/base/random_bits.hpp>
#include <purview/expression/constant.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/functional/reductions/reduce_over.hpp>
#include <purview/tensor/plain_tensor.hpp>
#include <purview/tensor/result_handle.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

// All functions here are determined by a seed: the same on every machine, for any number of
// threads.

/// A random permutation of 0, … , n - 1; all are equally likely (Fisher and Yates). int64 in
/// memory, `[n]`; O(n). Throws `ShapeError` for a negative `n`.
PURVIEW_EXPORT MutableTensor<std::int64_t> argshuffle(index_t n, std::uint64_t seed);

/// `count` distinct indexes in [0, n), in random order; all choices are equally likely. int64 in
/// memory; O(count). Throws `ShapeError` unless 0 <= count <= n.
PURVIEW_EXPORT MutableTensor<std::int64_t> argsample(index_t n, index_t count, std::uint64_t seed);

/// `sample(x, count, seed)`, or a stage: `count` distinct places along the first axis of `x`, in
/// random order, as a view. O(count). Throws `ShapeError` if `count` exceeds the size of the axis,
/// or for rank 0.
struct SampleFunction {
    template <array_like X>
        requires PlainOrOrdered<AsTensorArgument<std::remove_cvref_t<X>>>
    auto operator()(X&& given, index_t count, std::uint64_t seed) const {
        const auto x = as_tensor(std::forward<X>(given));
        return x(argsample(length_of(plain_tensor(x)), count, seed), ellipsis);
    }
    template <StageNumber<index_t> N>
    auto operator()(const N& count, std::uint64_t seed) const {
        return make_stage(*this, static_cast<index_t>(count), seed);
    }
    template <typename... A>
    requires HasRefused<A...> Refusal operator()(const A&...) const { return {}; }
    PURVIEW_REFUSED("the tensor comes first, then how many places, then the seed that decides "
                    "which: sample(x, count, seed)",
                    operator()(AnyArgument, AnyArgument = {}, AnyArgument = {}) const);

private:
    PURVIEW_EXPORT static index_t length_of(const TensorHandle& x);
};
inline constexpr SampleFunction sample;

/// Keeps a random sample of `count` of the elements that it is given, each with the same
/// probability, without knowing their number in advance (Vitter's algorithm R, 1985).
template <ElementType T>
class Reservoir {
public:
    /// Throws `ShapeError` for a negative count.
    Reservoir(index_t count, std::uint64_t seed) : count_(count), random_(seed) {
        if (count < 0) throw_negative_count("Reservoir", count);
    }

    void add(T element) {
        ++seen_;
        if (std::ssize(elements_) < count_) {
            elements_.push_back(std::move(element));
        } else if (const index_t place = random_.below(seen_); place < count_) {
            elements_[static_cast<std::size_t>(place)] = std::move(element);
        }
    }
    /// The number of elements it has been given.
    index_t seen() const noexcept { return seen_; }
    const std::vector<T>& elements() const noexcept { return elements_; }

private:
    index_t count_;
    index_t seen_ = 0;
    RandomBits random_;
    std::vector<T> elements_;
};

/// What lazy random numbers are made of: a number, or a symbol of an integer, of rank 0.
///
/// In a function that a computation traces, a number stays that of the trace, and each call gives
/// the same random numbers; a symbol, an argument of the function, has its own at each call, and
/// gives what that number does. Throws `ShapeError`, `DtypeError` for other symbols.
class Seed {
public:
    template <std::convertible_to<std::uint64_t> N>
    Seed(const N& number)
        : operand_(constant_operand<std::uint64_t>(static_cast<std::uint64_t>(number))) {}
    template <typename S>
        requires(kDefersReductions<S>)
    Seed(const S& symbol) : Seed(symbol.operand()) {}
    PURVIEW_EXPORT explicit Seed(const Operand& symbol);

    const Operand& operand() const noexcept { return operand_; }

private:
    Operand operand_; ///< uint64, of rank 0; a `Constant` for a number
};
template <typename S>
concept SeedLike = std::convertible_to<const S&, Seed>;
/// Random numbers of a seed: a `Tensor`, of a symbol a `Symbol`.
template <ElementType T, typename S>
using RandomTensor = ResultHandle<T, Tensor<T>, std::conditional_t<kDefersReductions<S>, S, T>>;

/// Lazy random numbers in [0, 1), of `shape`, in float32, if `dtype` is that, else in float64:
/// element i is computed from word i of the seed.
PURVIEW_EXPORT Operand random_operand(ShapeSpan shape, const Seed& seed, DType dtype);

/// The type of random numbers like those of a tensor.
template <typename X, typename T = ElementOrVoid<X>>
using RandomElement = std::conditional_t<std::is_void_v<T> || std::same_as<T, float>, T, double>;

/// `random_like(x, seed)`, or a stage: uniformly distributed numbers in [0, 1), in the shape of
/// `x`: of its type if that is float32, else float64. Lazy, O(1); every read gives the same
/// numbers. An element depends only on the seed, a number or symbol, and its row-major index, dims
/// first.
struct RandomLikeFunction : ElementwiseFunction {
    using ElementwiseFunction::operator();

    template <array_like X, SeedLike S>
    auto operator()(const X& given, const S& seed) const {
        const auto& x = tensor_for_call(given);
        if constexpr (HasDims<X> && !std::is_void_v<RandomElement<X>>) {
            auto bound = settled(dim_operand(x));
            bound.operand =
                random_operand(bound.operand.dims.max_shape(), seed, kDType<RandomElement<X>>);
            return ResultHandle<RandomElement<X>, X>(std::move(bound));
        } else if constexpr (kDefersReductions<S> && !std::is_void_v<RandomElement<X>>) {
            return RandomTensor<RandomElement<X>, S>(random_operand(x.shape(), seed, x.dtype()));
        } else {
            return as_tensor<RandomElement<X>>(random_operand(x.shape(), seed, x.dtype()));
        }
    }
    template <typename S>
        requires(StageNumber<S, std::uint64_t> || kDefersReductions<S>)
    auto operator()(const S& seed) const { return make_stage(*this, seed); }
};
inline constexpr RandomLikeFunction random_like;

/// Throws `Error` unless 0 <= rate < 1.
PURVIEW_EXPORT void check_dropout_rate(double rate);

/// `dropout(x, rate, seed)`, or a stage: 0 with probability `rate`, else `x / (1 - rate)`, so that
/// the expected value of sums does not change. Lazy; a seed always drops the same elements: in a
/// function that is traced, a number at each call, a symbol (`Seed`) those of its number. For
/// float32 and float64. Throws `Error` unless 0 <= rate < 1, `DtypeError`.
struct DropoutFunction : ElementwiseFunction {
    using ElementwiseFunction::operator();

    template <array_like X, SeedLike S>
        requires(std::is_void_v<ElementOrVoid<std::remove_cvref_t<X>>> ||
                 std::floating_point<ElementOrVoid<std::remove_cvref_t<X>>>)
    auto operator()(X&& given, double rate, const S& seed) const {
        check_dropout_rate(rate);
        const auto x = as_tensor(std::forward<X>(given));
        if constexpr (!TypedTensor<decltype(x)>) {
            return AnyTensor(x.dtype() == float32
                                 ? AnyTensor((*this)(x.template as<float>(), rate, seed))
                                 : AnyTensor((*this)(x.template as<double>(), rate, seed)));
        } else {
            using T = typename decltype(x)::value_type;
            return where(random_like(x, seed) < static_cast<T>(rate), T{0},
                         x * static_cast<T>(1 / (1 - rate)));
        }
    }
    template <StageNumber<double> N, SeedLike S>
    auto operator()(const N& rate, const S& seed) const {
        return make_stage(*this, static_cast<double>(rate), seed);
    }
};
inline constexpr DropoutFunction dropout;

// Lazy samples of distributions. Element i, in row-major order, is a function of the seed and of i
// alone: it does not depend on how it is read, on the machine or on the number of threads, and can
// be computed without the elements before it. The comments below define exactly what is computed
// from the word w = `random_word(seed, i)` (base/random_bits.hpp), by additions, multiplications,
// divisions and square roots, which all machines round alike. Tensors of one seed use the same
// words, and so are correlated: give each tensor its own seed. Of a symbol as the seed (`Seed`) they
// are symbols; a number stays that of the trace.

/// The quantile function of the standard normal distribution (mean 0, deviation 1): Wichura's
/// algorithm AS 241, PPND16 (Applied Statistics 37, 1988), to 16 digits. Precondition: 0 < share <
/// 1.
PURVIEW_EXPORT double normal_quantile(double share) noexcept;
/// The logarithm of a normal (not subnormal) number in (0, 1], the same on every machine, to 2 ulp:
/// 2 atanh(s) by its series up to s^23, plus a multiple of the logarithm of 2.
PURVIEW_EXPORT double portable_log(double x) noexcept;

PURVIEW_EXPORT Operand normal_operand(ShapeSpan shape, const Seed& seed, double average,
                                      double deviation, DType dtype);
PURVIEW_EXPORT Operand exponential_operand(ShapeSpan shape, const Seed& seed, double scale,
                                           DType dtype);
PURVIEW_EXPORT Operand poisson_operand(ShapeSpan shape, const Seed& seed, double rate);

/// `random_uniform({3, 4}, seed)`: uniformly distributed numbers in [0, 1), in float64 or,
/// `random_uniform<float>({3, 4}, seed)`, in float32; the same as `random_like` gives. Lazy, O(1).
/// Throws `ShapeError`.
template <std::floating_point T = double, SeedLike S>
RandomTensor<T, S> random_uniform(AxisValues shape, const S& seed) {
    return RandomTensor<T, S>(random_operand(shape, seed, kDType<T>));
}

/// `random_normal({3, 4}, seed, average, deviation)`: normally distributed numbers: average +
/// deviation · `normal_quantile`(((w >> 12) + 1/2) / 2^52), at most 8.2 deviations from the
/// average. In float64, or rounded to float32. Lazy, O(1). Throws `ShapeError`, `Error` unless
/// average and deviation are finite and the deviation is not negative.
template <std::floating_point T = double, SeedLike S>
RandomTensor<T, S> random_normal(AxisValues shape, const S& seed, double average = 0,
                                 double deviation = 1) {
    return RandomTensor<T, S>(normal_operand(shape, seed, average, deviation, kDType<T>));
}

/// `random_exponential({3, 4}, seed, scale)`: exponentially distributed numbers with mean `scale`:
/// -scale · `portable_log`(((w >> 11) + 1) / 2^53), at most 36.8 · scale. In float64, or rounded to
/// float32. Lazy, O(1). Throws `ShapeError`, `Error` unless the scale is finite and not negative.
template <std::floating_point T = double, SeedLike S>
RandomTensor<T, S> random_exponential(AxisValues shape, const S& seed, double scale = 1) {
    return RandomTensor<T, S>(exponential_operand(shape, seed, scale, kDType<T>));
}

/// `random_poisson({3, 4}, seed, rate)`: Poisson-distributed int64 numbers with mean `rate`: the
/// smallest k at which the sum of the probabilities up to k exceeds (w >> 11) / 2^53; probabilities
/// below 2^-70 of the greatest are left out. Lazy; O(sqrt(rate)) to compose, for a table. Throws
/// `ShapeError`, `Error` unless 0 <= rate <= 2^32.
template <SeedLike S>
RandomTensor<std::int64_t, S> random_poisson(AxisValues shape, const S& seed, double rate) {
    return RandomTensor<std::int64_t, S>(poisson_operand(shape, seed, rate));
}

/// How `choice` draws.
struct ChoiceOptions {
    bool replace = true; ///< whether one place may be drawn several times
    std::optional<AnyTensor>
        weights{}; ///< the probability of each place, up to a common factor: numbers, of rank 1
};

/// `argchoice(n, count, seed)`: indexes in [0, n), equally likely, with repetition;
/// `argchoice(n, count, seed, {.replace = false})`: without repetition, as `argsample` gives;
/// `argchoice(n, count, seed, {.weights = w})`: with probabilities proportional to the weights.
/// int64 in memory.
///
/// Draw i uses the word w = `random_word(seed, i)` (base/random_bits.hpp): the result is the upper
/// 64 bits of w · n, uniform up to n / 2^64; with weights, the first index at which the running sum
/// of weights exceeds (w >> 11) / 2^53 of their total. Without repetition but with weights, the
/// results are the indexes with the smallest -`portable_log`(((w >> 11) + 1) / 2^53) / weight, w
/// being the word with the number of the index, in that order (Efraimidis and Spirakis, "Weighted
/// random sampling with a reservoir", 2006). The same on every machine. O(count), O(n + count log
/// n) with weights. Throws `ShapeError` for a negative count, without repetition for a count
/// greater than the number of indexes (of positive weight), and for a number of weights other than
/// n; `Error` for weights that are negative, not finite, or all 0.
PURVIEW_EXPORT MutableTensor<std::int64_t> argchoice(index_t n, index_t count, std::uint64_t seed,
                                                     const ChoiceOptions& options = {});

#define PURVIEW_NO_CHOICE                                                                   \
 "the tensor comes first, then how many places, the seed that decides which, and options: " \
 "choice(x, count, seed, {.replace = false, .weights = w})"
/// `choice(x, count, seed)`, `choice(x, count, seed, {.replace = false, .weights = w})`, or a
/// stage: places along the first axis of `x`, drawn as by `argchoice`, as a read-only view.
/// O(count). Throws as `argchoice`, and `ShapeError` for rank 0.
struct ChoiceFunction {
    template <array_like X>
        requires(!HasDims<std::remove_cvref_t<X>>)
    auto operator()(X&& given, index_t count, std::uint64_t seed,
                    const ChoiceOptions& options = {}) const {
        const auto x = as_tensor(std::forward<X>(given));
        using Handle = std::remove_const_t<decltype(x)>;
        return ReadOnly<Handle>(x(argchoice(length_of(x), count, seed, options), ellipsis));
    }
    auto operator()(index_t count, std::uint64_t seed, const ChoiceOptions& options = {}) const {
        return make_stage(*this, count, seed, options);
    }
    template <typename... A>
    requires HasRefused<A...> Refusal operator()(const A&...) const { return {}; }
    PURVIEW_REFUSED(PURVIEW_NO_CHOICE, operator()(AnyArgument, AnyArgument = {}, AnyArgument = {},
                                                  AnyArgument = {}) const);

private:
    PURVIEW_EXPORT static index_t length_of(const AnyTensor& x);
};
inline constexpr ChoiceFunction choice;
#undef PURVIEW_NO_CHOICE

} // namespace purview
