#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/functional/statistics/group_by.hpp>
#include <purview/functional/statistics/percentiles.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace group_by_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::index_t;
using oracle::Random;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Keys in the order in which they appear, and the values of each.
template <typename K, typename V>
std::vector<std::pair<K, std::vector<V>>> naive_groups(const std::vector<K>& keys,
                                                       const std::vector<V>& values, bool ordered) {
    std::vector<std::pair<K, std::vector<V>>> groups;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        std::size_t at = 0;
        while (at < groups.size() && groups[at].first != keys[i]) ++at;
        if (at == groups.size()) {
            if (ordered)
                for (at = 0; at < groups.size() && groups[at].first < keys[i];) ++at;
            groups.insert(groups.begin() + static_cast<std::ptrdiff_t>(at), {keys[i], {}});
        }
        groups[at].second.push_back(values[i]);
    }
    return groups;
}

} // namespace

TEMPLATE_TEST_CASE("groups are reduced as each of them is", "", bool, std::int8_t, std::int32_t,
                   std::int64_t, std::uint8_t, std::uint64_t, float, double) {
    using K = TestType;
    for (unsigned seed = 0; seed < oracle::rounds(40U); ++seed) {
        Random random(seed);
        const auto keys = oracle::random_layout<K>(random);
        std::vector<std::int32_t> numbers;
        for (index_t i = 0; i < keys.naive.size(); ++i)
            numbers.push_back(static_cast<std::int32_t>(random.between(-1000, 1000)));
        const auto values =
            pv::reshape(pv::tensor(std::vector<std::int32_t>(numbers)), keys.naive.shape);
        INFO("seed " << seed << " " << keys.name);
        const auto check = [&](bool ordered, const auto& result) {
            const auto& [names, sums, means, least, greatest, sizes, medians, products] = result;
            const auto expected = naive_groups(keys.naive.values, numbers, ordered);
            REQUIRE(names.size() == std::ssize(expected));
            std::size_t wrong = 0;
            for (index_t g = 0; g < names.size(); ++g) {
                const auto& [name, part] = expected[static_cast<std::size_t>(g)];
                const auto x = pv::tensor(std::vector<std::int32_t>(part));
                wrong += names(g) != name;
                wrong += sums(g) != pv::sum(x);
                wrong += means(g) != pv::mean(x);
                wrong += least(g) != pv::min(x);
                wrong += greatest(g) != pv::max(x);
                wrong += sizes(g) != x.size();
                wrong += medians(g) != pv::median(x);
                wrong += products(g) != pv::product(x);
            }
            CHECK(wrong == 0);
        };
        check(true, pv::group_by_reduce(keys.real, values, pv::sum, pv::mean, pv::min, pv::max,
                                        pv::group_size, pv::median, pv::product));
        check(false,
              pv::unordered_group_by_reduce(keys.real, values * 1, pv::sum, pv::mean, pv::min,
                                            pv::max, pv::group_size, pv::median, pv::product));
    }
}

