#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/same_bits.hpp>
#include <support/settings.hpp>
#include <support/stored_chunks.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/fft/fft.hpp>
#include <purview/purview.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace large_fft_test {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::MemoryLimit;
using oracle::Random;
using oracle::Twins;
using pv::index_t;
using Complex = std::complex<double>;

template <typename T>
T element(std::mt19937& random) {
    if constexpr (pv::BuiltinType<T>)
        return static_cast<T>(random() % 100);
    else
        return T(static_cast<float>(random() % 2001) / 8 - 125,
                 static_cast<float>(random() % 2001) / 8 - 125);
}

template <typename T>
Twins<T> twins_of(const pv::Shape& shape, const pv::Shape& chunk, unsigned seed) {
    return {shape, chunk,
            [random = std::mt19937(seed)](index_t) mutable { return element<T>(random); }};
}

/// The root of the mean of the squares of differences, beside that of what is expected.
template <typename T>
double error(const pv::Tensor<T>& found, const pv::Tensor<T>& expected) {
    REQUIRE(pv::to_shape(found.shape()) == pv::to_shape(expected.shape()));
    const auto a = pv::to_vector(found);
    const auto b = pv::to_vector(expected);
    double difference = 0;
    double all = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference += std::norm(a[i] - b[i]);
        all += std::norm(b[i]);
    }
    return difference == 0 ? 0 : std::sqrt(difference / all);
}

pv::AnyTensor transformed(pv::Fourier kind, const pv::AnyTensor& x,
                          const std::vector<index_t>& axes, const pv::FftOptions& options) {
    return pv::AnyTensor(pv::fourier_operand("fftn", x.operand(), axes, kind, options));
}

/// Where both round, each has such an error.
template <typename T = double>
double tolerance(index_t points) {
    return (std::is_same_v<T, float> ? 1e-7 : 2e-16) *
           (2 + std::log2(static_cast<double>(std::max<index_t>(points, 2))));
}

void expect_near(const pv::AnyTensor& found, const pv::AnyTensor& expected, index_t points) {
    REQUIRE(found.dtype() == expected.dtype());
    const auto compare = [&]<typename T>(std::type_identity<T>) {
        using Part = typename pv::PartOfComplex<T>::type;
        if (found.dtype() == pv::kDType<T>)
            CHECK(error(found.as<T>(), expected.as<T>()) <= tolerance<Part>(points));
        return found.dtype() == pv::kDType<T>;
    };
    CHECK((compare(std::type_identity<double>()) || compare(std::type_identity<Complex>()) ||
           compare(std::type_identity<float>()) ||
           compare(std::type_identity<std::complex<float>>())));
}

TEMPLATE_TEST_CASE("transforms of random arrays in chunks within any limit", "", double, float,
                   std::int16_t, std::complex<float>, Complex) {
    using T = TestType;
    Random random(1);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        pv::Shape shape;
        pv::Shape chunk;
        const index_t rank = random.between(1, 3);
        for (index_t a = 0; a < rank; ++a) {
            // Some have no room in the least limits.
            const bool is_long = a == 0 && random.one_in(2);
            shape.push_back(is_long ? random.between(1, 30) * 60 : random.between(1, 12));
            chunk.push_back(random.between(shape.back() / 8 + 1, shape.back() + 1));
        }
        const auto twins = twins_of<T>(shape, chunk, static_cast<unsigned>(round));
        auto axes = oracle::random_axes(random, static_cast<std::size_t>(rank));
        if (axes.empty()) axes = {0};
        index_t points = 1;
        for (const index_t axis : axes) points *= shape[static_cast<std::size_t>(axis)];
        pv::FftOptions options{.norm = static_cast<pv::FftNorm>(random.between(0, 2))};
        if (random.one_in(3)) options.length = random.one_in(2) ? 600 : random.between(1, 30);
        for (const auto kind : {pv::Fourier::forward, pv::Fourier::inverse, pv::Fourier::of_real,
                                pv::Fourier::to_real}) {
            if (kind == pv::Fourier::of_real && !pv::BuiltinType<T>) continue;
            if (kind == pv::Fourier::to_real && !options.length) options.length = 24;
            const pv::AnyTensor right = transformed(kind, twins.memory, axes, options);
            const index_t limit =
                std::max(random.between(8, 60) << 10,
                         8 * index_t{sizeof(T)} * twins.stored->elements_per_chunk());
            const MemoryLimit limited(limit);
            CAPTURE(shape, chunk, oracle::text(axes), limit, static_cast<int>(kind),
                    options.length.value_or(0));
            expect_near(transformed(kind, twins.chunks, axes, options), right, 30 * points);
            CHECK(pv::chunk_statistics().peak_bytes <= limit);
        }
    }
}

TEST_CASE("transforms in slabs of whole lanes: bits of memory, each chunk read once") {
    const auto twins = twins_of<Complex>({48, 32, 64}, {8, 16, 64}, 2);
    const index_t all = twins.memory.size() * 16;
    for (const std::vector<index_t>& axes : {std::vector<index_t>{2}, {1}, {0}, {1, 2}}) {
        const auto right = pv::fftn(twins.memory, axes);
        const auto halved = pv::irfftn(twins.memory, axes);
        // With room for slabs of half a chunk's lanes, of a whole one's, and for all.
        for (const index_t limit : {all / 4, all * 9 / 10, 6 * all}) {
            CAPTURE(oracle::text(axes), limit);
            const auto most = twins.stored->count() * (limit < all / 2 ? 2 : 1);
            const MemoryLimit limited(limit);
            CHECK(twins.reads_of([&] {
                oracle::expect_same_bits<Complex>(pv::fftn(twins.chunks, axes), right);
            }) <= most);
            CHECK(twins.reads_of([&] {
                oracle::expect_same_bits<double>(pv::irfftn(twins.chunks, axes), halved);
            }) <= most);
            CHECK(pv::chunk_statistics().peak_bytes <= limit);
        }
    }
}

