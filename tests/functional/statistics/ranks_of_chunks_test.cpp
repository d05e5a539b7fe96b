#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/rounds.hpp>
#include <support/stored_chunks.hpp>

#include <purview/evaluation/chunk_memory.hpp>
#include <purview/evaluation/order_statistics.hpp>
#include <purview/evaluation/progress.hpp>
#include <purview/purview.hpp>

#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

// Medians and quantiles of everything in chunks that does not fit into the memory limit: the bits of the same in
// memory, each chunk read a few times.

namespace ranks_of_chunks_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::MemoryLimit;
using oracle::Random;
using oracle::Threads;
using pv::index_t;

enum class Distribution { uniform, normal, constant, few, sorted, heavy, near };
constexpr Distribution kDistributions[] = {
    Distribution::uniform, Distribution::normal, Distribution::constant, Distribution::few,
    Distribution::sorted,  Distribution::heavy,  Distribution::near};

/// Numbers of a distribution, as far as the type has them.
template <typename T>
pv::MutableTensor<T> numbers(const pv::Shape& shape, Distribution distribution, unsigned seed) {
    const pv::MutableTensor<T> made = pv::empty<T>(shape);
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> share(0, 1);
    const auto size = static_cast<double>(made.size());
    double place = 0;
    const auto number = [&]() -> double {
        switch (distribution) {
        case Distribution::uniform: return std::floor(200 * share(engine)) - 100 + share(engine);
        case Distribution::normal: return 30 * normal(engine);
        case Distribution::constant: return 42;
        case Distribution::few: return static_cast<double>(engine() % 5) - 2.25;
        case Distribution::sorted: return 250 * (place++ / size) - 125;
        case Distribution::heavy: return std::tan(3.1415926 * (share(engine) - 0.5));
        case Distribution::near: return 100 + 1e-12 * share(engine);
        }
        return 0;
    };
    for (auto&& value : made) {
        double x = number();
        if constexpr (std::integral<T>) {
            if (sizeof(T) == 8 && distribution != Distribution::constant &&
                distribution != Distribution::few)
                x *= 1e12;
            constexpr double kMost = static_cast<double>(std::numeric_limits<T>::max() / 2);
            x = std::clamp(x, std::is_signed_v<T> ? -kMost : 0, kMost);
        }
        value = static_cast<T>(x);
    }
    return made;
}

/// The bytes of one result, or of a tensor of them, by which NaN is NaN and -0 is not 0.
template <typename R>
auto bits_of(const R& result) {
    const auto of_one = [](auto value) {
        if constexpr (sizeof(value) == 4)
            return std::uint64_t{std::bit_cast<std::uint32_t>(value)};
        else
            return std::bit_cast<std::uint64_t>(value);
    };
    std::vector<std::uint64_t> bits;
    if constexpr (requires { result.rank(); })
        for (const auto& value : pv::to_vector(result)) bits.push_back(of_one(value));
    else
        bits.push_back(of_one(result));
    return bits;
}

/// What is asked of an array.
template <typename X>
std::vector<std::vector<std::uint64_t>> answers(const X& x, int question) {
    switch (question) {
    case 0: return {bits_of(pv::median(x))};
    case 1: return {bits_of(pv::percentile(x, 95))};
    case 2: return {bits_of(pv::quantile(x, 0.3, pv::QuantileMethod::weibull))};
    case 3: return {bits_of(pv::percentile(x, {0, 1, 25, 50, 75, 99, 99.9, 100}))};
    case 4: return {bits_of(pv::quartiles(x))};
    case 5: return {bits_of(pv::median(x, pv::skip_nan))};
    case 6: return {bits_of(pv::quantile(x, {0.5, 0.1, 0.5, 0.9}, pv::skip_nan))};
    case 7: return {bits_of(pv::quartiles(x, pv::skip_nan))};
    case 8: return {bits_of(pv::median(x | pv::transpose))};
    case 9: return {bits_of(pv::percentile(pv::cast<double>(x) * 2., 12.5, pv::skip_nan))};
    default: {
        std::vector<double> many;
        for (int i = 0; i <= 100; ++i) many.push_back(i);
        return {bits_of(pv::percentile(x, many))};
    }
    }
}
constexpr int kQuestions = 11;

