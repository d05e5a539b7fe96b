#include <purview/base/errors.hpp>
#include <purview/functional/applied/random.hpp>
#include <purview/tensor/as_span.hpp>

#include <fmt/format.h>

#include <unordered_map>

namespace purview {
namespace {

/// If at most one in this many indexes is drawn, the shuffled list is represented by the entries
/// that have moved.
constexpr index_t kSparse = 16;

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
        for (index_t i = 0; i < count; ++i) {
            const index_t drawn = i + random.below(n - i);
            const auto here = moved.find(i);
            const index_t first = here == moved.end() ? i : here->second;
            const auto there = moved.try_emplace(drawn, drawn).first;
            out[i] = drawn == i ? first : there->second;
            there->second = first;
        }
        return result;
    }
    std::vector<index_t> list(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = static_cast<index_t>(i);
    for (index_t i = 0; i < count; ++i) {
        const index_t drawn = i + random.below(n - i);
        std::swap(list[static_cast<std::size_t>(i)], list[static_cast<std::size_t>(drawn)]);
        out[i] = list[static_cast<std::size_t>(i)];
    }
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

} // namespace purview
