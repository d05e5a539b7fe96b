/// Filters and orders: compression by AVX-512 where it is there, else a loop without a branch; digits of 11 bits.

#include "inputs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#if defined(__AVX512F__)
# include <immintrin.h>
#endif

namespace {

using namespace bench;
using Index = std::int64_t;

/// Into memory for all of them; returns how many there are.
std::size_t filter(const double* x, std::size_t count, Index* out) {
#if defined(__AVX512F__)
    const __m512d limit = _mm512_set1_pd(0.5);
    const __m512i eight = _mm512_set1_epi64(8);
    __m512i indexes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    Index* next = out;
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const __mmask8 chosen = _mm512_cmp_pd_mask(_mm512_loadu_pd(x + i), limit, _CMP_GT_OQ);
        _mm512_storeu_si512(next, _mm512_maskz_compress_epi64(chosen, indexes));
        next += std::popcount(static_cast<unsigned>(chosen));
        indexes = _mm512_add_epi64(indexes, eight);
    }
    auto found = static_cast<std::size_t>(next - out);
#else
    std::size_t i = 0;
    std::size_t found = 0;
#endif
    for (; i < count; ++i) {
        out[found] = static_cast<Index>(i);
        found += x[i] > 0.5;
    }
    return found;
}

/// Keys and indexes, the lowest digit first.
void sort_indexes(const double* x, std::size_t count, Index* out) {
    struct Pair {
        std::uint64_t key;
        std::uint32_t index;
    };
    constexpr std::size_t kDigits = 6;
    constexpr std::size_t kValues = 2048;
    std::vector<Pair> from(count);
    std::vector<Pair> to(count);
    std::vector<std::array<std::uint32_t, kValues>> counts(kDigits);
    const auto digit = [](std::uint64_t key, std::size_t d) {
        return static_cast<std::size_t>(key >> 11 * d & (kValues - 1));
    };
    for (std::size_t i = 0; i < count; ++i) {
        const auto bits = std::bit_cast<std::uint64_t>(x[i]);
        const std::uint64_t key = bits >> 63 != 0 ? ~bits : bits | std::uint64_t{1} << 63;
        from[i] = {key, static_cast<std::uint32_t>(i)};
        for (std::size_t d = 0; d < kDigits; ++d) ++counts[d][digit(key, d)];
    }
    for (std::size_t d = 0; d < kDigits; ++d) {
        std::uint32_t place = 0;
        for (std::uint32_t& each : counts[d]) place += std::exchange(each, place);
        for (const Pair& pair : from) to[counts[d][digit(pair.key, d)]++] = pair;
        std::swap(from, to);
    }
    for (std::size_t i = 0; i < count; ++i) out[i] = from[i].index;
}

const Cases index_space([] {
    add("argfilter/10000000/float64", [] {
        constexpr std::size_t kCount = 10'000'000;
        const auto x = random_memory<double>(kCount, 1);
        const auto out = allocate<Index>(kCount + 8);
        return Task{[=] { return filter(x.get(), kCount, out.get()); },
                    [=] { return summary_of(out.get(), filter(x.get(), kCount, out.get())); }};
    });
    add("argsort/1000000/float64", [] {
        constexpr std::size_t kCount = 1'000'000;
        const auto x = random_memory<double>(kCount, 1);
        return into<Index>(kCount, [=](Index* out) { sort_indexes(x.get(), kCount, out); });
    });
    add("searchsorted/1000000/float64", [] {
        constexpr std::size_t kCount = 1'000'000;
        const auto sorted = random_memory<double>(kCount, 1);
        std::sort(sorted.get(), sorted.get() + kCount);
        const auto x = random_memory<double>(kCount, 2);
        return into<Index>(kCount, [=](Index* out) {
            const double* const first = sorted.get();
            for (std::size_t i = 0; i < kCount; ++i)
                out[i] = std::lower_bound(first, first + kCount, x[i]) - first;
        });
    });
});

} // namespace