template <typename T>
void compare(Random& random, Distribution distribution) {
    pv::Shape shape;
    pv::Shape chunk;
    const index_t rank = random.between(1, 3);
    index_t left = random.between(12000, 40000);
    for (index_t a = 0; a < rank; ++a) {
        const index_t extent = a + 1 == rank ? left : random.between(2, 24);
        shape.push_back(extent);
        const index_t most = rank == 1 ? 900 : a + 1 == rank ? 200 : 9;
        chunk.push_back(random.between(1, std::min(extent / 2, most)));
        left = left / extent + 1;
    }
    const pv::MutableTensor<T> x =
        numbers<T>(shape, distribution, static_cast<unsigned>(random.between(0, 1 << 20)));
    if constexpr (std::floating_point<T>) {
        const pv::MutableTensor<T> flat = x | pv::reshape({-1});
        const auto put = [&](index_t count, T value) {
            for (index_t i = 0; i < count; ++i) flat(random.between(0, flat.size() - 1)) = value;
        };
        put(random.one_in(2) ? 20 : 0, std::numeric_limits<T>::infinity());
        put(random.one_in(2) ? 20 : 0, -std::numeric_limits<T>::infinity());
        put(random.one_in(2) ? 500 : 0, T(-0.));
        if (random.one_in(2))
            put(random.one_in(3) ? flat.size() : 30, std::numeric_limits<T>::quiet_NaN());
        if (random.one_in(20)) put(20 * flat.size(), std::numeric_limits<T>::quiet_NaN());
    }
    const auto question = static_cast<int>(random.between(0, kQuestions - 1));
    const auto expected = answers(x, question);
    const index_t bytes = x.size() * index_t{sizeof(T)};
    const index_t limits[] = {40 << 10, 64 << 10, bytes / 2, bytes + bytes / 2, 3 * bytes};
    const index_t limit = std::max(limits[random.between(0, 4)], index_t{40 << 10});
    INFO("question " << question << ", limit " << limit << ", " << bytes << " bytes in "
                     << pv::to_string(chunk) << " of " << pv::to_string(shape));
    const MemoryLimit limited(limit);
    const Threads threads(random.one_in(2) ? 1 : 4);
    REQUIRE(answers(pv::chunked(x, chunk), question) == expected);
    REQUIRE(pv::chunk_statistics().peak_bytes <= limit);
}

} // namespace

TEST_CASE("quantiles beyond the limit have the bits of those in memory", "[threads]") {
    Random random(62);
    for (int i = 0; i < oracle::rounds(240); ++i) {
        const Distribution distribution = kDistributions[random.between(0, 6)];
        switch (i % 8) {
        case 0: compare<float>(random, distribution); break;
        case 1: compare<std::int8_t>(random, distribution); break;
        case 2: compare<std::int64_t>(random, distribution); break;
        case 3: compare<std::uint16_t>(random, distribution); break;
        case 4: compare<std::uint64_t>(random, distribution); break;
        case 5: compare<std::int32_t>(random, distribution); break;
        default: compare<double>(random, distribution);
        }
    }
}

