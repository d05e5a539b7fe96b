#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/same_bits.hpp>
#include <support/sanitizers.hpp>
#include <support/settings.hpp>

#include <purview/fft/fft.hpp>
#include <purview/purview.hpp>

#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <type_traits>
#include <vector>

namespace fft_lanes_test {

namespace {

namespace pv = purview;
using oracle::Random;
using pv::index_t;
using Wide = std::complex<long double>;

/// Element k of the definition.
template <typename T>
Wide element(const std::vector<T>& x, index_t points, index_t k, int sign) {
    Wide sum;
    for (index_t j = 0; j < std::min(points, static_cast<index_t>(x.size())); ++j)
        sum += Wide(x[static_cast<std::size_t>(j)]) *
               std::polar<long double>(1, sign * 2 * std::numbers::pi_v<long double> *
                                              static_cast<long double>(j * k % points) /
                                              static_cast<long double>(points));
    return sum;
}
/// Of elements between -1 and 1 with parts of T.
template <typename T>
double tolerance(index_t points) {
    const auto n = static_cast<double>(points);
    return (std::is_same_v<T, float> ? 3e-7 : 1e-15) * std::log2(n + 1) * std::sqrt(n);
}

template <typename E>
pv::MutableTensor<E> random_elements(const pv::Shape& shape, unsigned seed) {
    using T = typename pv::PartOfComplex<E>::type;
    const auto part = [&](unsigned s) {
        return pv::clone(pv::random_uniform(shape, s) * 2. - 1. | pv::cast<T>);
    };
    if constexpr (std::is_same_v<E, T>)
        return part(seed);
    else
        return pv::clone(part(seed) + part(seed + 100) * E(0, 1));
}

} // namespace

TEMPLATE_TEST_CASE("lanes of any length, matrices too, are the definition", "", float, double) {
    using T = TestType;
    using Complex = std::complex<T>;
    // Powers of two, divisors alone that are odd, primes, prime factors, matrices (from 2,048 on, multiples of 64).
    for (const index_t points : {1, 2, 7, 32, 97, 100, 1000, 1024, 1031, 2048, 2047, 2112, 3000,
                                 4096, 4160, 4099, 6400, 64 * 61, 16384}) {
        CAPTURE(points);
        const auto x = random_elements<Complex>({points}, 1);
        const auto real = random_elements<T>({points}, 2);
        const auto values = pv::to_vector(x);
        const auto reals = pv::to_vector(real);
        const pv::Tensor<Complex> forward = pv::fft(x), inverse = pv::ifft(x);
        const pv::Tensor<Complex> whole = pv::fft(real), half = pv::rfft(real),
                                  back = pv::ifft(real);
        CHECK(half.size() == points / 2 + 1);
        const double near = tolerance<T>(points);
        const index_t step = 1 + points / (UNDER_A_SANITIZER ? 5 : 23);
        for (index_t k = 0; k < points; k += step) {
            CAPTURE(k);
            const auto n = static_cast<long double>(points);
            CHECK(std::abs(Wide(forward(k)) - element(values, points, k, -1)) <= near);
            CHECK(std::abs(Wide(inverse(k)) * n - element(values, points, k, 1)) <= near);
            const Wide right = element(reals, points, k, -1);
            CHECK(std::abs(Wide(whole(k)) - right) <= near);
            CHECK(std::abs(Wide(back(k)) * n - std::conj(right)) <= near);
            if (k < half.size()) CHECK(std::abs(Wide(half(k)) - right) <= near);
        }
        const auto again = pv::to_vector(pv::irfft(half, {.length = points}));
        for (index_t i = 0; i < points; i += step)
            CHECK(std::abs(again[static_cast<std::size_t>(i)] - real(i)) <= near);
    }
}

TEMPLATE_TEST_CASE("a lane has the same bits beside any others, on any number of threads", "",
                   std::complex<float>, std::complex<double>, float, double) {
    using E = TestType;
    using T = typename pv::PartOfComplex<E>::type;
    using Complex = std::complex<T>;
    Random random(3);
    const oracle::Threads restored(1);
    for (int round = 0; round < oracle::rounds(40); ++round) {
        const index_t points =
            random.one_in(2) ? random.between(1, 70) : 2048 + 64 * random.between(0, 8);
        const index_t outer = random.between(1, 5), inner = random.between(1, 11);
        const auto x = random_elements<E>({outer, points, inner}, static_cast<unsigned>(round));
        const index_t length = random.one_in(2) ? points : random.between(1, 2 * points);
        const pv::FftOptions options{.norm = pv::FftNorm::ortho, .length = length};
        CAPTURE(points, outer, inner, length);
        pv::set_threads(1);
        const pv::Tensor<Complex> all = pv::fft(x, 1, options);
        REQUIRE(all.shape() == pv::Shape{outer, length, inner});
        for (const int threads : {2, 4}) {
            pv::set_threads(threads);
            oracle::expect_same_bits<Complex>(pv::fft(x, 1, options), all);
            const index_t o = random.between(0, outer - 1), i = random.between(0, inner - 1);
            const auto alone = pv::fft(x(o, pv::all, i), options);
            oracle::expect_same_bits<Complex>(alone, all(o, pv::all, i));
            // Along the last axis, of what lies in any order.
            const auto turned = pv::fft(pv::transpose(x, {2, 0, 1}), 2, options);
            oracle::expect_same_bits<Complex>(turned(i, o, pv::all), all(o, pv::all, i));
            const auto halved = pv::irfft(x, 1, options);
            oracle::expect_same_bits<T>(pv::irfft(x(o, pv::all, i), options),
                                        halved(o, pv::all, i));
            if constexpr (std::is_same_v<E, T>)
                oracle::expect_same_bits<Complex>(pv::rfft(x, 1, options),
                                                  all(pv::all, pv::range(0, length / 2 + 1)));
        }
    }
}

TEST_CASE("transforms have the precision of what they are of") {
    const auto narrow = pv::tensor({1.F, 2.F, 4.F});
    static_assert(
        std::is_same_v<decltype(pv::fft(narrow)), pv::MutableTensor<std::complex<float>>>);
    static_assert(std::is_same_v<decltype(pv::irfft(narrow)), pv::MutableTensor<float>>);
    CHECK(pv::fft(narrow)(0) == std::complex<float>(7));
    const pv::AnyTensor some = pv::fft(pv::AnyTensor(narrow));
    CHECK(some.dtype() == pv::kDType<std::complex<float>>);
    CHECK(pv::irfft(some).dtype() == pv::kDType<float>);
    CHECK(pv::fftn(pv::AnyTensor(pv::tensor({1, 2}))).dtype() == pv::kDType<std::complex<double>>);
    CHECK(pv::to_vector(pv::irfft(pv::rfft(narrow), {.length = 3})) == pv::to_vector(narrow));
}

} // namespace fft_lanes_test
