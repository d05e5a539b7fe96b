#include <support/catch.hpp>
#include <support/expect_same.hpp>
#include <support/random_operation.hpp>
#include <support/random_view.hpp>
#include <support/rounds.hpp>
#include <support/stored_chunks.hpp>

#include "engine/ways/way.hpp"

#include <purview/evaluation/chunk_memory.hpp>
#include <purview/purview.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

// Evaluations of arrays of chunks, cell by cell: the values of the same in memory, each chunk read once.

namespace chunk_walk_test {

namespace {

namespace pv = purview;
using oracle::MemoryLimit;
using oracle::Random;
using oracle::StoredChunks;
using oracle::Twins;
using pv::index_t;
using pv::engine::Way;
using pv::engine::Ways;

/// Small integers, so that sums are exact. What comes last is fill, so that whole chunks are not stored.
Twins<double> integers(const pv::Shape& shape, const pv::Shape& chunk, unsigned seed) {
    const index_t last = 3 * pv::checked_size(shape, "integers") / 4;
    const auto element = [random = Random(seed), last](index_t i) mutable {
        return i % 7 == 6 || i > last ? 3. : static_cast<double>(random.between(0, 9));
    };
    return {shape, chunk, element, 3.};
}

} // namespace

TEST_CASE("sums over arrays of chunks read each chunk once") {
    const MemoryLimit limit(1 << 20);
    const auto twins = integers({20, 30, 24}, {8, 7, 24}, 1);
    const index_t count = 3 * 5;
    pv::engine::ways_taken() = {};
    CHECK(pv::sum(pv::sq(twins.chunks - 1)) == pv::sum(pv::sq(twins.memory - 1)));
    CHECK(twins.stored->reads == count);
#ifndef NDEBUG
    CHECK(pv::engine::ways_taken().has(Way::chunks));
#endif
    for (const index_t axis : {0, 1, 2}) {
        twins.forget();
        CHECK(pv::equals(pv::sum(twins.chunks, axis), pv::sum(twins.memory, axis)));
        CHECK(twins.stored->reads == count);
        CHECK(pv::equals(pv::mean(twins.chunks, axis), pv::mean(twins.memory, axis)));
        CHECK(pv::equals(pv::max(twins.chunks, axis), pv::max(twins.memory, axis)));
    }
    twins.forget();
    CHECK(pv::equals(pv::clone(twins.chunks | pv::transpose), twins.memory | pv::transpose));
    CHECK(twins.stored->reads == count);
}

namespace {

/// The same of random operations on arrays in random chunks and on their naive twins.
template <typename T>
void compare(Random& random, int views) {
    oracle::Coordinates shape;
    for (index_t a = random.between(1, 4); a > 0; --a) shape.push_back(random.between(1, 9));
    oracle::Twin<T> x;
    do x = oracle::random_source<T>(random, shape);
    while (!x.name.starts_with("chunks"));
    for (int i = 0; i < views; ++i) {
        if (random.one_in(2))
            oracle::random_operation(random, x);
        else
            oracle::ViewStep<pv::Tensor<T>, T>(random, x.real, x.naive, x.name).apply();
    }
    INFO(x.name);
    pv::drop_cached_chunks();
    pv::engine::ways_taken() = {};
    const pv::MutableTensor<T> copy = pv::clone(x.real);
    REQUIRE(oracle::same_values(pv::to_vector(copy), x.naive.values));
    const std::string told = pv::explain(x.real);
#ifndef NDEBUG
    // What explain says is what ran.
    if (x.naive.size() > 0)
        REQUIRE((told.find("way: in cells") != std::string::npos) ==
                pv::engine::ways_taken().has(Way::chunks));
#endif
    if (x.naive.size() == 0) return;
    std::vector<index_t> axes;
    for (index_t a = 0; a < x.real.rank(); ++a)
        if (random.one_in(2)) axes.push_back(a);
    pv::drop_cached_chunks();
    REQUIRE(pv::equals(pv::max(x.real, axes), pv::max(copy, axes)));
    REQUIRE(pv::equals(pv::min(x.real, axes), pv::min(copy, axes)));
    REQUIRE(pv::equals(pv::sum(pv::cast<std::int64_t>(x.real), axes),
                       pv::sum(pv::cast<std::int64_t>(copy), axes)));
}

} // namespace

TEST_CASE("random expressions of arrays of chunks") {
    Random random(461);
    for (int i = 0; i < oracle::rounds(2000); ++i) {
        const MemoryLimit limit(random.one_in(2) ? 1 << 20 : 1 << 18);
        switch (i % 4) {
        case 0: compare<std::int32_t>(random, i % 5); break;
        case 1: compare<std::uint8_t>(random, i % 5); break;
        case 2: compare<double>(random, i % 5); break;
        default: compare<float>(random, i % 5);
        }
    }
}

TEST_CASE("copies to arrays of chunks write each chunk once") {
    const MemoryLimit limit(1 << 20);
    const auto twins = integers({20, 30, 24}, {8, 7, 24}, 2);
    const auto stored =
        std::make_shared<StoredChunks<double>>(pv::ChunkGrid{{24, 30, 20}, {5, 30, 6}}, 1.);
    pv::MutableTensor<double> to = pv::tensor(stored, {24, 30, 20});
    pv::copy(pv::sq(twins.chunks) | pv::transpose, to);
    CHECK(stored->writes + stored->erased == 5 * 4);
    CHECK(stored->reads == 0);
    pv::drop_cached_chunks();
    CHECK(pv::equals(to, pv::sq(twins.memory) | pv::transpose));

    // In place, and from itself at other places.
    pv::copy(to * 2., to);
    const pv::MutableTensor<double> doubled =
        pv::clone((pv::sq(twins.memory) | pv::transpose) * 2.);
    CHECK(pv::equals(to, doubled));
    pv::copy(to(pv::range(1, 24)), to(pv::range(0, 23)));
    pv::copy(pv::clone(doubled(pv::range(1, 24))), doubled(pv::range(0, 23)));
    pv::drop_cached_chunks();
    CHECK(pv::equals(to, doubled));
}

TEST_CASE("copies to shards write each shard once, and nothing that is cached of it stays") {
    const MemoryLimit limit(1 << 20);
    const pv::MutableTensor<double> memory = pv::empty<double>({24, 30, 20});
    double next = 0;
    for (auto&& value : memory) value = ++next;
    const auto stored = std::make_shared<oracle::ShardedChunks<double>>(
        pv::ChunkGrid{{24, 30, 20}, {5, 4, 3}}, 3, 0.);
    const pv::MutableTensor<double> to = pv::tensor(stored, {24, 30, 20});
    CHECK(pv::sum(to) == 0.);
    pv::copy(memory + 0., to);
    CHECK(stored->shards.writes == 2 * 3 * 3);
    CHECK(stored->shards.reads == 5 * 8 * 7); // all of the sum
    CHECK(pv::equals(to, memory));
    to(3, 7, 11) = -1.;
    memory(3, 7, 11) = -1.;
    CHECK(pv::equals(to, memory));
    pv::drop_cached_chunks();
    CHECK(pv::equals(to, memory));
}

TEST_CASE("random views of arrays of chunks are written") {
    Random random(462);
    for (int i = 0; i < oracle::rounds(300); ++i) {
        const MemoryLimit limit(1 << 18);
        oracle::Coordinates shape;
        for (index_t a = random.between(1, 3); a > 0; --a) shape.push_back(random.between(1, 12));
        pv::ChunkGrid grid{pv::to_shape(shape), {}};
        for (const index_t extent : shape) grid.chunk.push_back(random.between(1, extent + 1));
        const auto stored = std::make_shared<StoredChunks<std::int32_t>>(grid, 7);
        const auto sharded =
            std::make_shared<oracle::ShardedChunks<std::int32_t>>(grid, random.between(1, 3), 7);
        pv::MutableTensor<std::int32_t> to = pv::tensor(stored, shape);
        if (random.one_in(2)) to = pv::tensor(sharded, shape);
        const pv::MutableTensor<std::int32_t> memory = pv::full(shape, 7);
        for (int step = 0; step < 3; ++step) {
            pv::MutableTensor<std::int32_t> part = to;
            pv::MutableTensor<std::int32_t> twin = memory;
            for (index_t axis = 0; axis < part.rank(); ++axis) {
                const index_t extent = part.shape()[0];
                const index_t begin = random.between(0, extent - 1);
                const pv::Range range =
                    random.one_in(4)
                        ? pv::range(std::nullopt, std::nullopt, -1)
                        : pv::range(begin, random.between(begin, extent), random.between(1, 3));
                const bool whole = random.one_in(3);
                part = pv::move_axis(whole ? part : part(range), 0, -1);
                twin = pv::move_axis(whole ? twin : twin(range), 0, -1);
            }
            const pv::MutableTensor<std::int32_t> values = pv::empty<std::int32_t>(part.shape());
            for (auto&& value : values) value = static_cast<std::int32_t>(random.between(0, 99));
            if (random.one_in(2))
                pv::copy(values, part);
            else
                pv::copy(pv::chunked(values, pv::Shape(part.shape().size(), 2)) + 0, part);
            pv::copy(values, twin);
        }
        if (random.one_in(2)) pv::drop_cached_chunks();
        REQUIRE(pv::equals(to, memory));
    }
}

TEST_CASE("statistics of arrays of chunks read each chunk once") {
    const MemoryLimit limit(1 << 16); // less than the array has
    const auto twins =
        integers({20, 30, 24}, {8, 7, 24}, 3); // the elements of some groups are equal
    const auto once = [&](const char* what, auto&& f, bool same_bits = true) {
        INFO(what);
        twins.forget();
        const auto found = f(twins.chunks);
        CHECK(twins.stored->reads == 3 * 5);
        const auto expected = f(twins.memory);
        if (same_bits)
            CHECK(pv::equals(found, expected));
        else
            CHECK(pv::allclose(found, expected));
    };
    for (const index_t axis : {0, 1, 2}) {
        once(
            "variance", [&](const auto& x) { return pv::variance(x, axis); }, false);
        once(
            "standard_deviation", [&](const auto& x) { return pv::standard_deviation(x, axis); },
            false);
        once("argmax", [&](const auto& x) { return pv::argmax(x, axis); });
        once("argmin", [&](const auto& x) { return pv::argmin(x + 0., axis); });
        once("count_true", [&](const auto& x) { return pv::count_true(x > 4., axis); });
    }
    once(
        "variance of all", [](const auto& x) { return pv::tensor({pv::variance(x)}); }, false);
    once("argmax of all", [](const auto& x) { return pv::tensor({pv::argmax(x * -1.)}); });
    once("histogram", [](const auto& x) { return pv::histogram(x, {5, 0., 9.}).counts; });
    once("to_vector", [](const auto& x) { return pv::tensor(pv::to_vector(x)); });
    once(
        "variance of float32",
        [](const auto& x) { return pv::tensor({pv::variance(pv::cast<float>(x))}); }, false);
}

TEST_CASE("several views of one array larger than the limit read each chunk once") {
    const MemoryLimit limit(128 << 10);
    const auto twins = integers({32, 32, 32}, {4, 32, 32}, 3); // 256 KiB in chunks of 32 KiB
    const auto corner = [](const auto& x, int i, int j) {
        return x(pv::all, pv::range(i, 32, 2), pv::range(j, 32, 2));
    };
    const auto mean = [&](const auto& x) {
        return (corner(x, 0, 0) + corner(x, 0, 1) + corner(x, 1, 0) + corner(x, 1, 1)) / 4.;
    };
    CHECK(pv::sum(mean(twins.chunks)) == pv::sum(mean(twins.memory)));
    CHECK(twins.stored->reads == 8);
}

TEST_CASE("moments of cells keep the digits of their means") {
    const MemoryLimit limit(1 << 20);
    pv::MutableTensor<double> x = pv::empty<double>({4096});
    for (index_t i = 0; i < x.size(); ++i) x(i) = 1e8 + 1e-6 * static_cast<double>(i * 7919 % 13);
    const auto chunks = pv::chunked(x, {16});
    const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); };
    CHECK(near(pv::variance(chunks), pv::variance(x)));
    CHECK(near(pv::skewness(chunks), pv::skewness(x)));
    CHECK(near(pv::kurtosis(chunks), pv::kurtosis(x)));
}

