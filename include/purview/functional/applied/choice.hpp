#pragma once

#include <purview/functional/applied/random.hpp>

#include <cstdint>
#include <optional>

namespace purview {

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

/// `choice(x, count, seed)`, `choice(x, count, seed, {.replace = false, .weights = w})`, or a
/// stage: places along the first axis of `x`, drawn as by `argchoice`, as a read-only view.
/// O(count). Throws as `argchoice`, and `ShapeError` for rank 0.
struct ChoiceFunction {
    using Options = ChoiceOptions;
    static constexpr std::size_t kBeforeOptions = 3;

    template <TensorLike X>
        requires(!HasDims<X>)
    auto operator()(const X& x, index_t count, std::uint64_t seed,
                    const ChoiceOptions& options = {}) const {
        return ReadOnly<X>(x(argchoice(length_of(x), count, seed, options), ellipsis));
    }
    auto operator()(index_t count, std::uint64_t seed, const ChoiceOptions& options = {}) const {
        return make_stage(*this, count, seed, options);
    }

    /// Rejects any other call with a message that says what it takes.
    static constexpr bool kHasRefusal = true;
    template <typename F>
    static void refuse() {
        static_assert(
            kRefused<F>,
            "the tensor comes first, then how many places, the seed that decides which, and "
            "options: choice(x, count, seed, {.replace = false, .weights = w})");
    }

private:
    PURVIEW_EXPORT static index_t length_of(const AnyTensor& x);
};
inline constexpr AcceptingArrays<ChoiceFunction> choice;

} // namespace purview
