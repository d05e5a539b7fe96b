#pragma once

#include <purview/base/random_bits.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/plain_tensor.hpp>
#include <purview/tensor/result_handle.hpp>
#include <purview/tensor/stage.hpp>

#include <concepts>
#include <cstdint>
#include <utility>
#include <vector>

namespace purview {

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
    template <PlainOrOrdered X>
    auto operator()(const X& x, index_t count, std::uint64_t seed) const {
        return x(argsample(length_of(plain_tensor(x)), count, seed), ellipsis);
    }
    template <StageNumber<index_t> N>
    auto operator()(const N& count, std::uint64_t seed) const {
        return make_stage(*this, static_cast<index_t>(count), seed);
    }

    /// Rejects any other call with a message that says what it takes.
    static constexpr bool kHasRefusal = true;
    template <typename F>
    static void refuse() {
        static_assert(kRefused<F>, "the tensor comes first, then how many places, then the seed "
                                   "that decides which: sample(x, count, seed)");
    }

private:
    PURVIEW_EXPORT static index_t length_of(const TensorHandle& x);
};
inline constexpr AcceptingArrays<SampleFunction> sample;

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

/// A reader of random numbers in [0, 1): element i is computed from word i of the seed. Float32 or
/// float64.
template <std::floating_point T>
class RandomReader final : public Reader<T> {
public:
    RandomReader(index_t size, std::uint64_t seed) : size_(size), seed_(seed) {}
    index_t size() const noexcept override { return size_; }
    T read(index_t i) const override { return number(i); }
    void read_block(index_t begin, index_t step, std::span<T> out) const override {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = number(begin + static_cast<index_t>(i) * step);
    }

private:
    T number(index_t i) const noexcept {
        const std::uint64_t word = random_word(seed_, static_cast<std::uint64_t>(i));
        // As many bits as the type's fraction has, so that every number is exact and less than 1.
        if constexpr (sizeof(T) == 8)
            return static_cast<T>(static_cast<std::int64_t>(word >> 11)) * T{0x1p-53};
        else
            return static_cast<T>(static_cast<std::int32_t>(word >> 40)) * T{0x1p-24F};
    }

    index_t size_;
    std::uint64_t seed_;
};

/// Lazy random numbers in [0, 1), of `shape`, in float32 or float64.
template <std::floating_point T>
Operand random_operand(ShapeSpan shape, std::uint64_t seed) {
    Dimensions dims = Dimensions::row_major(shape);
    return tensor(std::make_shared<const RandomReader<T>>(dims.size(), seed), shape).operand();
}

/// `random_like(x, seed)`, or a stage: uniformly distributed numbers in [0, 1), in the shape of
/// `x`: of its type if that is float32, else float64. Lazy, O(1); every read gives the same
/// numbers. An element depends only on the seed and its row-major index, dims first.
struct RandomLikeFunction {
    template <TensorLike X>
    auto operator()(const X& x, std::uint64_t seed) const {
        if constexpr (!TypedTensor<X>) {
            return AnyTensor(x.dtype() == float32 ? random_operand<float>(x.shape(), seed)
                                                  : random_operand<double>(x.shape(), seed));
        } else {
            using R =
                std::conditional_t<std::same_as<typename X::value_type, float>, float, double>;
            if constexpr (HasDims<X>) {
                auto bound = settled(dim_operand(x));
                bound.operand = random_operand<R>(bound.operand.dims.max_shape(), seed);
                return ResultHandle<R, X>(std::move(bound));
            } else {
                return Tensor<R>(random_operand<R>(x.shape(), seed));
            }
        }
    }
    template <StageNumber<std::uint64_t> N>
    auto operator()(const N& seed) const {
        return make_stage(*this, static_cast<std::uint64_t>(seed));
    }
};
inline constexpr AcceptingArrays<RandomLikeFunction> random_like;

/// Throws `Error` unless 0 <= rate < 1.
PURVIEW_EXPORT void check_dropout_rate(double rate);

/// `dropout(x, rate, seed)`, or a stage: 0 with probability `rate`, else `x / (1 - rate)`, so that
/// the expected value of sums does not change. Lazy; a seed always drops the same elements. For
/// float32 and float64. Throws `Error` unless 0 <= rate < 1, `DtypeError`.
struct DropoutFunction {
    template <TensorLike X>
    auto operator()(const X& x, double rate, std::uint64_t seed) const {
        check_dropout_rate(rate);
        if constexpr (!TypedTensor<X>) {
            return AnyTensor(x.dtype() == float32
                                 ? AnyTensor((*this)(x.template as<float>(), rate, seed))
                                 : AnyTensor((*this)(x.template as<double>(), rate, seed)));
        } else {
            using T = typename X::value_type;
            static_assert(std::floating_point<T>, "dropout is defined for tensors of floats");
            return where(random_like(x, seed) < static_cast<T>(rate), T{0},
                         x * static_cast<T>(1 / (1 - rate)));
        }
    }
    template <StageNumber<double> N>
    auto operator()(const N& rate, std::uint64_t seed) const {
        return make_stage(*this, static_cast<double>(rate), seed);
    }
};
inline constexpr AcceptingArrays<DropoutFunction> dropout;

} // namespace purview