TEST_CASE("what waits to be joined is counted before anything is read") {
    const auto stored =
        std::make_shared<StoredChunks<double>>(pv::ChunkGrid{{256, 2048}, {1, 2048}}, 1.);
    const pv::Tensor<double> x = pv::tensor(stored, {256, 2048});
    const MemoryLimit limit(2048 * 8 * 14);
    CHECK(pv::sum(pv::sum(x, 0)) == 256 * 2048);
    CHECK(stored->reads == 256);
}

TEST_CASE("sums of complex numbers in chunks") {
    const MemoryLimit limit(1 << 16);
    const auto twins = integers({20, 30, 24}, {8, 7, 24}, 7);
    const std::complex<double> i(0, 1);
    const auto complex = [&](const auto& x) { return x * i + x * 2.; };
    twins.stored->reads = 0;
    CHECK(pv::sum(complex(twins.chunks)) == pv::sum(complex(twins.memory)));
    CHECK(twins.stored->reads == 3 * 5);
    CHECK(pv::equals(pv::sum(complex(twins.chunks), 1), pv::sum(complex(twins.memory), 1)));
}

TEST_CASE(
    "operations that read in an order of their own compute what fits the limit, slab by slab") {
    const MemoryLimit limit(1 << 18);
    const auto twins = integers({20, 30, 24}, {8, 7, 24}, 3);
    CHECK(pv::equals(pv::cumsum(twins.chunks, 0), pv::cumsum(twins.memory, 0)));
    CHECK(pv::equals(pv::sort(twins.chunks, 1), pv::sort(twins.memory, 1)));
    pv::drop_cached_chunks();
    pv::set_memory_limit(1 << 16);
    twins.stored->reads = 0;
    CHECK(pv::equals(pv::sort(twins.chunks, 1), pv::sort(twins.memory, 1)));
    CHECK(twins.stored->reads <= 2 * 3 * 5);
    twins.forget();
    pv::set_memory_limit(300);
    CHECK_THROWS_AS(pv::sort(twins.chunks, 1), pv::MemoryLimitError);
    CHECK(twins.stored->reads == 0);
    pv::set_memory_limit(1 << 16);
    CHECK(pv::sum(twins.chunks) == pv::sum(twins.memory));
}

