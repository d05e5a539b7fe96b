#include <support/catch.hpp>
#include <support/same_bits.hpp>
#include <support/stored_chunks.hpp>

#include <purview/purview.hpp>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace long_sorts_test {

namespace pv = purview;
using oracle::MemoryLimit;
using oracle::Twins;
using pv::index_t;

/// Elements are moved: NaNs keep their bits.
template <typename T>
void expect_same_bits(const pv::Tensor<T>& found, const pv::Tensor<T>& expected) {
    oracle::expect_same_bits(found, expected, oracle::NanBits::same);
}

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

template <typename T>
Twins<T> twins_of(const pv::Shape& shape, const pv::Shape& chunk, Values values, unsigned seed) {
    return {shape, chunk, [values, random = std::mt19937(seed)](index_t i) mutable {
                return value<T>(random, values, i);
            }};
}

TEMPLATE_TEST_CASE("lanes larger than memory are sorted as in memory", "", double, float,
                   std::int64_t, std::int16_t, std::uint8_t, bool) {
    using T = TestType;
    const Values values =
        GENERATE(Values::any, Values::few, Values::ascending, Values::descending, Values::equal);
    const index_t size = sizeof(T) < 4 ? 40'000 : 10'000;
    const auto twins = twins_of<T>({size}, {size / 20}, values, 1);
    const index_t bytes = size * index_t{sizeof(T)};
    for (const pv::SortOrder order : {pv::ascending, pv::descending}) {
        const pv::Tensor<T> sorted = pv::sort(twins.memory, order);
        const pv::Tensor<std::int64_t> indexes = pv::argsort(twins.memory, order);
        for (const index_t limit : {bytes / 4, bytes, 4 * bytes}) {
            CAPTURE(static_cast<int>(values), limit);
            const MemoryLimit limited(std::max(limit, index_t{40} << 10));
            CHECK(twins.reads_of(
                      [&] { expect_same_bits(pv::sort(twins.chunks, order), sorted); }) == 20);
            expect_same_bits(pv::argsort(twins.chunks, order), indexes);
            CHECK(pv::chunk_statistics().peak_bytes <= pv::memory_limit());
        }
    }
}

TEMPLATE_TEST_CASE("distinct elements, ranks and extremes of what is larger than memory", "",
                   double, float, std::int64_t, std::int16_t, bool) {
    using T = TestType;
    const Values values = GENERATE(Values::any, Values::few, Values::ascending, Values::equal);
    const index_t size = sizeof(T) < 4 ? 30'000 : 12'000;
    const auto twins = twins_of<T>({size}, {size / 30}, values, 6);
    const auto all = pv::unique_all(twins.memory);
    for (const index_t limit : {index_t{40} << 10, index_t{60} << 10, index_t{2} << 20}) {
        CAPTURE(static_cast<int>(values), limit);
        const MemoryLimit limited(limit);
        const auto read_once = [&] {
            const bool once = twins.stored->reads == 30;
            twins.forget();
            return once || limit > size * index_t{sizeof(T)};
        };
        twins.forget();
        expect_same_bits(pv::unique(twins.chunks), all.values);
        CHECK(read_once());
        const auto found = pv::unique_all(twins.chunks);
        CHECK(read_once());
        expect_same_bits(found.values, all.values);
        expect_same_bits(found.first_indexes, all.first_indexes);
        expect_same_bits(found.inverse, all.inverse);
        expect_same_bits(found.counts, all.counts);
        if constexpr (!std::is_same_v<T, bool>) {
            expect_same_bits(pv::ranks(twins.chunks), pv::ranks(twins.memory));
            twins.forget();
            expect_same_bits(pv::arg_min_n(twins.chunks, 10), pv::arg_min_n(twins.memory, 10));
            CHECK(read_once());
            expect_same_bits(pv::arg_max_n(twins.chunks, 300), pv::arg_max_n(twins.memory, 300));
        }
        if constexpr (std::is_floating_point_v<T>)
            expect_same_bits(pv::ranks(twins.chunks, pv::skip_nan),
                             pv::ranks(twins.memory, pv::skip_nan));
    }
}

