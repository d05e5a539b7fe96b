#include <support/catch.hpp>
#include <support/stored_chunks.hpp>
#include <support/tensors.hpp>

#include <purview/purview.hpp>

#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace pairs_of_chunks_test {

namespace pv = purview;
using oracle::MemoryLimit;
using oracle::Threads;
using oracle::Twins;
using pv::index_t;

Twins<double> twins_of(const pv::Shape& shape, const pv::Shape& chunk, unsigned seed,
                       double offset = 100) {
    return {shape, chunk, [random = std::mt19937(seed), offset](index_t) mutable {
                return static_cast<double>(random() % 100000) / 1000 + offset;
            }};
}

pv::Shape random_chunk(const pv::Shape& shape, std::mt19937& random) {
    pv::Shape chunk;
    for (const index_t extent : shape)
        chunk.push_back(1 + extent / 8 + static_cast<index_t>(random()) % (extent / 8 + 1));
    return chunk;
}

using Line = std::array<double, 4>; ///< covariance, correlation, slope, intercept

Line by_loops(const std::vector<double>& x, const std::vector<double>& y) {
    const auto n = static_cast<long double>(x.size());
    long double mean_x = 0;
    long double mean_y = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        mean_x += x[i] / n;
        mean_y += y[i] / n;
    }
    long double xx = 0;
    long double yy = 0;
    long double xy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        yy += (y[i] - mean_y) * (y[i] - mean_y);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    return {static_cast<double>(xy / n), static_cast<double>(xy / std::sqrt(xx * yy)),
            static_cast<double>(xy / xx), static_cast<double>(mean_y - xy / xx * mean_x)};
}

Line of_all(const pv::Tensor<double>& x, const pv::Tensor<double>& y) {
    const pv::LinearRegression line = pv::linear_regression(x, y);
    return {pv::covariance(x, y), pv::pearson(x, y), line.slope, line.intercept};
}

void check_near(const Line& found, const Line& expected) {
    for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(found[i] == Catch::Approx(expected[i]).epsilon(1e-11).margin(1e-11));
}

TEST_CASE("pairs over chunks are those of nested loops, for any limit and threads") {
    std::mt19937 random(17);
    for (unsigned seed = 0; seed < 6; ++seed) {
        const index_t longest[] = {100000, 350, 50};
        pv::Shape shape;
        for (unsigned axis = 0; axis < 1 + seed % 3; ++axis)
            shape.push_back(longest[seed % 3] - static_cast<index_t>(random()) % 20);
        const auto x = twins_of(shape, random_chunk(shape, random), seed);
        const auto y = twins_of(shape, random_chunk(shape, random), seed + 100, -3000);
        CAPTURE(seed, shape);
        const Line expected = by_loops(pv::to_vector(x.memory), pv::to_vector(y.memory));
        check_near(of_all(x.memory, y.memory), expected);
        const Line first = of_all(x.chunks, y.chunks);
        check_near(first, expected);
        check_near(of_all(x.chunks, y.memory), expected);
        for (const int threads : {1, 3})
            for (const index_t limit : {index_t{1} << 20, index_t{1} << 27}) {
                const Threads some(threads);
                const MemoryLimit limited(limit);
                CHECK(of_all(x.chunks, y.chunks) == first);
                CHECK(pv::chunk_statistics().peak_bytes <= limit);
            }
    }
}

TEST_CASE("each chunk of a pair is read once, however much larger than the limit it is") {
    const pv::Shape shape{4000, 50, 8};
    const auto x = twins_of(shape, {70, 50, 8}, 1);
    const auto y = twins_of(shape, {70, 50, 8}, 2);
    const int chunks = (4000 + 69) / 70;
    const MemoryLimit limited(8 * 4000 * 50 * 8 / 4);
    const auto check_reads = [&](const char* what, auto of) {
        INFO(what);
        y.forget();
        CHECK(x.reads_of(of) == chunks);
        CHECK(y.stored->reads == chunks);
    };
    check_reads("covariance", [&] { return pv::covariance(x.chunks, y.chunks); });
    check_reads("pearson", [&] { return pv::pearson(x.chunks, y.chunks); });
    check_reads("line", [&] { return pv::linear_regression(x.chunks, y.chunks); });
    check_reads("axis 0", [&] { return pv::pearson(x.chunks, y.chunks, {0}); });
    check_reads("axes 1, 2", [&] { return pv::pearson(x.chunks, y.chunks, {1, 2}); });
    check_reads("lines", [&] { return pv::linear_regression(x.chunks, y.chunks, {1}); });
    check_reads("expression", [&] { return pv::pearson(x.chunks * 2. + y.chunks, -y.chunks); });
    CHECK(pv::chunk_statistics().peak_bytes <= pv::memory_limit());
}