namespace {

/// How often `work` reads each chunk of 16 KiB, with a limit of 512 KiB.
template <typename T, typename Work>
double reads_of_each(const pv::Tensor<T>& x, Work work) {
    const index_t length = (16 << 10) / index_t{sizeof(T)};
    const MemoryLimit limited(512 << 10);
    const auto expected = bits_of(work(x));
    CHECK(bits_of(work(pv::chunked(x, {length}))) == expected);
    CHECK(pv::chunk_statistics().peak_bytes <= 512 << 10);
    return static_cast<double>(pv::chunk_statistics().chunks_read) /
           static_cast<double>(x.size() / length);
}

template <typename T>
void count_reads() {
    for (const Distribution distribution : kDistributions) {
        INFO("distribution " << static_cast<int>(distribution) << " of " << pv::kDType<T>.name());
        const pv::MutableTensor<T> x =
            numbers<T>({(2 << 20) / index_t{sizeof(T)}}, distribution, 7);
        CHECK(reads_of_each<T>(x, [](const auto& t) { return pv::median(t); }) <= 3);
        CHECK(reads_of_each<T>(x, [](const auto& t) {
                  return pv::percentile(t, {1, 25, 50, 75, 99});
              }) <= 3);
        if constexpr (std::floating_point<T>) {
            for (index_t i = 0; i < x.size(); i += 1000) x(i) = std::numeric_limits<T>::quiet_NaN();
            CHECK(reads_of_each<T>(x, [](const auto& t) { return pv::median(t); }) == 1);
            CHECK(reads_of_each<T>(
                      x, [](const auto& t) { return pv::percentile(t, 95, pv::skip_nan); }) <= 3);
        }
    }
}

} // namespace

TEST_CASE("quantiles beyond the limit read each chunk three times at most") {
    count_reads<double>();
    count_reads<float>();
    count_reads<std::int64_t>();
}

TEST_CASE("how often ranks beyond the limit are read") {
    const pv::MutableTensor<double> x = numbers<double>({1 << 17}, Distribution::uniform, 3);
    const auto reads = [](const auto& array, index_t limit) {
        const MemoryLimit limited(limit);
        const pv::Operand operand = pv::chunked(array, {1 << 10}).operand();
        const index_t rank = 1 << 16;
        double found = 0;
        REQUIRE(pv::is_ranked_by_reading(operand));
        const int times = pv::select_ranks_by_reading(
            "median", operand, [&](index_t) { return std::span(&rank, 1); }, &found);
        CHECK(pv::chunk_statistics().chunks_read == times << 7);
        pv::drop_cached_chunks();
        CHECK(found == pv::sort(array)(rank));
        return times;
    };
    CHECK(reads(x, 1 << 19) == 2);                   // counted, and gathered
    CHECK(reads(pv::clone(x + 150.), 1 << 16) == 3); // counted twice
    CHECK(reads(pv::clone(pv::full<double>({1 << 17}, 7.)), 1 << 16) == 1);
    CHECK(reads(pv::clone(pv::floor(x * 0.02)), 1 << 16) == 2);
    const MemoryLimit limited(1 << 20);
    CHECK(!pv::is_ranked_by_reading(x.operand()));
    pv::set_memory_limit(4 << 20); // where it fits, it is read once
    const auto chunks = pv::chunked(x, {1 << 10});
    CHECK(!pv::is_ranked_by_reading(chunks.operand()));
    CHECK(pv::median(chunks) == pv::median(x));
    CHECK(pv::chunk_statistics().chunks_read == 128);
}

TEST_CASE("quantiles beyond the limit of other types") {
    const index_t size = 1 << 15;
    const pv::MutableTensor<double> x = numbers<double>({size}, Distribution::normal, 5);
    using Seconds = std::chrono::seconds;
    const pv::MutableTensor<Seconds> seconds = pv::empty<Seconds>({size});
    using Half = pv::BFloat16;
    const pv::MutableTensor<Half> halves = pv::empty<Half>({size});
    for (index_t i = 0; i < size; ++i) {
        seconds(i) = Seconds(static_cast<std::int64_t>(x(i) * 1e6));
        halves(i) = Half(static_cast<float>(x(i)));
    }
    const pv::MutableTensor<bool> bools = pv::clone(x > 10.);
    const auto compare_all = [&](const auto& array, const auto& handle_of, const auto& bits) {
        const auto all = [&](const auto& given) {
            const auto t = handle_of(given);
            return std::vector{bits(pv::median(t)), bits(pv::percentile(t, 37.7)),
                               bits(pv::median(t, pv::skip_nan)),
                               bits(pv::percentile(t, 63.1, pv::skip_nan))};
        };
        const auto expected = all(array);
        const MemoryLimit limited(24 << 10);
        CHECK(all(pv::chunked(array, {256})) == expected);
    };
    const auto typed = [](const auto& t) { return t; };
    const auto any = [](const auto& t) { return pv::AnyTensor(t); };
    const auto count = [](auto time) { return time.count(); };
    compare_all(seconds, typed, count);
    seconds(3) = seconds(1000) = Seconds(std::numeric_limits<std::int64_t>::min());
    compare_all(seconds, typed, count);
    for (auto&& time : seconds) time = Seconds(std::numeric_limits<std::int64_t>::min());
    compare_all(seconds, typed, count);
    const auto bits = [](auto number) { return bits_of(number); };
    const auto of_any = [](const auto& number) { return bits_of(number.template item<float>()); };
    compare_all(halves, any, of_any);
    halves(77) = Half(std::numeric_limits<float>::quiet_NaN());
    compare_all(halves, any, of_any);
    compare_all(bools, typed, bits);
}

