#pragma once

#include <purview/functional/applied/random.hpp>

#include <cstdint>
#include <optional>

namespace purview {

/// How `choice` draws.
struct ChoiceOptions {
    bool replace = true; ///< whether one place may be drawn several times
    std::optional<AnyTensor>
        weights{}; ///< how likely each place is, in proportion: one axis of numbers
};

/// `argchoice(n, count, seed)`: indexes in [0, n), each as likely, any number of times; `argchoice(n, count, seed, {.replace = false})`: different ones,
/// what `argsample` gives; `argchoice(n, count, seed, {.weights = w})`: each as likely as its weight is, in proportion to the sum. int64 in memory.
///
/// Draw i is made of word w = `random_word(seed, i)` (base/random_bits.hpp): the upper 64 bits of w · n, even to n / 2^64; with weights, the first
/// index up to which weights add up, in order, to more than (w >> 11) / 2^53 of their sum. Different ones with weights are those with the least
/// -`portable_log`(((w >> 11) + 1) / 2^53) / weight, w being word i of index i, in that order (Efraimidis and Spirakis, "Weighted random sampling with a
/// reservoir", 2006). The same on every machine. O(count), O(n + count log n) with weights. Throws `ShapeError` for a negative count, for more different
/// indexes than there are (of a weight above 0), for another number of weights than n; `Error` for weights that are negative, not finite, or
/// all 0.
PURVIEW_EXPORT MutableTensor<std::int64_t> argchoice(index_t n, index_t count, std::uint64_t seed,
                                                     const ChoiceOptions& options = {});

/// `choice(x, count, seed)`, `choice(x, count, seed, {.replace = false, .weights = w})`: places along the first axis of `x`, drawn as `argchoice` says, as a
/// view that can be read; or a stage. O(count). Throws as `argchoice`, and `ShapeError` for rank 0.
struct ChoiceFunction {
    using Options = ChoiceOptions;

    template <TensorLike X>
        requires(!HasDims<X>)
    auto operator()(const X& x, index_t count, std::uint64_t seed,
                    const ChoiceOptions& options = {}) const {
        return ReadOnly<X>(x(argchoice(length_of(x), count, seed, options), ellipsis));
    }
    auto operator()(index_t count, std::uint64_t seed, const ChoiceOptions& options = {}) const {
        return later(*this, count, seed, options);
    }

    /// Of any other call: what it takes.
    static constexpr bool kSaysWhatItTakes = true;
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
