#include <support/catch.hpp>
#include <support/own_reducers.hpp>
#include <support/same_bits.hpp>
#include <support/stored_chunks.hpp>
#include <support/tensors.hpp>

#include <purview/evaluation/progress.hpp>
#include <purview/purview.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <tuple>
#include <type_traits>
#include <vector>

namespace large_groups_test {

namespace pv = purview;
using oracle::expect_same_bits;
using oracle::MemoryLimit;
using oracle::Threads;
using oracle::Twins;
using pv::index_t;

double random_value(std::mt19937_64& random, bool nan) {
    if (nan && random() % 50 == 0) return std::numeric_limits<double>::quiet_NaN();
    if (random() % 40 == 0) return random() % 2 == 0 ? 0. : -0.;
    return std::ldexp(static_cast<double>(random() % 100000) - 50000,
                      static_cast<int>(random() % 40) - 20);
}

/// Several reducers of states at once.
template <typename Keys, typename Values>
auto by_states(const Keys& keys, const Values& values) {
    return pv::group_by_reduce(keys, values, pv::sum, pv::group_size, pv::mean, pv::min, pv::max,
                               pv::product, pv::any_of, pv::count_true, oracle::spread_of());
}
template <typename Keys, typename Values>
auto by_states_skipping(const Keys& keys, const Values& values) {
    return pv::unordered_group_by_reduce(keys, values, pv::sum(pv::skip_nan),
                                         pv::mean(pv::skip_nan), pv::max(pv::skip_nan),
                                         pv::group_size);
}
template <typename Keys, typename Values>
auto by_rows(const Keys& keys, const Values& values) {
    return pv::group_by_reduce(keys, values, pv::median, pv::sample_variance, pv::sum,
                               [](const pv::Tensor<double>& x) { return x(0) - x(x.size() - 1); });
}

/// Checks calls beside those on memory, for several limits and numbers of threads.
template <typename K>
void check_keys(const char* name, index_t rows, index_t chunk, const std::function<K(index_t)>& key,
                std::vector<index_t> limits, index_t least_of_rows = 0) {
    INFO(name);
    std::mt19937_64 random(7);
    const Twins<K> keys({rows}, {chunk}, key);
    const Twins<double> values({rows}, {chunk + 100},
                               [&](index_t) { return random_value(random, true); });
    const auto states = by_states(keys.memory, values.memory);
    const auto skipping = by_states_skipping(keys.memory, values.memory);
    const auto of_rows = by_rows(keys.memory, values.memory);
    for (const index_t bytes : limits)
        for (const int count : {1, 4}) {
            INFO(bytes << " bytes, " << count << " threads");
            const MemoryLimit limit(bytes);
            const Threads threads(count);
            expect_same_bits(by_states(keys.chunks, values.chunks), states);
            expect_same_bits(by_states_skipping(keys.chunks, values.chunks), skipping);
            if (bytes >= least_of_rows)
                expect_same_bits(by_rows(keys.chunks, values.chunks), of_rows);
            CHECK(pv::chunk_statistics().peak_bytes <= bytes);
        }
}

constexpr index_t kAll = index_t{1} << 32;

TEST_CASE("large groups: few keys") {
    check_keys<std::int64_t>(
        "few", 60'000, 2000, [](index_t i) { return (i * 7919) % 37 - 5; },
        {1 << 18, 1 << 20, kAll}, 1 << 20); // the rows of one key do not fit in less
}
TEST_CASE("large groups: many keys") {
    check_keys<std::int64_t>("many", 70'000, 1500,
                             [](index_t i) { return (i * i + 13 * i) % 20'011; },
                             {1 << 18, 1 << 20, kAll});
}
TEST_CASE("large groups: all distinct, far apart") {
    check_keys<std::int64_t>("distinct", 15'000, 750,
                             [](index_t i) { return (i * 7919 % 15'000) * 1'000'003; },
                             {1 << 18, 1 << 20, kAll});
}
TEST_CASE("large groups: floats") {
    check_keys<double>("floats", 40'000, 1000,
                       [](index_t i) {
                           const index_t k = i * 31 % 5003;
                           if (k == 7) return std::numeric_limits<double>::quiet_NaN();
                           return k == 0 ? (i % 2 == 0 ? 0. : -0.)
                                         : static_cast<double>(k - 2000) / 4;
                       },
                       {1 << 18, 1 << 20, kAll});
}

TEST_CASE("large groups: blocks of rows that floats are added in") {
    const index_t rows = 3 << 18;
    std::mt19937_64 random(3);
    const Twins<double> values({rows}, {20'000},
                               [&](index_t) { return random_value(random, false); });
    for (const index_t many : {4097, 8'192, 8'193, 16'384, 16'385, 60'000}) {
        INFO(many << " keys");
        const Twins<std::int64_t> keys(
            {rows}, {20'000}, [=](index_t i) { return i < 4096 ? i % many : (i * 7919) % many; });
        const auto expected = pv::group_by_reduce(keys.memory, values.memory, pv::sum, pv::mean);
        const MemoryLimit limit(4 << 20);
        values.stored->reads = keys.stored->reads = 0;
        expect_same_bits(pv::group_by_reduce(keys.chunks, values.chunks, pv::sum, pv::mean),
                         expected);
        if (many <= 4097) {
            CHECK(values.stored->reads == 40);
            CHECK(keys.stored->reads == 40);
        }
    }
}

TEST_CASE("large groups: few groups, whose rows are in some blocks alone") {
    const index_t rows = 3 << 18;
    std::mt19937_64 random(6);
    const Twins<double> values({rows}, {20'000}, [&](index_t i) {
        if (i % 10'007 == 0) return std::numeric_limits<double>::quiet_NaN();
        return i % 5 == 0 ? -0. : random_value(random, false);
    });
    for (const index_t many : {1, 200, 3000})
        for (const bool ascend : {false, true}) {
            INFO(many << " keys");
            const Twins<std::int64_t> keys({rows}, {20'000}, [=](index_t i) {
                return ascend ? i / (rows / many) : i * 7919 % many * (i % 2);
            });
            const auto work = [](const auto& by, const auto& of) {
                return pv::group_by_reduce(by, of, pv::sum, pv::sum(pv::skip_nan), pv::mean,
                                           pv::min, pv::max(pv::skip_nan), pv::product,
                                           pv::count_true, pv::group_size);
            };
            const auto expected = work(keys.memory, values.memory);
            const MemoryLimit limit(ascend ? 1 << 20 : 4 << 20);
            const oracle::Threads some(ascend ? 1 : 3);
            expect_same_bits(work(keys.chunks, values.chunks), expected);
        }
}

TEST_CASE("large groups: first rows that come to few groups, and others that do not") {
    const index_t rows = 3 << 18;
    std::mt19937_64 random(4);
    const Twins<double> values({rows}, {20'000},
                               [&](index_t) { return random_value(random, false); });
    for (const index_t many : {100, 9'000, 30'000}) {
        INFO(many << " keys");
        const Twins<std::int64_t> keys({rows}, {20'000}, [=](index_t i) {
            return i < rows / 3 ? i % 10 : i * 7919 % many * 1'000'003;
        });
        const auto expected = pv::group_by_reduce(keys.memory, values.memory, pv::sum, pv::mean);
        for (const index_t bytes : {2 << 20, 6 << 20}) {
            const MemoryLimit limit(bytes);
            expect_same_bits(pv::group_by_reduce(keys.chunks, values.chunks, pv::sum, pv::mean),
                             expected);
        }
    }
}

TEST_CASE("large groups: reducers of one column, which share what is the same") {
    const index_t rows = 100'000;
    std::mt19937_64 random(5);
    const Twins<std::int64_t> keys({rows}, {5000}, [](index_t i) { return i * 7919 % 1000; });
    const Twins<double> values({rows}, {5000}, [&](index_t i) {
        return i % 7 == 0 ? std::numeric_limits<double>::quiet_NaN() : double(random() % 5) - 2;
    });
    const auto work = [](const auto& by, const auto& of) {
        return pv::group_by_reduce(
            by, std::tuple(of, pv::sum, pv::sum(pv::skip_nan), pv::mean, pv::mean(pv::skip_nan),
                           pv::count_true, pv::count_true(pv::skip_nan), pv::min,
                           pv::min(pv::skip_nan), pv::max, pv::max(pv::skip_nan), pv::product,
                           pv::product(pv::skip_nan), pv::any_of, pv::all_of, pv::group_size));
    };
    const auto expected = work(keys.memory, values.memory);
    const MemoryLimit limit(1 << 19);
    expect_same_bits(work(keys.chunks, values.chunks), expected);
}

TEST_CASE("large groups: two keys") {
    const index_t rows = 100'000;
    std::mt19937_64 random(5);
    const Twins<double> values({rows}, {5000},
                               [&](index_t) { return random_value(random, false); });
    const Twins<std::int32_t> first(
        {rows}, {5000}, [&](index_t) { return static_cast<std::int32_t>(random() % 23); });
    const Twins<double> second({rows}, {4000},
                               [&](index_t) { return static_cast<double>(random() % 300) / 2; });
    const auto in_memory =
        pv::group_by_reduce(std::tuple(first.memory, second.memory), values.memory, pv::sum,
                            pv::group_size, pv::standard_deviation);
    const auto unordered = pv::unordered_group_by_reduce(std::tuple(first.memory, second.memory),
                                                         std::tuple(values.memory, pv::mean),
                                                         std::tuple(first.memory, pv::max));
    for (const index_t bytes : {index_t{1} << 18, index_t{1} << 20, kAll}) {
        INFO(bytes << " bytes");
        const MemoryLimit limit(bytes);
        expect_same_bits(pv::group_by_reduce(std::tuple(first.chunks, second.chunks), values.chunks,
                                             pv::sum, pv::group_size, pv::standard_deviation),
                         in_memory);
        expect_same_bits(pv::unordered_group_by_reduce(std::tuple(first.chunks, second.chunks),
                                                       std::tuple(values.chunks, pv::mean),
                                                       std::tuple(first.chunks, pv::max)),
                         unordered);
    }
}

TEST_CASE("large groups: each chunk is read once where groups fit") {
    const index_t rows = 200'000;
    const Twins<std::int64_t> keys({rows}, {5000}, [](index_t i) { return i / 100; });
    const Twins<float> values({rows}, {5000},
                              [](index_t i) { return static_cast<float>(i % 97) / 8; });
    const MemoryLimit limit(4 << 20);
    const auto made = by_states(keys.chunks, values.chunks);
    CHECK(keys.stored->reads == 40);
    CHECK(values.stored->reads == 40);
    CHECK(pv::chunk_statistics().peak_bytes <= 4 << 20);
    expect_same_bits(made, by_states(keys.memory, values.memory));
}

TEST_CASE("large groups: keys of other types, and several axes") {
    const pv::Shape shape{200, 150};
    std::mt19937_64 random(11);
    const auto check = [&]<typename K>(std::type_identity<K>, auto key) {
        const Twins<K> keys(shape, {30, 50}, key);
        const Twins<double> values(shape, {25, 150},
                                   [&](index_t) { return random_value(random, true); });
        const auto expected = by_states(keys.memory, values.memory);
        const auto unordered = by_states_skipping(keys.memory, values.memory);
        for (const index_t bytes : {index_t{1} << 18, index_t{1} << 19}) {
            const MemoryLimit limit(bytes);
            expect_same_bits(by_states(keys.chunks, values.chunks), expected);
            expect_same_bits(by_states_skipping(keys.chunks, values.chunks), unordered);
        }
    };
    check(std::type_identity<bool>{}, [](index_t i) { return i % 3 == 0; });
    check(std::type_identity<std::uint64_t>{},
          [](index_t i) { return ~std::uint64_t{0} - static_cast<std::uint64_t>(i * i % 1009); });
    check(std::type_identity<std::int8_t>{},
          [](index_t i) { return static_cast<std::int8_t>(i % 251); });
    check(std::type_identity<float>{}, [](index_t i) { return static_cast<float>(i % 5003) / 7; });
    check(std::type_identity<std::int64_t>{},
          [](index_t i) { return (i * 7919 % 40'009) * 86'400; });
}

TEST_CASE("large groups: rows of several axes, whose chunks have no room beside each other") {
    const Twins<std::int64_t> keys({600, 600}, {100, 100}, [](index_t i) { return i % 601 % 50; });
    const Twins<double> values({600, 600}, {100, 100},
                               [](index_t i) { return static_cast<double>(i % 101) / 7; });
    const auto work = [](const auto& by, const auto& of) {
        return std::tuple_cat(pv::group_by_reduce(by, of, pv::sum, pv::group_size),
                              pv::group_by_reduce(pv::transpose(by), of, pv::max));
    };
    const auto expected = work(keys.memory, values.memory);
    const MemoryLimit limit(500'000);
    expect_same_bits(work(keys.chunks, values.chunks), expected);
    CHECK(values.stored->reads == 72); // each chunk once in each of both calls
    CHECK(keys.stored->reads == 72);
    CHECK(pv::chunk_statistics().peak_bytes <= 500'000);
}

TEST_CASE("large groups: temporary files") {
    const index_t rows = 100'000;
    const Twins<std::int64_t> keys({rows}, {5000},
                                   [](index_t i) { return i * 7919 % 100'000 * 1'000'003; });
    const Twins<std::int32_t> values({rows}, {5000},
                                     [](index_t i) { return static_cast<std::int32_t>(i % 97); });
    const auto expected = pv::group_by_reduce(keys.memory, values.memory, pv::sum, pv::last);
    const MemoryLimit limit(1 << 19);
    const oracle::TemporaryLimit of_files(12 << 20); // of one call at a time
    for (int i = 0; i < 5; ++i) {
        pv::drop_cached_chunks();
        pv::reset_chunk_statistics();
        const auto made = pv::group_by_reduce(keys.chunks, values.chunks, pv::sum, pv::last);
        CHECK(pv::chunk_statistics().chunks_read == 40); // and none of the results
        CHECK(std::get<0>(made).operand().node->reads(pv::Below::blocks));
        expect_same_bits(made, expected);
    }
    pv::set_temporary_limit(1 << 20);
    CHECK_THROWS_AS(pv::group_by_reduce(keys.chunks, values.chunks, pv::sum), pv::MemoryLimitError);
}

TEST_CASE("large groups: rows of one group that do not fit") {
    const index_t rows = 100'000;
    const Twins<std::int64_t> keys({rows}, {5000}, [](index_t) { return 5; });
    const Twins<double> values({rows}, {5000},
                               [](index_t i) { return static_cast<double>(i % 97); });
    const MemoryLimit limit(1 << 19);
    CHECK_THROWS_WITH(pv::group_by_reduce(keys.chunks, values.chunks, pv::median),
                      Catch::Matchers::StartsWith("group_by_reduce: ") &&
                          Catch::Matchers::ContainsSubstring("of one key"));
    expect_same_bits(by_states(keys.chunks, values.chunks), by_states(keys.memory, values.memory));
}

TEST_CASE("large groups: a NaN that is refused") {
    const index_t rows = 100'000;
    const Twins<std::int64_t> keys({rows}, {5000}, [](index_t i) { return i % 7; });
    const Twins<double> values({rows}, {5000}, [](index_t i) {
        return i == 71'234 ? std::numeric_limits<double>::quiet_NaN() : 1.;
    });
    const MemoryLimit limit(1 << 19);
    CHECK_THROWS_WITH(pv::group_by_reduce(keys.chunks, values.chunks, pv::sum(pv::throw_nan)),
                      Catch::Matchers::ContainsSubstring("71234"));
}

TEST_CASE("large groups: cancelled while they come together") {
    const index_t rows = 100'000;
    const Twins<std::int64_t> keys({rows}, {5000}, [=](index_t i) { return i * 7919 % rows; });
    const Twins<double> values({rows}, {5000}, [](index_t i) { return static_cast<double>(i); });
    bool finishing = false;
    const auto sum = pv::reducer<double>(
        "sum", 0., [](double& s, double x) { s += x; },
        [](double& s, const double& next) { s += next; },
        [&](const double& s) {
            finishing = true;
            return s;
        });
    const MemoryLimit limit(1 << 19);
    const auto told = pv::on_progress([&](const pv::Progress&) { return !finishing; },
                                      {.after_seconds = 0, .every_seconds = 0});
    CHECK_THROWS_AS(pv::group_by_reduce(keys.chunks, values.chunks, sum), pv::Cancelled);
    CHECK(finishing);
}

} // namespace large_groups_test