TEST_CASE("composing and explain read no chunk") {
    const MemoryLimit limit(1 << 18);
    const auto twins = integers({20, 30, 24}, {8, 7, 24}, 4);
    const auto x = (twins.chunks - 1.) * 2. | pv::transpose;
    CHECK(pv::explain(x).find("way: in cells of up to [24 7 8], 15 of them; chunks read: 15") !=
          std::string::npos);
    CHECK(pv::explain(pv::sum, x, 0).find("way: in cells") != std::string::npos);
    CHECK(twins.stored->reads == 0);
}

TEST_CASE("arrays of other chunks are read once each, as the limit has room for groups") {
    const auto x = integers({16, 32, 32}, {4, 8, 8}, 5);
    const auto y = integers({16, 32, 32}, {1, 32, 32}, 6);
    const MemoryLimit limit(index_t{8} * 16 * 32 * 32 * 8);
    CHECK(pv::sum(x.chunks * y.chunks) == pv::sum(x.memory * y.memory));
    CHECK(x.stored->reads == 4 * 4 * 4);
    CHECK(y.stored->reads == 16);
    // Some planes at a time.
    pv::drop_cached_chunks();
    pv::set_memory_limit(8 * 32 * 32 * 6);
    x.stored->reads = 0;
    y.stored->reads = 0;
    CHECK(pv::equals(pv::clone(x.chunks + y.chunks), x.memory + y.memory));
    CHECK(x.stored->reads == 4 * 4 * 4);
    CHECK(y.stored->reads == 16);
}

} // namespace chunk_walk_test