TEST_CASE("rows larger than memory are sorted by several columns") {
    const auto price = twins_of<double>({20'000}, {1000}, Values::any, 10);
    const auto day = twins_of<std::int64_t>({20'000}, {1000}, Values::few, 11);
    const auto size = twins_of<float>({20'000}, {1000}, Values::few, 12);
    for (const pv::SortOrder order : {pv::ascending, pv::descending}) {
        const auto right =
            pv::lexsort({day.memory, {size.memory, pv::descending}, {price.memory, order}});
        const MemoryLimit limited(100'000);
        const auto rows = [&] {
            expect_same_bits(
                pv::lexsort({day.chunks, {size.chunks, pv::descending}, {price.chunks, order}}),
                right);
        };
        CHECK(price.reads_of(rows) == 20);
    }
    const double most = pv::most_frequent(price.memory);
    const double kept = pv::most_frequent(price.memory, pv::skip_nan);
    const std::int64_t of_days = pv::most_frequent(day.memory);
    const MemoryLimit limited(60'000);
    CHECK(std::isnan(pv::most_frequent(price.chunks)) == std::isnan(most));
    CHECK(pv::most_frequent(price.chunks, pv::skip_nan) == kept);
    CHECK(day.reads_of([&] { CHECK(pv::most_frequent(day.chunks) == of_days); }) == 20);
}

TEST_CASE("what is looked up, and where, may be larger than memory") {
    const auto twins = twins_of<double>({40, 500}, {3, 500}, Values::any, 7);
    const pv::Tensor<double> some = pv::tensor({0., 17., -20'000., 3.});
    const pv::Tensor<bool> right = pv::isin(twins.memory, some);
    const pv::Tensor<double> list = pv::sort(pv::reshape(twins.memory, {-1}));
    const auto places = pv::searchsorted(list, some);
    const auto in_some = pv::searchsorted(pv::sort(some), twins.memory);
    const Twins<double> chunked_list({20'000}, {1000}, [&](index_t i) { return list(i); });
    const MemoryLimit limited(60'000);
    CHECK(chunked_list.reads_of([&] {
        expect_same_bits(pv::searchsorted(chunked_list.chunks, some), places);
    }) == 20);
    CHECK(twins.reads_of([&] { CHECK(pv::equals(pv::isin(twins.chunks, some), right)); }) == 14);
    expect_same_bits(pv::searchsorted(pv::sort(some), twins.chunks), in_some);
}

TEST_CASE("runs are merged as often as they have to be") {
    const auto twins = twins_of<double>({200'000}, {2048}, Values::any, 2);
    const pv::Tensor<double> right = pv::sort(twins.memory);
    for (const int threads : {1, 4}) {
        const oracle::Threads some(threads);
        const MemoryLimit limited(64 << 10);
        expect_same_bits(pv::sort(twins.chunks * 1.), right);
    }
}

TEST_CASE("runs are written beside what is sorted") {
    for (const Values values : {Values::any, Values::few, Values::ascending, Values::equal}) {
        const auto twins = twins_of<double>({400'000}, {10'000}, values, 7);
        const pv::Tensor<double> sorted = pv::sort(twins.memory);
        const pv::Tensor<std::int64_t> indexes = pv::argsort(twins.memory);
        for (const index_t limit : {1 << 20, 2 << 20}) {
            CAPTURE(static_cast<int>(values), limit);
            const MemoryLimit limited(limit);
            CHECK(twins.reads_of([&] { expect_same_bits(pv::sort(twins.chunks), sorted); }) == 40);
            expect_same_bits(pv::argsort(twins.chunks), indexes);
            CHECK(pv::chunk_statistics().peak_bytes <= limit);
        }
    }
}

TEST_CASE("several lanes larger than memory") {
    const auto twins = twins_of<double>({3, 8000, 2}, {2, 600, 1}, Values::any, 3);
    for (index_t axis = 0; axis < 3; ++axis) {
        CAPTURE(axis);
        const pv::Tensor<double> sorted = pv::sort(twins.memory, axis);
        const pv::Tensor<std::int64_t> indexes = pv::argsort(twins.memory, axis);
        const MemoryLimit limited(40'000);
        expect_same_bits(pv::sort(twins.chunks, axis), sorted);
        expect_same_bits(pv::argsort(twins.chunks, axis), indexes);
    }
}

TEST_CASE("times larger than memory have NaT last") {
    std::mt19937 random(4);
    const Twins<std::int64_t> twins({30'000}, {1000}, [&](index_t i) {
        const auto time = value<std::int64_t>(random, Values::any, i);
        return i % 97 == 0 ? std::numeric_limits<std::int64_t>::min() : time;
    });
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
    const auto line = twins_of<double>({60'000}, {1000}, Values::any, 8);
    const auto plane = twins_of<double>({80, 200}, {10, 200}, Values::any, 9);
    const MemoryLimit limited(64'000);
    CHECK_THAT(pv::explain(pv::sort, line.chunks),
               Catch::EndsWith(
                   "chunks: sort: 60 runs of up to 1333 elements are sorted and merged, by way "
                   "of a temporary file; chunks read: 60, bytes written to the file and "
                   "read: 480000, 3 times\n"));
    CHECK_THAT(pv::explain(pv::argsort, plane.chunks, 0),
               Catch::EndsWith(
                   "chunks: argsort: in 4 slabs of up to [80 50], computed into memory one after "
                   "the other, by way of a temporary file; chunks read: 8, bytes written "
                   "to the file and read: 128000\n"));
    CHECK_THAT(pv::explain(pv::sort, plane.chunks, 1),
               Catch::EndsWith(
                   "chunks: sort: in 4 slabs of up to [20 200], computed into memory one after "
                   "the other; chunks read: 8\n"));
    CHECK(line.stored->reads + plane.stored->reads == 0);
}

TEST_CASE("a sort that has no room says so before it reads") {
    const auto twins = twins_of<double>({60'000}, {1000}, Values::any, 5);
    const MemoryLimit limited(100'000);
    std::optional<oracle::TemporaryLimit> of_files(300'000);
    CHECK_THROWS_WITH(pv::sort(twins.chunks),
                      Catch::EndsWith("bytes of temporary files beside 0 that are in use are more "
                                      "than their limit, 300000 bytes"));
    CHECK_THROWS_AS(pv::sort(twins.chunks), pv::MemoryLimitError);
    CHECK(twins.stored->reads == 0);
    of_files.reset();
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

TEST_CASE("chunks of which a row has no room are sorted as one, each read once") {
    for (const auto& [shape, chunk] :
         {std::pair<pv::Shape, pv::Shape>{{300, 290}, {50, 60}}, {{40, 50, 60}, {9, 20, 25}}}) {
        const auto twins = twins_of<double>(shape, chunk, Values::any, 8);
        const auto all = pv::unique_all(twins.memory);
        const int chunks = static_cast<int>(twins.stored->stored());
        for (const index_t limit : {100'000, 160'000}) {
            CAPTURE(shape.size(), limit);
            const MemoryLimit limited(limit);
            CHECK(twins.reads_of([&] { expect_same_bits(pv::unique(twins.chunks), all.values); }) ==
                  chunks);
            CHECK(twins.reads_of([&] {
                const auto found = pv::unique_all(twins.chunks);
                expect_same_bits(found.first_indexes, all.first_indexes);
                expect_same_bits(found.inverse, all.inverse);
            }) == chunks);
            CHECK(pv::chunk_statistics().peak_bytes <= limit);
        }
    }
}

} // namespace long_sorts_test