TEST_CASE("pairs along axes of chunks are those in memory") {
    std::mt19937 random(23);
    for (unsigned seed = 0; seed < 20; ++seed) {
        const pv::Shape shape{1 + static_cast<index_t>(random()) % 30,
                              1 + static_cast<index_t>(random()) % 30,
                              1 + static_cast<index_t>(random()) % 30};
        const auto x = twins_of(shape, random_chunk(shape, random), seed);
        const auto y = twins_of(shape, random_chunk(shape, random), seed + 100, -3000);
        CAPTURE(seed, shape);
        for (const pv::Axes& axes :
             {pv::Axes{0}, pv::Axes{1}, pv::Axes{2}, pv::Axes{0, 2}, pv::Axes{1, 2}}) {
            const auto expected = pv::to_vector(pv::covariance(x.memory, y.memory, axes));
            const auto found = pv::to_vector(pv::covariance(x.chunks, y.chunks, axes));
            REQUIRE(found.size() == expected.size());
            for (std::size_t i = 0; i < found.size(); ++i)
                CHECK(found[i] == Catch::Approx(expected[i]).epsilon(1e-11).margin(1e-10));
            const MemoryLimit limited(1 << 21);
            CHECK(pv::to_vector(pv::covariance(x.chunks, y.chunks, axes)) == found);
        }
    }
}

TEST_CASE("covariances of rows over chunks are those in memory, each chunk read once") {
    std::mt19937 random(5);
    for (unsigned seed = 0; seed < 8; ++seed) {
        const index_t k = 1 + static_cast<index_t>(random()) % 30;
        const index_t n = 4000 + static_cast<index_t>(random()) % 16000;
        const bool is_tall = seed % 2 == 0;
        const pv::Shape shape = is_tall ? pv::Shape{n, k} : pv::Shape{k, n};
        const auto x = twins_of(shape, random_chunk(shape, random), seed, 1e6);
        // A trend, so that parts have other means than all.
        const auto trend =
            pv::reshape(pv::arange<double>(0, n), is_tall ? pv::Shape{n, 1} : pv::Shape{1, n});
        const auto rows = [&](const pv::Tensor<double>& all) {
            return is_tall ? pv::Tensor<double>(pv::transpose(all)) : all;
        };
        CAPTURE(seed, shape);
        const pv::Tensor<double> chunks = rows(x.chunks + trend);
        const pv::Tensor<double> memory = rows(x.memory + trend);
        const auto found = pv::to_vector(pv::covariance_matrix(chunks));
        const auto expected = pv::to_vector(pv::covariance_matrix(memory));
        for (std::size_t i = 0; i < found.size(); ++i)
            CHECK(found[i] == Catch::Approx(expected[i]).epsilon(1e-10));
        const auto correlations = pv::to_vector(pv::correlation_matrix(chunks));
        for (const int threads : {1, 3}) {
            const Threads some(threads);
            const MemoryLimit limited(5 << 19);
            CHECK(pv::to_vector(pv::covariance_matrix(chunks)) == found);
            CHECK(pv::to_vector(pv::correlation_matrix(chunks)) == correlations);
            CHECK(pv::chunk_statistics().peak_bytes <= pv::memory_limit());
        }
    }
}

TEST_CASE("covariances of columns in chunks of rows read each chunk once") {
    const auto x = twins_of({40000, 20}, {900, 20}, 3);
    const MemoryLimit limited(2 << 20);
    CHECK(x.reads_of([&] { pv::covariance_matrix(pv::transpose(x.chunks)); }) == 45);
    CHECK(pv::chunk_statistics().peak_bytes <= pv::memory_limit());
}

TEST_CASE("weighted histograms of chunks read each chunk once") {
    const auto x = twins_of({1000, 400}, {90, 130}, 1);
    const auto weights = twins_of({1000, 400}, {90, 130}, 2);
    const auto heights = [](const auto& a, const auto& b) {
        return pv::to_vector(
            pv::weighted_histogram(a, b, std::vector{100., 120., 150., 180.}).heights);
    };
    const auto expected = heights(x.memory, weights.memory);
    const auto found = heights(x.chunks, weights.chunks);
    for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(found[i] == Catch::Approx(expected[i]).epsilon(1e-12));
    for (const int threads : {1, 3}) {
        const Threads some(threads);
        const MemoryLimit limited(5 << 19);
        x.stored->reads = weights.stored->reads = 0;
        CHECK(heights(x.chunks, weights.chunks) == found);
        CHECK(x.stored->reads == 12 * 4);
        CHECK(weights.stored->reads == 12 * 4);
        CHECK(pv::chunk_statistics().peak_bytes <= pv::memory_limit());
    }
}

} // namespace pairs_of_chunks_test
