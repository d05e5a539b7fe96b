#include <support/catch.hpp>
#include <support/stored_chunks.hpp>

#include <purview/purview.hpp>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace long_sorts_test {

namespace pv = purview;
using oracle::MemoryLimit;
using oracle::StoredChunks;
using pv::index_t;

enum class Values { any, few, ascending, descending, equal };

template <typename T>
T value(std::mt19937& random, Values values, index_t i) {
    if constexpr (std::is_floating_point_v<T>) {
        // Zeros of both signs, and NaNs that differ in their bits.
        const auto kind = random() % 40;
        if (values == Values::any && kind < 4) return kind % 2 == 0 ? T{0} : -T{0};
        if (values == Values::any && kind == 5)
            return std::copysign(std::numeric_limits<T>::quiet_NaN(), kind % 2 == 0 ? T{1} : -T{1});
        if (values == Values::any && kind == 6) return -std::numeric_limits<T>::quiet_NaN();
    }
    switch (values) {
    case Values::any: return static_cast<T>(static_cast<index_t>(random() % 100'000) - 50'000);
    case Values::few: return static_cast<T>(random() % 3);
    case Values::ascending: return static_cast<T>(i / 7);
    case Values::descending: return static_cast<T>(-i / 7);
    case Values::equal: return T{1};
    }
    return T{};
}

/// The same elements in chunks and in memory.
template <typename T>
struct Twins {
    Twins(pv::Shape shape, pv::Shape chunk, Values values, unsigned seed)
        : stored(std::make_shared<StoredChunks<T>>(pv::ChunkGrid{shape, chunk}, T{})),
          memory(pv::zeros<T>(shape)),
          chunks(pv::tensor(stored, shape)) {
        std::mt19937 random(seed);
        for (index_t i = 0; T & element : pv::as_span(memory))
            element = value<T>(random, values, i++);
        pv::assign(chunks, memory);
        pv::drop_cached_chunks();
        stored->reads = 0;
    }

    std::shared_ptr<StoredChunks<T>> stored;
    pv::MutableTensor<T> memory;
    pv::MutableTensor<T> chunks;
};

template <typename T>
void expect_same(const pv::Tensor<T>& result, const pv::Tensor<T>& right) {
    REQUIRE(pv::to_shape(result.shape()) == pv::to_shape(right.shape()));
    const auto x = pv::to_vector(result);
    const auto y = pv::to_vector(right);
    bool same = true;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const T a = x[i];
        const T b = y[i];
        same = same && std::memcmp(&a, &b, sizeof(T)) == 0;
    }
    CHECK(same);
}

TEMPLATE_TEST_CASE("lanes larger than memory are sorted as in memory", "", double, float,
                   std::int64_t, std::int16_t, std::uint8_t, bool) {
    using T = TestType;
    const Values values =
        GENERATE(Values::any, Values::few, Values::ascending, Values::descending, Values::equal);
    const index_t size = 20'000;
    const Twins<T> twins({size}, {1000}, values, 1);
    const index_t bytes = size * index_t{sizeof(T)};
    for (const pv::SortOrder order : {pv::ascending, pv::descending}) {
        const pv::Tensor<T> sorted = pv::sort(twins.memory, order);
        const pv::Tensor<std::int64_t> indexes = pv::argsort(twins.memory, order);
        for (const index_t limit : {bytes / 4, bytes, 4 * bytes}) {
            CAPTURE(static_cast<int>(values), limit);
            const MemoryLimit limited(std::max(limit, index_t{40} << 10));
            twins.stored->reads = 0;
            expect_same<T>(pv::sort(twins.chunks, order), sorted);
            CHECK(twins.stored->reads == 20);
            expect_same<std::int64_t>(pv::argsort(twins.chunks, order), indexes);
            CHECK(pv::chunk_statistics().peak_bytes <= pv::memory_limit());
        }
    }
}