TEMPLATE_TEST_CASE("values of any type are reduced", "", bool, std::uint8_t, std::int16_t,
                   std::int64_t, std::uint64_t, float, double) {
    using V = TestType;
    Random random(8);
    const auto values = oracle::random_layout<V>(random);
    std::vector<index_t> keys;
    for (index_t i = 0; i < values.naive.size(); ++i)
        keys.push_back(random.between(0, 4) * 1'000'000'007);
    const auto names = pv::reshape(pv::tensor(std::vector<index_t>(keys)), values.naive.shape);
    const auto [found, sums, means, least, sizes] =
        pv::group_by_reduce(names, values.real, pv::sum, pv::mean, pv::min, pv::group_size);
    const auto expected = naive_groups(keys, values.naive.values, true);
    STATIC_REQUIRE(std::same_as<std::decay_t<decltype(sums)>, pv::Tensor<pv::Accumulated<V>>>);
    STATIC_REQUIRE(std::same_as<std::decay_t<decltype(means)>, pv::Tensor<pv::Averaged<V>>>);
    STATIC_REQUIRE(std::same_as<std::decay_t<decltype(least)>, pv::Tensor<V>>);
    REQUIRE(found.size() == std::ssize(expected));
    for (index_t g = 0; g < found.size(); ++g) {
        const auto& [name, part] = expected[static_cast<std::size_t>(g)];
        double total = 0;
        for (const V value : part) total += static_cast<double>(value);
        const auto count = static_cast<double>(part.size());
        CHECK(found(g) == name);
        CHECK(means(g) == Catch::Approx(std::same_as<V, std::uint64_t> ? means(g) : total / count));
        CHECK(least(g) == *std::ranges::min_element(part));
        CHECK(sizes(g) == std::ssize(part));
        if constexpr (std::floating_point<V>) CHECK(sums(g) == Catch::Approx(total));
    }
}

TEST_CASE("groups of many rows, by table and by hash, in order and as they appear") {
    constexpr index_t kRows = 700'000;
    Random random(4);
    std::vector<index_t> keys;
    std::vector<double> values;
    for (index_t i = 0; i < kRows; ++i) {
        keys.push_back(random.between(-20'000, 20'000));
        values.push_back(static_cast<double>(random.between(0, 1000)));
    }
    std::map<index_t, std::pair<double, index_t>> expected;
    std::vector<index_t> appearing;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        auto& [total, count] = expected[keys[i]];
        if (count++ == 0) appearing.push_back(keys[i]);
        total += values[i];
    }
    const auto k = pv::tensor(std::vector<index_t>(keys));
    const auto v = pv::tensor(std::vector<double>(values));
    const auto check = [&](const auto& names, const auto& result, double scale) {
        const auto& [found, sums, sizes] = result;
        REQUIRE(found.size() == std::ssize(expected));
        std::size_t wrong = 0;
        for (index_t g = 0; g < found.size(); ++g) {
            const index_t name = names(g);
            wrong += static_cast<double>(found(g)) != static_cast<double>(name) * scale;
            wrong += sums(g) != expected.at(name).first; // sums of integers are exact
            wrong += sizes(g) != expected.at(name).second;
        }
        CHECK(wrong == 0);
    };
    std::vector<index_t> ordered;
    for (const auto& [name, of_name] : expected) ordered.push_back(name);
    const auto in_order = pv::tensor(std::move(ordered));
    const auto as_they_appear = pv::tensor(std::move(appearing));
    for (const int threads : {1, 3}) {
        pv::set_threads(threads);
        check(in_order, pv::group_by_reduce(k, v, pv::sum, pv::group_size), 1);
        check(as_they_appear, pv::unordered_group_by_reduce(k, v, pv::sum, pv::group_size), 1);
        check(in_order, pv::group_by_reduce(k * 1'000'003, v, pv::sum, pv::group_size), 1'000'003);
        check(as_they_appear, pv::unordered_group_by_reduce(k * 0.5, v, pv::sum, pv::group_size),
              0.5);
    }
    pv::set_threads(0);
}

TEST_CASE("groups by strings, of strings, and by functions of the user's") {
    const auto shops = pv::tensor({"north", "south", "north", "east", "south", "north"});
    const auto sales = pv::tensor({1.0, 2.0, 3.0, 4.0, 5.0, 6.0});
    const auto [names, totals] = pv::group_by_reduce(shops, sales, pv::sum);
    CHECK(pv::to_vector(names) == std::vector<std::string>{"east", "north", "south"});
    CHECK(pv::to_vector(totals) == std::vector<double>{4, 10, 7});
    const auto [seen, spread, last] = pv::unordered_group_by_reduce(
        shops, sales, [](const pv::Tensor<double>& x) { return pv::max(x) - pv::min(x); },
        [](const pv::Tensor<double>& x) { return x(x.size() - 1); });
    CHECK(pv::to_vector(seen) == std::vector<std::string>{"north", "south", "east"});
    CHECK(pv::to_vector(spread) == std::vector<double>{5, 3, 0});
    CHECK(pv::to_vector(last) == std::vector<double>{6, 5, 4});
    const auto [keys, firsts, sizes] =
        pv::group_by_reduce(pv::tensor({2, 1, 2, 1, 1, 2}), shops, pv::min, pv::group_size);
    CHECK(pv::to_vector(firsts) == std::vector<std::string>{"east", "north"});
    CHECK(pv::to_vector(sizes) == std::vector<std::int64_t>{3, 3});
}

