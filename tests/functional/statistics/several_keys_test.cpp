#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/rounds.hpp>

#include <purview/chrono.hpp>
#include <purview/purview.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace several_keys_test {

// Rows grouped by several columns, and several columns reduced.

namespace {

namespace pv = purview;
using oracle::Random;
using Hours = std::chrono::sys_time<std::chrono::hours>;

struct Trades {
    std::vector<std::string> symbol;
    std::vector<Hours> hour;
    std::vector<std::int32_t> venue;
    std::vector<double> price;
    std::vector<std::int64_t> size;
};

Trades random_trades(Random& random, int rows) {
    Trades trades;
    for (int row = 0; row < rows; ++row) {
        trades.symbol.push_back(std::string(1, static_cast<char>('A' + random.between(0, 4))));
        trades.hour.push_back(Hours(std::chrono::hours(random.between(100, 106))));
        trades.venue.push_back(static_cast<std::int32_t>(random.between(-1000000, 1000000)) /
                               400000);
        trades.price.push_back(static_cast<double>(random.between(1, 100)) / 4);
        trades.size.push_back(random.between(1, 9));
    }
    return trades;
}

struct Sums {
    double turnover = 0;
    std::int64_t volume = 0;
    std::int64_t rows = 0;
    std::vector<double> prices;
};

/// An own type without padding.
struct Place {
    std::int32_t x;
    std::int32_t y;
    bool operator==(const Place&) const = default;
    auto operator<=>(const Place&) const = default;
};

} // namespace

TEST_CASE("several keys and several columns in one pass") {
    for (unsigned seed = 0; seed < oracle::rounds(60U); ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        const Trades t =
            random_trades(random, seed == 0 ? 0 : static_cast<int>(random.between(1, 400)));
        const auto price = pv::tensor(t.price);
        const auto size = pv::tensor(t.size);
        const auto [symbols, hours, venues, turnover, volume, rows, middle] = pv::group_by_reduce(
            std::tuple(t.symbol, t.hour, t.venue), std::tuple(price * size, pv::sum),
            std::tuple(size, pv::sum, pv::group_size), std::tuple(price, pv::median));
        std::map<std::tuple<std::string, Hours, std::int32_t>, Sums> naive;
        for (std::size_t i = 0; i < t.price.size(); ++i) {
            Sums& sums = naive[{t.symbol[i], t.hour[i], t.venue[i]}];
            sums.turnover += t.price[i] * static_cast<double>(t.size[i]);
            sums.volume += t.size[i];
            ++sums.rows;
            sums.prices.push_back(t.price[i]);
        }
        REQUIRE(symbols.size() == static_cast<pv::index_t>(naive.size()));
        pv::index_t g = 0;
        for (auto& [key, sums] : naive) {
            REQUIRE(symbols(g) == std::get<0>(key));
            REQUIRE(hours(g) == std::get<1>(key));
            REQUIRE(venues(g) == std::get<2>(key));
            REQUIRE(turnover(g) == sums.turnover);
            REQUIRE(volume(g) == sums.volume);
            REQUIRE(rows(g) == sums.rows);
            REQUIRE(middle(g) == pv::median(pv::tensor(sums.prices)));
            ++g;
        }
    }
}

TEST_CASE("the order of several keys in which they appear first") {
    const std::vector<std::string> shop{"b", "a", "b", "a", "b"};
    const std::vector<int> day{2, 1, 1, 1, 2};
    const std::vector<int> sold{1, 2, 3, 4, 5};
    const auto [shops, days, totals] =
        pv::unordered_group_by_reduce(std::tie(shop, day), sold, pv::sum);
    CHECK(pv::to_vector(shops) == std::vector<std::string>{"b", "a", "b"});
    CHECK(pv::to_vector(days) == std::vector<int>{2, 1, 1});
    CHECK(pv::to_vector(totals) == std::vector<std::int64_t>{6, 6, 3});
    const auto [only, sums, sizes] =
        pv::tensor(shop) | pv::group_by_reduce(std::tuple(sold, pv::sum, pv::group_size));
    CHECK(pv::to_vector(only) == std::vector<std::string>{"a", "b"});
    CHECK(pv::to_vector(sums) == std::vector<std::int64_t>{6, 9});
    CHECK(pv::to_vector(sizes) == std::vector<std::int64_t>{2, 3});
}

TEST_CASE("keys of types known at run time, with dims and of two axes") {
    const pv::AnyTensor times(pv::tensor(std::vector<Hours>{
        Hours(std::chrono::hours(3)), Hours(std::chrono::hours(1)), Hours(std::chrono::hours(3))}));
    const pv::AnyTensor names(pv::tensor(std::vector<std::string>{"x", "y", "x"}));
    const auto [keys, words, sums] =
        pv::group_by_reduce(std::tuple(times, names), std::vector{1., 2., 4.}, pv::sum);
    CHECK(pv::to_vector(keys.as<Hours>()) ==
          std::vector<Hours>{Hours(std::chrono::hours(1)), Hours(std::chrono::hours(3))});
    CHECK(pv::to_vector(words.as<std::string>()) == std::vector<std::string>{"y", "x"});
    CHECK(pv::to_vector(sums) == std::vector{2., 5.});
    const auto grid = pv::tensor({{1, 2}, {2, 1}});
    const auto rows = pv::tensor({{0, 0}, {1, 1}});
    const auto [a, b, counts] = pv::group_by_reduce(std::tuple(grid, rows), grid, pv::group_size);
    CHECK(pv::to_vector(a) == std::vector{1, 1, 2, 2});
    CHECK(pv::to_vector(b) == std::vector{0, 1, 0, 1});
    CHECK(pv::to_vector(counts) == std::vector<std::int64_t>{1, 1, 1, 1});
}