TEMPLATE_TEST_CASE("distinct elements, ranks and extremes of what is larger than memory", "",
                   double, float, std::int64_t, std::int16_t, bool) {
    using T = TestType;
    const Values values = GENERATE(Values::any, Values::few, Values::ascending, Values::equal);
    const Twins<T> twins({30'000}, {1000}, values, 6);
    const auto all = pv::unique_all(twins.memory);
    const auto of_chunks = [&] { return twins.stored->reads == 30; };
    for (const index_t limit : {index_t{40} << 10, index_t{100} << 10, index_t{4} << 20}) {
        CAPTURE(static_cast<int>(values), limit);
        const MemoryLimit limited(limit);
        const auto read_once = [&] {
            const bool once = of_chunks() || limit > 30'000 * index_t{sizeof(T)};
            twins.stored->reads = 0;
            pv::drop_cached_chunks();
            return once;
        };
        twins.stored->reads = 0;
        expect_same<T>(pv::unique(twins.chunks), all.values);
        CHECK(read_once());
        const auto found = pv::unique_all(twins.chunks);
        CHECK(read_once());
        expect_same<T>(found.values, all.values);
        expect_same<std::int64_t>(found.first_indexes, all.first_indexes);
        expect_same<std::int64_t>(found.inverse, all.inverse);
        expect_same<std::int64_t>(found.counts, all.counts);
        if constexpr (!std::is_same_v<T, bool>) {
            expect_same<double>(pv::ranks(twins.chunks), pv::ranks(twins.memory));
            pv::drop_cached_chunks();
            twins.stored->reads = 0;
            expect_same<std::int64_t>(pv::arg_min_n(twins.chunks, 10),
                                      pv::arg_min_n(twins.memory, 10));
            CHECK(read_once());
            expect_same<std::int64_t>(pv::arg_max_n(twins.chunks, 300),
                                      pv::arg_max_n(twins.memory, 300));
        }
        if constexpr (std::is_floating_point_v<T>)
            expect_same<double>(pv::ranks(twins.chunks, pv::skip_nan),
                                pv::ranks(twins.memory, pv::skip_nan));
    }
}

TEST_CASE("rows larger than memory are sorted by several columns") {
    const Twins<double> price({20'000}, {1000}, Values::any, 10);
    const Twins<std::int64_t> day({20'000}, {1000}, Values::few, 11);
    const Twins<float> size({20'000}, {1000}, Values::few, 12);
    for (const pv::SortOrder order : {pv::ascending, pv::descending}) {
        const auto right =
            pv::lexsort({day.memory, {size.memory, pv::descending}, {price.memory, order}});
        const MemoryLimit limited(100'000);
        price.stored->reads = 0;
        CHECK(pv::equals(
            pv::lexsort({day.chunks, {size.chunks, pv::descending}, {price.chunks, order}}),
            right));
        CHECK(price.stored->reads == 20);
    }
    const double most = pv::most_frequent(price.memory);
    const double kept = pv::most_frequent(price.memory, pv::skip_nan);
    const std::int64_t of_days = pv::most_frequent(day.memory);
    const MemoryLimit limited(60'000);
    CHECK(std::isnan(pv::most_frequent(price.chunks)) == std::isnan(most));
    CHECK(pv::most_frequent(price.chunks, pv::skip_nan) == kept);
    day.stored->reads = 0;
    CHECK(pv::most_frequent(day.chunks) == of_days);
    CHECK(day.stored->reads == 20);
}

TEST_CASE("what is looked up, and where, may be larger than memory") {
    const Twins<double> twins({40, 500}, {3, 500}, Values::any, 7);
    const pv::Tensor<double> some = pv::tensor({0., 17., -20'000., 3.});
    const pv::Tensor<bool> right = pv::isin(twins.memory, some);
    const pv::Tensor<double> list = pv::sort(pv::reshape(twins.memory, {-1}));
    const auto places = pv::searchsorted(list, some);
    const auto in_some = pv::searchsorted(pv::sort(some), twins.memory);
    const auto stored = std::make_shared<StoredChunks<double>>(pv::ChunkGrid{{20'000}, {1000}}, 0.);
    const pv::MutableTensor<double> chunked_list = pv::tensor(stored, {20'000});
    pv::assign(chunked_list, list);
    const MemoryLimit limited(60'000);
    stored->reads = 0;
    CHECK(pv::equals(pv::searchsorted(chunked_list, some), places));
    CHECK(stored->reads == 20);
    twins.stored->reads = 0;
    CHECK(pv::equals(pv::isin(twins.chunks, some), right));
    CHECK(twins.stored->reads == 14);
    CHECK(pv::equals(pv::searchsorted(pv::sort(some), twins.chunks), in_some));
}

TEST_CASE("runs are merged as often as they have to be") {
    const Twins<double> twins({400'000}, {4096}, Values::any, 2);
    const pv::Tensor<double> right = pv::sort(twins.memory);
    for (const int threads : {1, 4}) {
        const int before = pv::threads();
        pv::set_threads(threads);
        const MemoryLimit limited(128 << 10);
        expect_same<double>(pv::sort(twins.chunks * 1.), right);
        pv::set_threads(before == 1 ? 1 : 0);
    }
}

TEST_CASE("several lanes larger than memory") {
    const Twins<double> twins({3, 20'000, 2}, {2, 1500, 1}, Values::any, 3);
    for (index_t axis = 0; axis < 3; ++axis) {
        CAPTURE(axis);
        const pv::Tensor<double> sorted = pv::sort(twins.memory, axis);
        const pv::Tensor<std::int64_t> indexes = pv::argsort(twins.memory, axis);
        const MemoryLimit limited(100'000);
        expect_same<double>(pv::sort(twins.chunks, axis), sorted);
        expect_same<std::int64_t>(pv::argsort(twins.chunks, axis), indexes);
    }
}

TEST_CASE("times larger than memory have NaT last") {
    const Twins<std::int64_t> twins({30'000}, {1000}, Values::any, 4);
    for (index_t i = 0; i < 30'000; i += 97)
        for (const auto& x : {twins.memory, twins.chunks})
            x(i) = std::numeric_limits<std::int64_t>::min();
    using Time = std::chrono::sys_time<std::chrono::seconds>;
    const auto times = [](const auto& x) {
        return pv::AnyTensor(pv::times_of(x.operand(), pv::kDType<Time>));
    };
    for (const pv::SortOrder order : {pv::ascending, pv::descending}) {
        const auto sorted = pv::sort(times(twins.memory), order);
        const auto indexes = pv::argsort(times(twins.memory), order);
        const MemoryLimit limited(60'000);
        const auto result = pv::sort(times(twins.chunks), order);
        REQUIRE(result.dtype() == sorted.dtype());
        CHECK(pv::to_vector(result.as<Time>()) == pv::to_vector(sorted.as<Time>()));
        CHECK(pv::equals(pv::argsort(times(twins.chunks), order), indexes));
    }
    const auto all = pv::unique_all(times(twins.memory));
    const MemoryLimit limited(60'000);
    const auto found = pv::unique_all(times(twins.chunks));
    CHECK(pv::to_vector(found.values.as<Time>()) == pv::to_vector(all.values.as<Time>()));
    CHECK(pv::equals(found.inverse, all.inverse));
    CHECK(pv::equals(found.counts, all.counts));
    const auto values = pv::unique(times(twins.chunks));
    CHECK(pv::to_vector(values.as<Time>()) == pv::to_vector(all.values.as<Time>()));
}

TEST_CASE("explain tells how what is larger than memory is sorted, and reads nothing") {
    const Twins<double> line({60'000}, {1000}, Values::any, 8);
    const Twins<double> plane({80, 200}, {10, 200}, Values::any, 9);
    const MemoryLimit limited(64'000);
    CHECK_THAT(
        pv::explain(pv::sort, line.chunks),
        Catch::EndsWith("chunks: 60 runs of up to 1333 elements are sorted and merged, by way "
                        "of a temporary file; chunks read: 60, bytes written to the file and "
                        "read: 480000, 3 times\n"));
    CHECK_THAT(
        pv::explain(pv::argsort, plane.chunks, 0),
        Catch::EndsWith("chunks: in 4 slabs of up to [80 50], computed into memory one after "
                        "the other, by way of a temporary file; chunks read: 8, bytes written "
                        "to the file and read: 128000\n"));
    CHECK_THAT(
        pv::explain(pv::sort, plane.chunks, 1),
        Catch::EndsWith("chunks: in 4 slabs of up to [20 200], computed into memory one after "
                        "the other; chunks read: 8\n"));
    CHECK(line.stored->reads + plane.stored->reads == 0);
}

TEST_CASE("a sort that has no room says so before it reads") {
    const Twins<double> twins({60'000}, {1000}, Values::any, 5);
    const MemoryLimit limited(100'000);
    const index_t before = pv::temporary_limit();
    pv::set_temporary_limit(300'000);
    twins.stored->reads = 0;
    CHECK_THROWS_WITH(pv::sort(twins.chunks),
                      Catch::EndsWith("bytes of temporary files beside 0 that are in use are more "
                                      "than their limit, 300000 bytes"));
    CHECK_THROWS_AS(pv::sort(twins.chunks), pv::MemoryLimitError);
    CHECK(twins.stored->reads == 0);
    pv::set_temporary_limit(before);
    const char* const folder = std::getenv("TMPDIR");
    const std::string folder_before = folder != nullptr ? folder : "";
    ::setenv("TMPDIR", "/nonexistent", 1);
    CHECK_THROWS_AS(pv::sort(twins.chunks), pv::FormatError);
    folder != nullptr ? ::setenv("TMPDIR", folder_before.c_str(), 1) : ::unsetenv("TMPDIR");
    CHECK(pv::temporary_directory() != "/nonexistent");
    pv::set_memory_limit(2000);
    CHECK_THROWS_AS(pv::sort(twins.chunks), pv::MemoryLimitError);
    CHECK(twins.stored->reads == 0);
}

} // namespace long_sorts_test
