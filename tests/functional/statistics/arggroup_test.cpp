#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/functional/statistics/arggroup.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace arggroup_test {

namespace {

namespace pv = purview;
using oracle::index_t;
using oracle::Random;

template <typename K>
void check_groups(const pv::IndexGroups<K>& groups, const std::vector<K>& keys) {
    std::vector<K> seen;
    for (const K& key : keys)
        if (std::find(seen.begin(), seen.end(), key) == seen.end()) seen.push_back(key);
    REQUIRE(groups.keys() == seen);
    REQUIRE(groups.size() == std::ssize(seen));
    for (index_t g = 0; g < groups.size(); ++g) {
        std::vector<index_t> expected;
        for (std::size_t i = 0; i < keys.size(); ++i)
            if (keys[i] == groups.key(g)) expected.push_back(static_cast<index_t>(i));
        CHECK(pv::to_vector(groups.indexes(g)) == expected);
        REQUIRE(groups.find(groups.key(g)));
        CHECK(pv::to_vector(*groups.find(groups.key(g))) == expected);
    }
}

} // namespace

TEST_CASE("arggroup: keys in the order in which they appear, indexes ascending") {
    const auto x = pv::tensor({7, 3, 7, 1, 3});
    const auto groups = pv::arggroup(x);
    CHECK(groups.keys() == std::vector<int>{7, 3, 1});
    CHECK(pv::to_vector(groups.indexes(0)) == std::vector<index_t>{0, 2});
    CHECK(pv::to_vector(*groups.find(3)) == std::vector<index_t>{1, 4});
    CHECK_FALSE(groups.find(2));
    check_groups(pv::arggroup(pv::tensor({"b", "a", "b"})),
                 std::vector<std::string>{"b", "a", "b"});
    const auto parity = [](int value) { return value % 2 == 0; };
    const auto by_rest = [](int value) { return value % 3; };
    check_groups(pv::arggroup_by(by_rest, x), std::vector<int>{1, 0, 1, 1, 0});
    CHECK(pv::to_vector((x | pv::arggroup_by(parity)).indexes(0)) ==
          std::vector<index_t>{0, 1, 2, 3, 4});
    CHECK(pv::arggroup(pv::zeros({0})).size() == 0);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto odd = pv::arggroup(pv::tensor({nan, 0.0, nan, -0.0}));
    REQUIRE(odd.size() == 2);
    CHECK(std::isnan(odd.key(0)));
    CHECK(pv::to_vector(odd.indexes(0)) == std::vector<index_t>{0, 2});
    CHECK(pv::to_vector(odd.indexes(1)) == std::vector<index_t>{1, 3});
}

TEMPLATE_TEST_CASE("arggroup: every layout, by row-major indexes", "", std::int8_t, std::int64_t,
                   float) {
    Random random(4);
    for (int round = 0; round < oracle::rounds(12); ++round) {
        const auto x = oracle::random_layout<TestType>(random);
        INFO(x.name);
        check_groups(pv::arggroup(x.real), x.naive.values);
    }
}

struct OnlyLess {
    int key;
    bool operator==(const OnlyLess&) const = default;
    bool operator<(const OnlyLess& other) const { return key < other.key; }
};

TEST_CASE("arggroup: keys with == and < alone") {
    const auto groups = pv::arggroup(pv::tensor(std::vector<OnlyLess>{{2}, {1}, {2}}));
    REQUIRE(groups.size() == 2);
    CHECK(groups.key(0).key == 2);
    CHECK(pv::to_vector(groups.indexes(0)) == std::vector<index_t>{0, 2});
}

} // namespace arggroup_test