TEST_CASE("transforms along more axes than have room go axis by axis") {
    const auto twins = twins_of<double>({60, 50, 40}, {10, 25, 40}, 3);
    const pv::Tensor<Complex> right = pv::rfftn(twins.memory);
    const MemoryLimit limited(twins.memory.size() * 8 / 4);
    pv::Tensor<Complex> found;
    CHECK(twins.reads_of([&] { found = pv::rfftn(twins.chunks); }) == twins.stored->count());
    CHECK(error(found, right) <= tolerance(twins.memory.size()));
    CHECK(found.operand().node->reads(pv::Below::blocks));
    const pv::Tensor<double> back = pv::irfftn(found, {0, 1, 2}, {.length = 40});
    CHECK(error<double>(back, twins.memory) <= tolerance(twins.memory.size()));
    CHECK(back.operand().node->reads(pv::Below::blocks));
    CHECK(pv::chunk_statistics().peak_bytes <= pv::memory_limit());
    // The result has room in memory, but not what it is made of.
    const pv::Tensor<float> narrow = twins.chunks | pv::cast<float>;
    pv::set_memory_limit(twins.memory.size() * 17);
    CHECK(error<std::complex<float>>(pv::fftn(narrow),
                                     pv::fftn(twins.memory) | pv::cast<std::complex<float>>) <=
          tolerance<float>(twins.memory.size()));
}

TEST_CASE("one lane that has no room: in steps, each chunk read once") {
    const index_t length = GENERATE(50'000, 46'656, 65'536, 17 * 19 * 23 * 7, 2 * 30'011 / 13 * 13);
    const auto twins = twins_of<double>({length}, {1000}, 4);
    const auto wide = twins_of<Complex>({length}, {1000}, 5);
    const auto right = pv::fft(twins.memory);
    const auto half = pv::rfft(twins.memory);
    const auto inverse = pv::ifft(wide.memory, {.norm = pv::FftNorm::ortho});
    const auto count = static_cast<int>(twins.stored->count());
    const MemoryLimit limited(600 << 10);
    CAPTURE(length);
    pv::Tensor<Complex> found;
    CHECK(twins.reads_of([&] { found = pv::fft(twins.chunks); }) == count);
    CHECK(error(found, right) <= tolerance(length));
    CHECK(found.operand().node->reads(pv::Below::blocks));
    CHECK(twins.reads_of([&] { found = pv::rfft(twins.chunks); }) == count);
    CHECK(error(found, half) <= tolerance(length));
    CHECK(error<double>(pv::irfft(found, {.length = length}), twins.memory) <= tolerance(length));
    CHECK(wide.reads_of([&] { found = pv::ifft(wide.chunks, {.norm = pv::FftNorm::ortho}); }) ==
          count);
    CHECK(error(found, inverse) <= tolerance(length));
    CHECK(error<Complex>(pv::fft(found, {.norm = pv::FftNorm::ortho}), wide.memory) <=
          tolerance(length));
    CHECK(pv::chunk_statistics().peak_bytes <= 600 << 10);
}

TEST_CASE("one lane in steps is as exact as one in memory") {
    const index_t length = 12'000;
    const auto twins = twins_of<Complex>({length}, {500}, 6);
    const MemoryLimit limited(100'000);
    const auto found = pv::to_vector(pv::fft(twins.chunks));
    const auto elements = pv::as_span(twins.memory);
    using Wide = std::complex<long double>;
    for (index_t k = 0; k < length; k += 371) {
        Wide sum;
        for (index_t j = 0; j < length; ++j)
            sum += Wide(elements[static_cast<std::size_t>(j)]) *
                   std::polar<long double>(1, -2 * std::numbers::pi_v<long double> *
                                                  static_cast<long double>(j * k % length) /
                                                  static_cast<long double>(length));
        const Wide difference = Wide(found[static_cast<std::size_t>(k)]) - sum;
        // Beside what all elements have, as a root of the mean of squares.
        CHECK(std::abs(difference) <= 1e-15 * std::log2(12'000.) * 102 * std::sqrt(12'000.));
    }
}

TEST_CASE("a lane whose length has no divisors that have room is refused before it is read") {
    const auto twins = twins_of<double>({20'011}, {1000}, 7); // a prime
    const MemoryLimit limited(300'000);
    twins.forget();
    CHECK_THROWS_AS(pv::fft(twins.chunks), pv::MemoryLimitError);
    CHECK_THROWS_WITH(pv::rfft(twins.chunks), ContainsSubstring("rfft: a lane of 20011 points") &&
                                                  ContainsSubstring("300000"));
    CHECK_THROWS_AS(pv::fft(twins.chunks, {.length = 2 * 20'011}), pv::MemoryLimitError);
    CHECK(twins.stored->reads == 0);
    CHECK(pv::fft(twins.chunks, {.length = 20'000}).size() == 20'000);
    CHECK_THROWS_AS(pv::rfft(pv::AnyTensor(pv::fft(twins.chunks, {.length = 20'000}))),
                    pv::DtypeError);
}

} // namespace large_fft_test
