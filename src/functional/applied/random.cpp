#include "functional/along/sorted_search.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/functional/along/sorting.hpp>
#include <purview/functional/applied/random.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/tensor/as_span.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <span>
#include <unordered_map>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// If at most one in this many indexes is drawn, the shuffled list is represented by the entries
/// that have moved.
constexpr index_t kSparse = 16;
/// So many draws take about a millisecond.
constexpr index_t kDrawsInPart = 1 << 16;

/// The weights of n indexes, after validation.
std::vector<double> weights_of_choice(const AnyTensor& given, index_t n) {
    if (given.rank() != 1 || given.size() != n)
        throw ShapeError(
            fmt::format("choice: weights of shape {} for {} places", to_string(given.shape()), n));
    const Tensor<double> held = in_memory<double>("choice", given.operand());
    const std::span<const double> weights = as_span(held);
    double total = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (!(weights[i] >= 0) || !std::isfinite(weights[i]))
            throw Error(fmt::format("choice: the weight {} at index {}", weights[i], i));
        total += weights[i];
    }
    if (!(total > 0) || !std::isfinite(total))
        throw Error(fmt::format("choice: the {} weights add up to {}", n, total));
    return {weights.begin(), weights.end()};
}

MutableTensor<std::int64_t> with_replacement(std::vector<double> weights, index_t count,
                                             std::uint64_t seed) {
    std::size_t last = 0;
    double total = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (weights[i] > 0) last = i;
        weights[i] = total += weights[i];
    }
    std::vector<double> places(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < places.size(); ++i)
        places[i] = static_cast<double>(static_cast<std::int64_t>(random_word(seed, i) >> 11)) *
                    0x1p-53 * total;
    MutableTensor<std::int64_t> result = empty<std::int64_t>({count});
    const auto out = as_span(result);
    SortedSearch<double, Side::right>(weights.data(), std::ssize(weights))
        .find(places.data(), count, out.data());
    // The rounded place may equal the sum of all weights.
    for (std::int64_t& index : out) index = std::min(index, static_cast<std::int64_t>(last));
    return result;
}

MutableTensor<std::int64_t> without_replacement(const std::vector<double>& weights, index_t count,
                                                std::uint64_t seed) {
    const auto possible = std::ssize(weights) - std::ranges::count(weights, 0.0);
    if (count > possible)
        throw ShapeError(fmt::format("choice: {} different places of {} with a weight above 0",
                                     count, possible));
    std::vector<double> times =
        to_vector(random_exponential({static_cast<index_t>(std::ssize(weights))}, seed));
    for (std::size_t i = 0; i < times.size(); ++i)
        times[i] = weights[i] > 0 ? times[i] / weights[i] : std::nan("");
    return arg_min_n(tensor(std::move(times)), count);
}

} // namespace

MutableTensor<std::int64_t> argshuffle(index_t n, std::uint64_t seed) {
    if (n < 0) throw_negative_count("argshuffle", n);
    return argsample(n, n, seed);
}

// Fisher and Yates: entry i of the list 0, 1, … is exchanged with a random one from i on. The list
// is stored completely, or only its moved entries.
MutableTensor<std::int64_t> argsample(index_t n, index_t count, std::uint64_t seed) {
    if (count < 0 || count > n)
        throw ShapeError(
            fmt::format("argsample: there are no {} different indexes below {}", count, n));
    MutableTensor<std::int64_t> result = empty<std::int64_t>({count});
    std::int64_t* const out = as_span(result).data();
    RandomBits random(seed);
    if (count <= n / kSparse) {
        std::unordered_map<index_t, index_t> moved;
        parallel_ranges(count, kDrawsInPart, 0, [&](index_t begin, index_t end) {
            for (index_t i = begin; i < end; ++i) {
                const index_t drawn = i + random.below(n - i);
                const auto here = moved.find(i);
                const index_t first = here == moved.end() ? i : here->second;
                const auto there = moved.try_emplace(drawn, drawn).first;
                out[i] = drawn == i ? first : there->second;
                there->second = first;
            }
        });
        return result;
    }
    const MutableTensor<std::int64_t> remaining = empty<std::int64_t>({n});
    std::int64_t* const list = as_span(remaining).data();
    parallel_ranges(n, kDrawsInPart, 0, [&](index_t begin, index_t end) {
        for (index_t i = begin; i < end; ++i) list[i] = i;
    });
    // On one thread, in order: in parts, between which progress is told of.
    parallel_ranges(count, kDrawsInPart, 0, [&](index_t begin, index_t end) {
        for (index_t i = begin; i < end; ++i) {
            const index_t drawn = i + random.below(n - i);
            std::swap(list[i], list[drawn]);
            out[i] = list[i];
        }
    });
    return result;
}

index_t SampleFunction::length_of(const TensorHandle& x) {
    if (x.rank() == 0) throw ShapeError("sample: a tensor of rank 0 has no axis to choose from");
    return x.extent(0);
}

void check_dropout_rate(double rate) {
    if (!(rate >= 0 && rate < 1))
        throw Error(fmt::format("dropout: the rate {} is not in [0, 1)", rate));
}

MutableTensor<std::int64_t> argchoice(index_t n, index_t count, std::uint64_t seed,
                                      const ChoiceOptions& options) {
    if (count < 0) throw_negative_count("choice", count);
    if (n < 0) throw_negative_count("choice", n);
    if (options.weights) {
        std::vector<double> weights = weights_of_choice(*options.weights, n);
        return options.replace ? with_replacement(std::move(weights), count, seed)
                               : without_replacement(weights, count, seed);
    }
    if (!options.replace) {
        if (count > n) throw ShapeError(fmt::format("choice: {} different places of {}", count, n));
        return argsample(n, count, seed);
    }
    if (n == 0 && count > 0) throw ShapeError(fmt::format("choice: {} places of none", count));
    MutableTensor<std::int64_t> result = empty<std::int64_t>({count});
    for (std::uint64_t i = 0; std::int64_t & index : as_span(result))
        index = static_cast<std::int64_t>(
            wide_multiply(random_word(seed, i++), static_cast<std::uint64_t>(n)).high);
    return result;
}

index_t ChoiceFunction::length_of(const AnyTensor& x) {
    if (x.rank() == 0) throw ShapeError("choice: a tensor of rank 0 has no axis to choose from");
    return x.extent(0);
}

} // namespace purview
