#include <purview/functional/assembly/chunked.hpp>

#include <support/random_choice.hpp>
#include <support/rounds.hpp>
#include <support/stored_chunks.hpp>

#include <purview/purview.hpp>

#include <atomic>
#include <complex>
#include <cstdint>
#include <string>

namespace chunked_test {

namespace pv = purview;
using oracle::MemoryLimit;
using oracle::Random;
using pv::index_t;

template <typename T>
pv::MutableTensor<T> numbers(Random& random, const pv::Shape& shape) {
    auto x = pv::empty<T>(shape);
    for (auto&& each : x) each = static_cast<T>(static_cast<int>(random.between(0, 100)));
    return x;
}

TEMPLATE_TEST_CASE("Views, expressions and folds of chunks are those of one block", "", bool,
                   std::int8_t, std::uint16_t, std::int64_t, float, double, std::complex<double>) {
    Random random(21);
    for (int round = 0; round < oracle::rounds(30); ++round) {
        const pv::Shape shape{random.between(1, 9), random.between(1, 9), random.between(1, 9)};
        const pv::Shape chunk{random.between(1, 10), random.between(1, 10), random.between(1, 10)};
        const MemoryLimit limit(8 * 1000 * index_t{sizeof(TestType)});
        const auto x = numbers<TestType>(random, shape);
        const auto c = pv::chunked(x, chunk);
        CAPTURE(shape, chunk);
        REQUIRE(pv::equals(c, x));
        REQUIRE(pv::equals(c | pv::transpose, x | pv::transpose));
        REQUIRE(pv::equals(c | pv::flip({1}), x | pv::flip({1})));
        REQUIRE(pv::equals(pv::roll(c, 2, 2), pv::roll(x, 2, 2)));
        REQUIRE(pv::equals(pv::reshape(c, {-1}), pv::reshape(x, {-1})));
        REQUIRE(pv::equals(c(pv::all, 0), x(pv::all, 0)));
        REQUIRE(pv::equals(pv::clone(c), x));
        REQUIRE(c(0, 0, 0) == x(0, 0, 0));
        REQUIRE(pv::equals(pv::take(c, pv::tensor({0, 0, -1}), 1),
                           pv::take(x, pv::tensor({0, 0, -1}), 1)));
        REQUIRE(pv::equals(pv::AnyTensor(c), pv::AnyTensor(x)));
        REQUIRE(pv::equals(pv::chunked(pv::AnyTensor(x), chunk).template as<TestType>(), x));
        if constexpr (!std::same_as<TestType, bool>) {
            REQUIRE(pv::equals(c + c * c, x + x * x));
            REQUIRE(pv::sum(c) == pv::sum(x));
            for (index_t axis = 0; axis < 3; ++axis)
                REQUIRE(pv::equals(pv::sum(c, {axis}), pv::sum(x, {axis})));
        }
        CHECK(pv::chunk_statistics().peak_bytes <= pv::memory_limit());
    }
}

TEST_CASE("Strings, types of one's own, no axes and no elements are chunked") {
    const MemoryLimit limit(1 << 20);
    const auto words = pv::tensor<std::string>({"a", "bb", "a string that takes memory", "", "e"});
    CHECK(pv::equals(pv::chunked(words, {2}), words));
    CHECK(pv::equals(pv::chunked(pv::AnyTensor(words), {3}).as<std::string>(), words));
    CHECK(pv::chunked(pv::full({}, 7.), {})() == 7.);
    CHECK(pv::chunked(pv::zeros({0, 4}), {2, 3}).size() == 0);
    CHECK(pv::equals(pv::chunked(pv::zeros({3}), {index_t{1} << 40}), pv::zeros({3})));
    CHECK(pv::equals(pv::arange<index_t>(10) | pv::chunked({4}), pv::arange<index_t>(10)));
}

TEST_CASE("Composing reads nothing; chunks keep what was read") {
    const MemoryLimit limit(1 << 20);
    std::atomic<int> computed = 0;
    const auto x = pv::arange<index_t>(100) | pv::emap([&](index_t i) -> index_t {
                       ++computed;
                       return i * i;
                   });
    const auto c = pv::chunked(x, {10});
    const auto doubled = pv::reshape(c, {10, 10}) * 2 | pv::transpose;
    CHECK(computed == 0);
    CHECK(doubled(3, 1) == 338);
    const int once = computed;
    CHECK(once >= 10);
    CHECK(once < 100);
    CHECK(c(14) == 196);
    CHECK(computed == once);

    auto memory = pv::clone(pv::arange<index_t>(6));
    const auto kept = pv::chunked(memory, {3});
    CHECK(kept(0) == 0);
    pv::fill(memory, 9);
    CHECK(pv::equals(kept, pv::tensor<index_t>({0, 1, 2, 9, 9, 9})));
}

TEST_CASE("A copy onto what chunks read is as if all had been read before") {
    const MemoryLimit limit(1 << 20);
    auto x = pv::clone(pv::arange<index_t>(50));
    pv::copy(pv::chunked(x, {7}) | pv::flip({0}), x);
    CHECK(pv::equals(x, pv::arange<index_t>(50) | pv::flip({0})));
}

TEST_CASE("Chunks of another rank and without elements are refused") {
    CHECK_THROWS_AS(pv::chunked(pv::zeros({3, 3}), {2}), pv::ShapeError);
    CHECK_THROWS_AS(pv::chunked(pv::zeros({3}), {2, 2}), pv::ShapeError);
    CHECK_THROWS_AS(pv::chunked(pv::zeros({3, 3}), {2, 0}), pv::ShapeError);
}

TEST_CASE("Chunks of chunks") {
    const MemoryLimit limit(1 << 16);
    const auto x = pv::clone(pv::reshape(pv::arange<index_t>(400), {20, 20}));
    const auto c = pv::chunked(pv::chunked(x, {6, 3}) + 1, {4, 7});
    CHECK(pv::equals(c | pv::transpose, (x + 1) | pv::transpose));
    CHECK(pv::sum(c) == pv::sum(x) + 400);
}

TEST_CASE("A tensor over chunks that can be written is written through any view") {
    const MemoryLimit limit(1 << 16);
    const auto stored =
        std::make_shared<oracle::StoredChunks<double>>(pv::ChunkGrid{{5, 6}, {2, 4}});
    auto t = pv::tensor(stored, {5, 6});
    const auto values = pv::clone(pv::reshape(pv::arange<index_t>(30), {6, 5}) | pv::cast<double>);
    pv::copy(values, t | pv::transpose);
    t(0, 1) = 100.;
    auto expected = pv::clone(values | pv::transpose);
    expected(0, 1) = 100.;
    pv::drop_cached_chunks();
    CHECK(pv::equals(t, expected));
    pv::fill(t, 0.);
    CHECK(stored->stored() == 0);
}

} // namespace chunked_test