TEST_CASE("quantiles beyond the limit: errors") {
    const pv::MutableTensor<double> x = numbers<double>({1 << 15}, Distribution::normal, 6);
    const MemoryLimit limited(4 << 10);
    const auto chunks = pv::chunked(x, {400});
    CHECK_THROWS_AS(pv::median(chunks), pv::MemoryLimitError);
    CHECK_THROWS_WITH(pv::median(chunks), ContainsSubstring("median: ") &&
                                              ContainsSubstring("memory limit, 4096 bytes"));
    CHECK_THROWS_WITH(pv::percentile(chunks, {5, 95}, pv::skip_nan),
                      ContainsSubstring("percentile: "));
    pv::set_memory_limit(64 << 10);
    CHECK_THROWS_WITH(pv::percentile(chunks, 101), ContainsSubstring("101 is not in [0, 100]"));
    x(12345) = std::numeric_limits<double>::quiet_NaN();
    pv::drop_cached_chunks();
    CHECK_THROWS_WITH(pv::median(chunks, pv::throw_nan), ContainsSubstring("[12345] is NaN"));
    CHECK(std::isnan(pv::median(chunks)));

    // What reading throws comes through; it is read again afterwards.
    const auto stored =
        std::make_shared<oracle::StoredChunks<double>>(pv::ChunkGrid{{1 << 15}, {1 << 9}}, 2.);
    stored->before_read = [&](pv::ShapeSpan at) {
        if (at[0] == 40) throw std::runtime_error("the disk is gone");
    };
    const pv::Tensor<double> failing = pv::tensor(stored, {1 << 15});
    CHECK_THROWS_WITH(pv::median(failing), "the disk is gone");
    stored->before_read = nullptr;
    CHECK(pv::median(failing) == 2);

    // Elements that are others each time they are read.
    int read = 0;
    const auto changing =
        std::make_shared<oracle::StoredChunks<double>>(pv::ChunkGrid{{1 << 15}, {1 << 9}}, 2.);
    const pv::MutableTensor<double> written = pv::tensor(changing, {1 << 15});
    for (index_t i = 0; i < 1 << 15; ++i) written(i) = i % 1000;
    pv::drop_cached_chunks();
    const Threads one(1);
    const pv::Tensor<double> shifting =
        written +
        pv::emap([&](double) { return 1e6 * static_cast<double>(read++ >> 15); }, written);
    CHECK_THROWS_WITH(pv::median(shifting), ContainsSubstring("median: the elements"));
}

TEST_CASE("quantiles beyond the limit are told of and ended", "[threads]") {
    const pv::MutableTensor<double> x = numbers<double>({1 << 15}, Distribution::normal, 8);
    const MemoryLimit limited(64 << 10);
    const Threads one(1);
    const auto chunks = pv::chunked(x, {1 << 9});
    int calls = 0;
    std::string what;
    const auto told = pv::on_progress(
        [&](const pv::Progress& progress) {
            what = progress.what;
            return ++calls < 3;
        },
        {.after_seconds = 0, .every_seconds = 0});
    CHECK_THROWS_AS(pv::median(chunks), pv::Cancelled);
    CHECK(what == "median");
    CHECK(pv::chunk_statistics().chunks_read < 8);
}

} // namespace ranks_of_chunks_test
