#pragma once

#include "../support/cases.hpp"
#include "../support/memory.hpp"

#if defined(__SSE2__)
# include <emmintrin.h>
#endif
#include <array>
#include <cstring>

namespace bench {

template <typename T>
Memory<T> random_memory(std::size_t count, std::uint64_t seed, T scale = T{1}) {
    const auto memory = allocate<T>(count);
    fill_random(memory.get(), count, seed, scale);
    return memory;
}

/// A task that writes `count` elements to existing memory.
template <typename T, typename Run>
auto into(std::size_t count, Run run) {
    const auto out = allocate<T>(count);
    return Task{[=] { run(out.get()); }, [=] { return summary_of(out.get(), count); }};
}

template <typename Run>
auto number(Run run) {
    return Task{run, [=] { return Summary{static_cast<double>(run())}; }};
}

/// The sum of term(i), over `kLanes` accumulators.
template <typename T, typename Term>
T sum_of(std::size_t count, Term term) {
    constexpr std::size_t kLanes = 256 / sizeof(T);
    std::array<T, kLanes> sums{};
    const std::size_t whole = count / kLanes * kLanes;
    for (std::size_t i = 0; i < whole; i += kLanes)
        for (std::size_t k = 0; k < kLanes; ++k) sums[k] += term(i + k);
    T sum{};
    for (std::size_t i = whole; i < count; ++i) sum += term(i);
    for (const T lane : sums) sum += lane;
    return sum;
}

/// Writes one cache line past the caches, where the machine can. Both pointers are aligned to 16 bytes.
inline void stream_line(void* destination, const void* line) {
#if defined(__SSE2__)
    for (int k = 0; k < 4; ++k)
        _mm_stream_si128(static_cast<__m128i*>(destination) + k,
                         _mm_load_si128(static_cast<const __m128i*>(line) + k));
#else
    std::memcpy(destination, line, 64);
#endif
}

/// After streaming, before anybody else reads.
inline void finish_streaming() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

} // namespace bench
