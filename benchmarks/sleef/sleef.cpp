/// SLEEF called directly, vector by vector, from existing memory into existing memory: its functions
/// that are at most 1 ulp off.

#include "../support/cases.hpp"
#include "../support/memory.hpp"

#if defined(__AVX512F__)
# include <immintrin.h>
# include <sleef.h>

namespace {

using namespace bench;

struct Lanes {
    static constexpr std::size_t kBytes = 64;
    static __m512d load(const double* at) { return _mm512_loadu_pd(at); }
    static __m512 load(const float* at) { return _mm512_loadu_ps(at); }
    static void store(double* at, __m512d x) { _mm512_storeu_pd(at, x); }
    static void store(float* at, __m512 x) { _mm512_storeu_ps(at, x); }
};

template <typename T, typename F>
void add_function(const char* name, const char* dtype, std::size_t n, F function) {
    add(case_name(name, std::to_string(n), dtype), [=] {
        const auto x = allocate<T>(n);
        const auto out = allocate<T>(n);
        fill_positive(x.get(), n, 1);
        const auto run = [=] {
            constexpr std::size_t kLanes = Lanes::kBytes / sizeof(T);
            const T* const in = x.get();
            T* const to = out.get();
            std::size_t i = 0;
            for (; i + kLanes <= n; i += kLanes)
                Lanes::store(to + i, function(Lanes::load(in + i)));
            T last[kLanes] = {};
            for (std::size_t k = 0; i + k < n; ++k) last[k] = in[i + k];
            Lanes::store(last, function(Lanes::load(last)));
            for (std::size_t k = 0; i + k < n; ++k) to[i + k] = last[k];
        };
        return Task{run, [=] { return summary_of(out.get(), n); }};
    });
}

const Cases transcendental([] {
    for (const std::size_t n : {10'000'000, 1'000}) {
        add_function<double>("exp", "float64", n,
                             [](__m512d x) { return Sleef_expd8_u10avx512f(x); });
        add_function<double>("log", "float64", n,
                             [](__m512d x) { return Sleef_logd8_u10avx512f(x); });
        add_function<double>("sin", "float64", n,
                             [](__m512d x) { return Sleef_sind8_u10avx512f(x); });
        add_function<double>("tanh", "float64", n,
                             [](__m512d x) { return Sleef_tanhd8_u10avx512f(x); });
        add_function<double>("pow", "float64", n, [](__m512d x) {
            return Sleef_powd8_u10avx512f(x, _mm512_set1_pd(2.5));
        });
        add_function<float>("exp", "float32", n,
                            [](__m512 x) { return Sleef_expf16_u10avx512f(x); });
        add_function<float>("log", "float32", n,
                            [](__m512 x) { return Sleef_logf16_u10avx512f(x); });
        add_function<float>("sin", "float32", n,
                            [](__m512 x) { return Sleef_sinf16_u10avx512f(x); });
        add_function<float>("tanh", "float32", n,
                            [](__m512 x) { return Sleef_tanhf16_u10avx512f(x); });
        add_function<float>("pow", "float32", n, [](__m512 x) {
            return Sleef_powf16_u10avx512f(x, _mm512_set1_ps(2.5F));
        });
    }
});

} // namespace
#endif
