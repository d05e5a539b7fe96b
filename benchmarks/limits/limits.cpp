/// What memory allows: reading, copying, filling and the triad a = b + s·c, in working sets that fit
/// each cache and in one that fits none. Names are `OPERATION/LEVEL/float64`; the time is for the
/// bytes that driver/limits.py says. The best of plain and streaming stores counts.

#include "../hand/inputs.hpp"

#include <algorithm>
#include <functional>
#include <thread>
#include <vector>

#if defined(__AVX512F__) || defined(__AVX2__)
# include <immintrin.h>
#endif

namespace {

using namespace bench;

struct Arrays {
    double* a;
    const double* b;
    const double* c;
};
using Kernel = double (*)(const Arrays&, std::size_t begin, std::size_t end);

double read(const Arrays& arrays, std::size_t begin, std::size_t end) {
    constexpr std::size_t kLanes = 64;
    double sums[kLanes] = {};
    const double* const b = arrays.b;
    for (std::size_t i = begin; i < end; i += kLanes)
        for (std::size_t k = 0; k < kLanes; ++k) sums[k] += b[i + k];
    double sum = 0;
    for (const double lane : sums) sum += lane;
    return sum;
}

double copy(const Arrays& arrays, std::size_t begin, std::size_t end) {
    std::memcpy(arrays.a + begin, arrays.b + begin, (end - begin) * sizeof(double));
    return 0;
}

double copy_streaming(const Arrays& arrays, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; i += 8) {
#if defined(__AVX512F__)
        _mm512_stream_pd(arrays.a + i, _mm512_load_pd(arrays.b + i));
#else
        stream_line(arrays.a + i, arrays.b + i);
#endif
    }
    finish_streaming();
    return 0;
}

double fill(const Arrays& arrays, std::size_t begin, std::size_t end) {
    alignas(64) const double line[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    if ((end - begin) * sizeof(double) < (std::size_t{32} << 20)) {
        std::fill(arrays.a + begin, arrays.a + end, 1.0);
    } else {
        for (std::size_t i = begin; i < end; i += 8) stream_line(arrays.a + i, line);
        finish_streaming();
    }
    return 0;
}

double triad(const Arrays& arrays, std::size_t begin, std::size_t end) {
    double* __restrict a = arrays.a;
    for (std::size_t i = begin; i < end; ++i) a[i] = arrays.b[i] + 3 * arrays.c[i];
    return 0;
}

/// One kernel on its share of the arrays per thread. Threads are made for each run of all repetitions,
/// so that their start does not count: each makes `rounds` passes.
double run(Kernel kernel, const Arrays& arrays, std::size_t count, std::size_t rounds) {
    const auto share = [=](std::size_t part) {
        const auto parts = static_cast<std::size_t>(threads());
        const std::size_t step = count / parts / 64 * 64;
        double sum = 0;
        for (std::size_t round = 0; round < rounds; ++round) {
            sum += kernel(arrays, part * step, part + 1 == parts ? count : (part + 1) * step);
            benchmark::ClobberMemory();
        }
        return sum;
    };
    std::vector<std::jthread> others;
    for (std::size_t part = 1; part < static_cast<std::size_t>(threads()); ++part)
        others.emplace_back([=] { benchmark::DoNotOptimize(share(part)); });
    return share(0);
}

/// `bytes` is the working set; a run makes at least 64 MB of traffic, in `rounds` passes.
void add_limit(const char* operation, Kernel kernel, std::size_t arrays_used, const char* level,
               std::size_t bytes, std::size_t rounds) {
    add(case_name(operation, level, "float64"), [=] {
        const std::size_t count = bytes / sizeof(double) / arrays_used / 256 * 256;
        const auto a = random_memory<double>(count, 1);
        const auto b = random_memory<double>(count, 2);
        const auto c = random_memory<double>(count, 3);
        return Task{[=] {
                        return run(kernel, {a.get(), b.get(), c.get()}, count, rounds);
                    },
                    [=] { return Summary{static_cast<double>(count * sizeof(double) * rounds)}; }};
    });
}

const Cases limits([] {
    struct Level {
        const char* name;
        std::size_t bytes;
    };
    const std::size_t kib = 1024, mib = 1024 * kib;
    for (const Level level : {Level{"L1", 24 * kib}, Level{"L2", 512 * kib}, Level{"L3", 8 * mib},
                              Level{"DRAM", 256 * mib}}) {
        const std::size_t rounds = std::max<std::size_t>(1, 64 * mib / level.bytes);
        const auto each = [&](const char* operation, Kernel kernel, std::size_t arrays) {
            add_limit(operation, kernel, arrays, level.name, level.bytes, rounds);
        };
        each("read", read, 1);
        each("copy", copy, 2);
        each("copy_streaming", copy_streaming, 2);
        each("fill", fill, 1);
        each("triad", triad, 3);
    }
});

} // namespace
