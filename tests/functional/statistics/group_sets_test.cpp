#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/functional/reductions/reduce.hpp>
#include <purview/functional/statistics/arggroup.hpp>

#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace group_sets_test {

namespace {

namespace pv = purview;
using oracle::index_t;
using oracle::Random;
using Indexes = std::vector<index_t>;

template <typename K>
void check_sets(const pv::GroupSets<K>& groups, const std::vector<K>& keys) {
    std::map<K, Indexes> expected;
    for (std::size_t i = 0; i < keys.size(); ++i)
        expected[keys[i]].push_back(static_cast<index_t>(i));
    REQUIRE(groups.size() == std::ssize(expected));
    auto next = expected.begin();
    for (const auto& [key, set] : groups) {
        CHECK(key == next->first);
        CHECK(set == pv::IndexSet(std::span<const index_t>(next->second)));
        REQUIRE(groups.find(key));
        CHECK(*groups.find(key) == set);
        ++next;
    }
}

template <typename T>
void check_layouts(unsigned seed) {
    Random random(seed);
    for (int round = 0; round < oracle::rounds(30); ++round) {
        const auto x = oracle::random_layout<T>(random);
        INFO(x.name);
        check_sets(pv::group_by(x.real), x.naive.values);
    }
}

} // namespace

TEST_CASE("group_by: the indexes of each key as a set, keys in order, of every layout") {
    check_layouts<std::int8_t>(41);
    check_layouts<double>(42);
    check_layouts<bool>(43);
    const std::vector<std::string> words{"b", "a", "", "b", "a"};
    check_sets(pv::group_by(words), words);
    check_sets(pv::tensor(std::vector<std::string>(words)) | pv::group_by, words);
    CHECK(pv::group_by(pv::zeros({0})).size() == 0);
    CHECK(pv::group_by(pv::zeros({3, 0})).size() == 0);
    CHECK((pv::group_by(pv::reshape(pv::tensor({7.}), {}))[0] == std::pair{7.0, pv::IndexSet{0}}));
    const std::vector<std::chrono::seconds> times{std::chrono::seconds(3), std::chrono::seconds(-1),
                                                  std::chrono::seconds(3)};
    check_sets(pv::group_by(times), times);
}

TEST_CASE("group_by: by a function, as views, and set algebra of two columns") {
    const auto shops = pv::tensor({"north", "south", "north", "east", "south", "north"});
    const auto years = pv::tensor({2020, 2020, 2021, 2021, 2021, 2021});
    const auto sales = pv::tensor({1.0, 2.0, 3.0, 4.0, 5.0, 6.0});
    std::vector<double> totals;
    for (const auto& [shop, rows] : pv::group_by(shops)) totals.push_back(pv::sum(sales(rows)));
    CHECK(totals == std::vector{4.0, 10.0, 7.0});
    const pv::IndexSet both = *pv::group_by(shops).find("north") & *pv::group_by(years).find(2021);
    CHECK(both == pv::IndexSet{2, 5});
    CHECK(pv::sum(sales(both)) == 9.0);
    CHECK_FALSE(pv::group_by(shops).find("west"));
    CHECK_FALSE(pv::group_by(years).find(2019));
    const auto large = [](double x) { return x > 3; };
    const auto by_size = pv::group_by(large, sales);
    CHECK((by_size[1] == std::pair{true, pv::IndexSet{3, 4, 5}}));
    CHECK(((sales | pv::group_by(large))[0] == std::pair{false, pv::IndexSet{0, 1, 2}}));
    CHECK_THROWS_AS(by_size[2], std::out_of_range);
}

TEST_CASE("group_by: NaN is one group, the last; zeros are one") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto groups = pv::group_by(pv::tensor({nan, 0.0, 5.0, -0.0, nan, -1.0}));
    REQUIRE(groups.size() == 4);
    CHECK((groups[0] == std::pair{-1.0, pv::IndexSet{5}}));
    CHECK((groups[1].second == pv::IndexSet{1, 3}));
    CHECK(std::isnan(groups[3].first));
    CHECK((groups[3].second == pv::IndexSet{0, 4}));
    CHECK((*groups.find(nan) == pv::IndexSet{0, 4}));
    CHECK((*groups.find(0.0) == pv::IndexSet{1, 3}));
    CHECK_FALSE(groups.find(6.0));
}

} // namespace group_sets_test