TEST_CASE("groups of nothing, NaN, zeros, the widest integers; errors") {
    const auto [none, sums, medians] =
        pv::group_by_reduce(pv::zeros<int>({0}), pv::zeros({0}), pv::sum, pv::median);
    CHECK(none.size() == 0);
    CHECK(sums.size() == 0);
    CHECK(medians.size() == 0);
    CHECK(std::get<0>(pv::group_by_reduce(pv::zeros({0}), pv::zeros({0}), pv::min)).size() == 0);
    const auto [names, totals, least, sizes] = pv::group_by_reduce(
        pv::tensor({kNaN, 0.0, -0.0, kNaN, -1.0}), pv::tensor({1.0, 2.0, 3.0, kNaN, 5.0}), pv::sum,
        pv::min, pv::group_size);
    REQUIRE(names.size() == 3);
    CHECK(names(0) == -1);
    CHECK(names(1) == 0);
    CHECK(std::isnan(names(2)));
    CHECK(totals(1) == 5);
    CHECK(std::isnan(totals(2)));
    CHECK(std::isnan(least(2)));
    CHECK(least(1) == 2);
    CHECK(pv::to_vector(sizes) == std::vector<std::int64_t>{1, 2, 2});
    const auto [wide, of_wide] =
        pv::group_by_reduce(pv::tensor<std::int64_t>({INT64_MAX, INT64_MIN, INT64_MAX}),
                            pv::tensor({1, 2, 4}), pv::sum);
    CHECK(pv::to_vector(wide) == std::vector<std::int64_t>{INT64_MIN, INT64_MAX});
    CHECK(of_wide(1) == 5);
    const auto [high, of_high] =
        pv::group_by_reduce(pv::tensor<std::uint64_t>({UINT64_MAX, UINT64_MAX - 2, UINT64_MAX}),
                            pv::tensor({1, 2, 4}), pv::sum);
    CHECK(high(0) == UINT64_MAX - 2);
    CHECK(of_high(1) == 5);
    CHECK_THROWS_WITH(pv::group_by_reduce(pv::zeros({2}), pv::zeros({3}), pv::sum),
                      ContainsSubstring("[2]") && ContainsSubstring("[3]"));
}

namespace {

/// Groups of integers by `std::map`, whatever they begin with: whether a sum is 0 tells nothing.
template <typename K>
void check_table(K least, index_t range, index_t rows, unsigned seed, bool sorted) {
    Random random(seed);
    std::vector<index_t> offsets;
    for (index_t i = 0; i < rows; ++i) offsets.push_back(random.between(0, range - 1));
    if (sorted) std::ranges::sort(offsets);
    std::vector<K> keys;
    std::vector<std::int64_t> values;
    std::map<K, std::pair<std::int64_t, index_t>> expected;
    std::vector<K> appearing;
    for (const index_t offset : offsets) {
        const auto key =
            static_cast<K>(static_cast<std::uint64_t>(least) + static_cast<std::uint64_t>(offset));
        const std::int64_t value = random.between(-1, 1);
        keys.push_back(key);
        values.push_back(value);
        auto& [total, count] = expected[key];
        if (count++ == 0) appearing.push_back(key);
        total += value;
    }
    const auto check = [&](const auto& result, const auto& names) {
        const auto& [found, sums, sizes, floats, greatest] = result;
        REQUIRE(pv::to_vector(found) == names);
        std::size_t wrong = 0;
        for (index_t g = 0; g < found.size(); ++g) {
            const auto& [total, count] = expected.at(found(g));
            wrong += sums(g) != total;
            wrong += sizes(g) != count;
            wrong +=
                floats(g) != static_cast<double>(total) || std::signbit(floats(g)) != (total < 0);
            wrong += greatest(g) < -1;
        }
        CHECK(wrong == 0);
    };
    std::vector<K> in_order;
    for (const auto& [name, of_name] : expected) in_order.push_back(name);
    const auto k = pv::tensor(std::move(keys));
    const auto v = pv::tensor(std::move(values));
    const auto in_floats = v * -0.5 * -2.0; // some of them are -0
    const auto reduce_by = [&](const auto& by) {
        const auto [found, sums, sizes, greatest] = by(k, v, pv::sum, pv::group_size, pv::max);
        return std::tuple{found, sums, sizes, std::get<1>(by(k, in_floats, pv::sum)), greatest};
    };
    check(reduce_by(pv::group_by_reduce), in_order);
    check(reduce_by(pv::unordered_group_by_reduce), appearing);
}

} // namespace