TEST_CASE("integers of small ranges at the ends of their type are keys beside each other") {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const std::vector<std::int64_t> high{most, most - 2, most, most - 2, most - 1, most};
    const std::vector<std::int64_t> low{-most - 1, -most, -most - 1, -most, -most - 1, -most};
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    const std::vector<std::uint64_t> middle{half, half - 1, half, half - 1, half, half};
    const std::vector<double> values{1, 2, 4, 8, 16, 32};
    const auto [a, b, sums] = pv::group_by_reduce(std::tuple(high, low), values, pv::sum);
    CHECK(pv::to_vector(a) == std::vector{most - 2, most - 1, most, most});
    CHECK(pv::to_vector(b) == std::vector{-most, -most - 1, -most - 1, -most});
    CHECK(pv::to_vector(sums) == std::vector{10., 16., 5., 32.});
    const auto [c, d, parts] = pv::group_by_reduce(std::tuple(middle, low), values, pv::sum);
    CHECK(pv::to_vector(c) == std::vector{half - 1, half, half});
    CHECK(pv::to_vector(d) == std::vector{-most, -most - 1, -most});
    CHECK(pv::to_vector(parts) == std::vector{10., 21., 32.});
    const auto [e, f, counts] =
        pv::unordered_group_by_reduce(std::tuple(high, low), values, pv::group_size);
    CHECK(pv::to_vector(e) == std::vector{most, most - 2, most - 1, most});
    CHECK(pv::to_vector(f) == std::vector{-most - 1, -most, -most - 1, -most});
    CHECK(pv::to_vector(counts) == std::vector<std::int64_t>{2, 2, 1, 1});
}

TEST_CASE("columns of other lengths are refused") {
    const std::vector<int> three{1, 2, 3};
    const std::vector<int> two{1, 2};
    CHECK_THROWS_AS(pv::group_by_reduce(std::tuple(three, two), three, pv::sum), pv::ShapeError);
    CHECK_THROWS_AS(pv::group_by_reduce(std::tuple(three, three), std::tuple(two, pv::sum)),
                    pv::ShapeError);
    CHECK_THROWS_AS(
        pv::group_by_reduce(three, std::tuple(three, pv::sum), std::tuple(two, pv::sum)),
        pv::ShapeError);
}

TEST_CASE("keys of an own type without padding are those that their order tells apart") {
    for (unsigned seed = 0; seed < oracle::rounds(30U); ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        std::vector<Place> places;
        std::vector<double> values;
        std::map<Place, double> naive;
        for (std::int64_t rows = random.between(0, 200); rows > 0; --rows) {
            places.push_back({static_cast<std::int32_t>(random.between(-2, 2)),
                              static_cast<std::int32_t>(random.between(-2, 2))});
            values.push_back(static_cast<double>(random.between(0, 9)));
            naive[places.back()] += values.back();
        }
        const auto [keys, sums] = pv::group_by_reduce(places, values, pv::sum);
        REQUIRE(keys.size() == static_cast<pv::index_t>(naive.size()));
        pv::index_t g = 0;
        for (const auto& [place, total] : naive) {
            REQUIRE(keys.read(g) == place);
            REQUIRE(sums.read(g) == total);
            ++g;
        }
        const auto all = pv::unique_all(pv::tensor(places));
        REQUIRE(pv::to_vector(all.values) == pv::to_vector(keys));
        for (std::size_t i = 0; i < places.size(); ++i)
            REQUIRE(all.values.read(all.inverse.read(static_cast<pv::index_t>(i))) == places[i]);
    }
}

TEST_CASE("unique strings, their places and counts") {
    for (unsigned seed = 0; seed < oracle::rounds(30U); ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        std::vector<std::string> words;
        std::map<std::string, std::vector<std::int64_t>> naive;
        for (std::int64_t i = 0, count = random.between(0, 300); i < count; ++i) {
            words.emplace_back(static_cast<std::size_t>(random.between(0, 40)),
                               static_cast<char>('a' + random.between(0, 2)));
            naive[words.back()].push_back(i);
        }
        const auto found = pv::unique_all(words);
        const auto groups = pv::group_by(words);
        REQUIRE(found.values.size() == static_cast<pv::index_t>(naive.size()));
        REQUIRE(groups.size() == found.values.size());
        pv::index_t k = 0;
        for (const auto& [word, at] : naive) {
            REQUIRE(found.values.read(k) == word);
            REQUIRE(found.first_indexes.read(k) == at.front());
            REQUIRE(found.counts.read(k) == std::ssize(at));
            REQUIRE(groups[k].second.size() == std::ssize(at));
            for (const std::int64_t i : at) REQUIRE(found.inverse.read(i) == k);
            ++k;
        }
    }
}

} // namespace several_keys_test