TEST_CASE("keys in a range, wherever it is, of few slots and of many, with holes and without") {
    for (const bool sorted : {false, true})
        for (const index_t range : {1, 3, 1000, 20'000, 300'000}) {
            INFO(range << (sorted ? " sorted" : ""));
            const auto seed = static_cast<unsigned>(range);
            check_table<std::int64_t>(0, range, 5'000, seed, sorted);
            check_table<std::int64_t>(INT64_MIN, range, 300'007, seed, sorted);
            check_table<std::int64_t>(INT64_MAX - range + 1, range, 40'000, seed, sorted);
            check_table<std::int32_t>(-500, range, 40'000, seed, sorted);
            check_table<std::uint64_t>(UINT64_MAX - static_cast<std::uint64_t>(range) + 1, range,
                                       40'000, seed, sorted);
            // On both sides of where signed numbers end.
            check_table<std::uint64_t>((std::uint64_t{1} << 63) - 2, range, 40'000, seed, sorted);
        }
    check_table<std::int8_t>(-128, 256, 3'000, 1, false);
    check_table<std::uint8_t>(0, 256, 3'000, 2, false);
}

TEST_CASE("sums of nothing but -0 are 0, as of integers that come to what a table begins with") {
    const auto keys = pv::tensor<std::int64_t>({7, 3, 7, 9});
    const auto [found, sums, least] =
        pv::group_by_reduce(keys, pv::tensor({-0.0, -0.0, -0.0, 1.0}), pv::sum, pv::min);
    CHECK(pv::to_vector(found) == std::vector<std::int64_t>{3, 7, 9});
    CHECK_FALSE(std::signbit(sums(0)));
    CHECK_FALSE(std::signbit(sums(1)));
    CHECK(std::signbit(least(0)));
    const auto [names, totals] = pv::group_by_reduce(keys, pv::tensor({2, 0, -2, 5}), pv::sum);
    CHECK(pv::to_vector(names) == std::vector<std::int64_t>{3, 7, 9});
    CHECK(pv::to_vector(totals) == std::vector<std::int64_t>{0, 0, 5});
}

TEST_CASE("sums of groups do not depend on the number of threads") {
    const auto values = pv::clone(1.0 / (pv::arange(1'500'000.0) + 0.1));
    for (const index_t groups : {3, 997, 50'000}) {
        const auto keys = pv::clone(pv::cast<std::int64_t>(pv::arange(1'500'000) % groups));
        pv::set_threads(1);
        const auto alone = pv::to_vector(std::get<1>(pv::group_by_reduce(keys, values, pv::sum)));
        pv::set_threads(3);
        CHECK(pv::to_vector(std::get<1>(pv::group_by_reduce(keys, values, pv::sum))) == alone);
        pv::set_threads(0);
    }
}

namespace {

/// Elements as their bytes, so that -0 is not 0.
template <typename T>
std::vector<std::byte> bits_of(const pv::Tensor<T>& x) {
    const auto held = pv::clone(x);
    const auto bytes = std::as_bytes(pv::as_span(held));
    return {bytes.begin(), bytes.end()};
}

/// Sums and means alone, found in one pass with the range of keys, are those over a range that was
/// found before, for other reducers.
template <typename Keys, typename Values>
void check_alone(const Keys& keys, const Values& values) {
    const auto [found, size, sums, means] =
        pv::group_by_reduce(keys, values, pv::group_size, pv::sum, pv::mean);
    const auto [keys_of_sums, alone] = pv::group_by_reduce(keys, values, pv::sum);
    const auto [keys_of_means, means_alone] = pv::group_by_reduce(keys, values, pv::mean);
    CHECK(bits_of(means_alone) == bits_of(means));
    const auto [keys_of_sizes, sizes] = pv::group_by_reduce(keys, values, pv::group_size);
    CHECK(bits_of(sizes) == bits_of(size));
    const auto [appearing, totals] = pv::unordered_group_by_reduce(keys, values, pv::sum);
    const auto [as_appearing, most, beside] =
        pv::unordered_group_by_reduce(keys, values, pv::max, pv::sum);
    CHECK(bits_of(appearing) == bits_of(as_appearing));
    CHECK(bits_of(totals) == bits_of(beside));
}

} // namespace

TEST_CASE("sums alone are those beside others, wherever keys are and however they come") {
    const auto rows = static_cast<index_t>(oracle::rounds(200'000U));
    Random random(17);
    std::vector<double> numbers;
    for (index_t i = 0; i < rows; ++i)
        numbers.push_back(random.between(0, 9) == 0
                              ? -0.0
                              : static_cast<double>(random.between(-1'000'000, 1'000'000)) / 7);
    const auto values = pv::tensor(std::vector<double>(numbers));
    const auto whole = pv::clone(pv::cast<std::int32_t>(values * 0.00001));
    constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    for (const index_t range : {1, 3, 200, 1000, 4096, 4097, 9000}) {
        std::vector<index_t> offsets;
        for (index_t i = 0; i < rows; ++i) offsets.push_back(random.between(0, range - 1));
        for (const bool in_order : {false, true}) {
            if (in_order) std::ranges::sort(offsets);
            const auto off = pv::tensor(std::vector<index_t>(offsets));
            INFO("range " << range << ", in order " << in_order);
            check_alone(off, values);
            check_alone(off, whole);
            check_alone(off * 1 + kLeast, values);
            check_alone(pv::clone(off + (kMost - range + 1)), values);
            check_alone(pv::clone(pv::cast<std::int32_t>(off - 500)), values);
            check_alone(pv::clone(pv::cast<std::uint64_t>(off) + (std::uint64_t{1} << 63)), values);
            check_alone(pv::clone(pv::cast<std::uint64_t>(off) - std::uint64_t{2}), values);
            check_alone(pv::clone(pv::cast<std::int16_t>(off % 300)), whole);
            check_alone(pv::cast<std::uint8_t>(off % 250), values);
        }
    }
    // Keys beyond all others, in the last rows, next to the first of the block before.
    std::vector<index_t> late(static_cast<std::size_t>(rows), 5);
    for (const index_t beyond : {-1, 40, 3'000, 5'000, 1'000'000'000}) {
        late[static_cast<std::size_t>(rows - 2)] = beyond;
        check_alone(pv::tensor(std::vector<index_t>(late)), values);
        check_alone(pv::tensor(std::vector<index_t>(late)), pv::zeros<std::int64_t>({rows}));
    }
}

TEST_CASE("groups of times, of strings of any length, and of keys that are whole steps apart") {
    namespace chr = std::chrono;
    Random random(77);
    for (unsigned round = 0; round < oracle::rounds(20U); ++round) {
        const index_t rows = random.between(0, 3000);
        const index_t kinds = random.between(1, 400);
        const std::int64_t step = random.between(1, 100'000);
        const std::int64_t least = random.between(-1'000'000'000'000, 1'000'000'000'000);
        const index_t odd = round % 3 == 0 ? 1 : 0; // which is no whole step
        std::vector<std::int64_t> counts;
        std::vector<chr::sys_seconds> times;
        std::vector<std::string> words;
        std::vector<double> values;
        std::map<std::int64_t, std::pair<double, std::int64_t>> by_time;
        std::map<std::string, double> by_word;
        for (index_t i = 0; i < rows; ++i) {
            const index_t kind = random.between(0, kinds - 1);
            counts.push_back(least + kind * step + (i == rows - 1 ? odd : 0));
            times.push_back(chr::sys_seconds(chr::seconds(counts.back())));
            words.push_back(std::string(static_cast<std::size_t>(kind % 40), 'a') +
                            std::to_string(kind));
            if (kind % 7 == 0) words.back().assign(static_cast<std::size_t>(kind % 23), '\0');
            values.push_back(static_cast<double>(random.between(-50, 50)));
            by_time[counts.back()].first += values.back();
            ++by_time[counts.back()].second;
            by_word[words.back()] += values.back();
        }
        const auto x = pv::tensor(std::vector<double>(values));
        const auto [keys, sums, sizes] = pv::group_by_reduce(
            pv::tensor(std::vector<chr::sys_seconds>(times)), x, pv::sum, pv::group_size);
        const auto [ints, int_sums] =
            pv::group_by_reduce(pv::tensor(std::vector<std::int64_t>(counts)), x, pv::sum);
        REQUIRE(keys.size() == static_cast<index_t>(by_time.size()));
        REQUIRE(ints.size() == keys.size());
        index_t g = 0;
        bool same = true;
        for (const auto& [time, of_time] : by_time) {
            same = same && keys.read(g).time_since_epoch().count() == time && ints.read(g) == time;
            same = same && sums.read(g) == of_time.first && int_sums.read(g) == of_time.first;
            same = same && sizes.read(g) == of_time.second;
            ++g;
        }
        CHECK(same);
        const auto [names, totals] =
            pv::group_by_reduce(pv::tensor(std::vector<std::string>(words)), x, pv::sum);
        REQUIRE(names.size() == static_cast<index_t>(by_word.size()));
        g = 0;
        for (const auto& [word, total] : by_word) {
            same = same && names.read(g) == word && totals.read(g) == total;
            ++g;
        }
        CHECK(same);
    }
    const auto durations = pv::tensor({chr::hours(2), chr::hours(1), chr::hours(2)});
    const auto [hours, sizes] = pv::unordered_group_by_reduce(
        durations, durations | pv::emap([](chr::hours h) { return double(h.count()); }),
        pv::group_size);
    CHECK(pv::to_vector(hours) == std::vector{chr::hours(2), chr::hours(1)});
    CHECK(pv::to_vector(sizes) == std::vector<std::int64_t>{2, 1});
}

} // namespace group_by_test
