#include <support/catch.hpp>
#include <support/rounds.hpp>

#include <purview/base/errors.hpp>
#include <purview/reader/index_set.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace index_set_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using purview::index_t;
using purview::IndexInterval;
using purview::IndexSet;
using Naive = std::set<index_t>;

IndexSet made(const Naive& naive) {
    const std::vector<index_t> list(naive.begin(), naive.end());
    return IndexSet(std::span<const index_t>(list));
}

std::vector<index_t> listed(const IndexSet& set) {
    std::vector<index_t> list(static_cast<std::size_t>(set.size()));
    set.read(0, list);
    return list;
}

/// Lists, bits and runs, in one bitmap or several.
Naive random_naive(std::mt19937_64& random) {
    Naive naive;
    const index_t bases[] = {0,
                             65536,
                             3 * 65536,
                             index_t{1} << 32,
                             (index_t{5} << 32) + 65536 * 7,
                             std::numeric_limits<index_t>::max() - 65535};
    for (const index_t base : bases) {
        switch (random() % 5) {
        case 0: break;
        case 1:
            for (int i = 0; i < 50; ++i)
                naive.insert(base + static_cast<index_t>(random() % 65536));
            break;
        case 2:
            for (int i = 0; i < 9000; ++i)
                naive.insert(base + static_cast<index_t>(random() % 65536));
            break;
        case 3:
            for (index_t begin = 0; begin < 60000; begin += 5000)
                for (index_t i = 0; i < static_cast<index_t>(random() % 4000) + 1; ++i)
                    naive.insert(base + begin + i);
            break;
        default:
            for (index_t i = 0; i < 65536; ++i) naive.insert(base + i);
            break;
        }
    }
    return naive;
}

void check_same(const IndexSet& set, const Naive& naive) {
    REQUIRE(set.size() == std::ssize(naive));
    CHECK(listed(set) == std::vector<index_t>(naive.begin(), naive.end()));
    if (naive.empty()) return;
    CHECK(set.min() == *naive.begin());
    CHECK(set.max() == *naive.rbegin());
}

std::vector<std::byte> without(std::vector<std::byte> bytes, std::size_t at, unsigned char value) {
    bytes.at(at) = std::byte{value};
    return bytes;
}

} // namespace

TEST_CASE("an index set is what std::set is", "[index_set]") {
    std::mt19937_64 random(1);
    for (int round = 0; round < oracle::rounds(12); ++round) {
        const Naive a = random_naive(random);
        const Naive b = random_naive(random);
        const IndexSet x = made(a);
        const IndexSet y = made(b);
        check_same(x, a);
        const auto combined = [&](auto algorithm) {
            Naive result;
            algorithm(a.begin(), a.end(), b.begin(), b.end(), std::inserter(result, result.end()));
            return result;
        };
        const auto united = [](auto... it) { std::set_union(it...); };
        const auto common = [](auto... it) { std::set_intersection(it...); };
        const auto left = [](auto... it) { std::set_difference(it...); };
        const auto either = [](auto... it) { std::set_symmetric_difference(it...); };
        check_same(x | y, combined(united));
        check_same(x & y, combined(common));
        check_same(x - y, combined(left));
        check_same(x ^ y, combined(either));
        CHECK((x == y) == (a == b));
        CHECK((x | y) == (y | x));
        CHECK(is_subset(x & y, x));
        CHECK(is_subset(x, y) == std::includes(b.begin(), b.end(), a.begin(), a.end()));
        CHECK(intersects(x, y) == !combined(common).empty());
        CHECK(IndexSet::deserialize(x.serialize()) == x);
    }
}

TEST_CASE("index sets: rank, select, blocks, bools", "[index_set]") {
    std::mt19937_64 random(2);
    for (int round = 0; round < 6; ++round) {
        const Naive naive = random_naive(random);
        const std::vector<index_t> list(naive.begin(), naive.end());
        const IndexSet set = made(naive);
        std::vector<index_t> asked{0, 1, 65535, 65536, std::numeric_limits<index_t>::max(), -1};
        for (int i = 0; i < 300 && !list.empty(); ++i) {
            const index_t near = list[random() % list.size()];
            asked.push_back(near);
            if (near < std::numeric_limits<index_t>::max()) asked.push_back(near + 1);
            asked.push_back(near - 1);
        }
        for (const index_t index : asked) {
            CHECK(set.contains(index) == naive.contains(index));
            CHECK(set.rank(index) ==
                  std::lower_bound(list.begin(), list.end(), index) - list.begin());
        }
        const auto sequence = set.sequence();
        CHECK(sequence->size() == set.size());
        CHECK(sequence->is_unique());
        for (int i = 0; i < 300 && !list.empty(); ++i) {
            const std::size_t at = random() % list.size();
            const auto position = static_cast<index_t>(at);
            CHECK(set.select(position) == list[at]);
            CHECK(sequence->at(position) == list[at]);
            REQUIRE(sequence->find_all(list[at]).size() == 1);
            CHECK(sequence->find_all(list[at])[0] == position);
            const std::size_t count = std::min<std::size_t>(random() % 500, list.size() - at);
            std::vector<index_t> block(count);
            set.read(position, block);
            CHECK(std::equal(block.begin(), block.end(), list.begin() + position));
        }
        CHECK(sequence->find_all(-1).empty());
        const auto reader = set.reader();
        CHECK(std::equal(reader->begin(), reader->end(), list.begin(), list.end()));
    }
    const IndexSet some{3, 64, 70, 71, 199};
    const auto mask = some.mask_reader(200);
    bool block[150];
    mask->read_block(50, 1, block);
    for (index_t i = 0; i < 150; ++i) CHECK(block[i] == some.contains(50 + i));
    for (index_t i = 0; i < 200; ++i) CHECK(mask->read(i) == some.contains(i));
    CHECK_THROWS_AS(some.mask_reader(199), purview::IndexError);
}

TEST_CASE("index sets: intervals and complements", "[index_set]") {
    CHECK(IndexSet::interval(3, 3).empty());
    CHECK(IndexSet::interval(5, 2).empty());
    CHECK(listed(IndexSet::interval(3, 6)) == std::vector<index_t>{3, 4, 5});
    const index_t high = index_t{1} << 32;
    const IndexSet across = IndexSet::interval(high - 2, high + 3);
    CHECK(listed(across) == std::vector<index_t>{high - 2, high - 1, high, high + 1, high + 2});
    CHECK(across.as_interval() == IndexInterval{high - 2, high + 3});
    CHECK(IndexSet().as_interval() == IndexInterval{});
    CHECK_FALSE(IndexSet{1, 3}.as_interval());
    CHECK(IndexSet{7}.as_interval() == IndexInterval{7, 8});
    CHECK(listed(IndexSet{1, 3, 9}.complement(0, 5)) == std::vector<index_t>{0, 2, 4});
    CHECK(listed(IndexSet{1}.complement(3, 5)) == std::vector<index_t>{3, 4});
    CHECK(listed(IndexSet{5, 1, 5, 3}) == std::vector<index_t>{1, 3, 5});
}

TEST_CASE("index sets refuse what is no index or position", "[index_set]") {
    const IndexSet set{1, 2};
    CHECK_THROWS_WITH((IndexSet{3, -1}), ContainsSubstring("-1 is negative"));
    CHECK_THROWS_AS(IndexSet::interval(-1, 3), purview::IndexError);
    CHECK_THROWS_AS(IndexSet().min(), purview::IndexError);
    CHECK_THROWS_AS(IndexSet().max(), purview::IndexError);
    CHECK_THROWS_WITH(set.select(2), ContainsSubstring("position 2"));
    CHECK_THROWS_AS(set.select(-1), purview::IndexError);
    std::vector<index_t> out(2);
    CHECK_THROWS_AS(set.read(1, out), purview::IndexError);
    CHECK_THROWS_AS(set.read(3, std::span<index_t>()), purview::IndexError);
    CHECK_FALSE(set.contains(-1));
    CHECK(set.rank(-5) == 0);
}

TEST_CASE("index sets: hostile bytes are a typed error", "[index_set]") {
    std::mt19937_64 random(3);
    std::vector<std::vector<std::byte>> seeds{IndexSet().serialize(), IndexSet{5}.serialize(),
                                              IndexSet::interval(10, 200'000).serialize()};
    for (int i = 0; i < 3; ++i) seeds.push_back(made(random_naive(random)).serialize());
    const auto survives = [](const std::vector<std::byte>& bytes) {
        try {
            const IndexSet set = IndexSet::deserialize(bytes);
            // What is accepted is a set, and can be written and read again.
            const std::vector<index_t> list = listed(set);
            return std::is_sorted(list.begin(), list.end()) &&
                   IndexSet::deserialize(set.serialize()) == set;
        } catch (const purview::FormatError&) {
            return true;
        }
    };
    for (const std::vector<std::byte>& seed : seeds) {
        for (std::size_t length = 0; length < seed.size();
             length += seed.size() < 400 || length < 60 ? 1 : 997) {
            const std::vector<std::byte> cut(seed.begin(),
                                             seed.begin() + static_cast<std::ptrdiff_t>(length));
            CHECK_THROWS_AS(IndexSet::deserialize(cut), purview::FormatError);
        }
        for (int round = 0; round < 400; ++round) {
            const std::size_t head = std::min<std::size_t>(seed.size(), 80);
            const std::size_t at = random() % (round % 2 == 0 ? head : seed.size());
            CHECK(survives(without(seed, at, static_cast<unsigned char>(random()))));
        }
        std::vector<std::byte> longer = seed;
        longer.push_back(std::byte{0});
        CHECK_THROWS_WITH(IndexSet::deserialize(longer),
                          ContainsSubstring("behind the last bitmap"));
    }
    CHECK_THROWS_AS(IndexSet::deserialize({}), purview::FormatError);
    // A count of bitmaps that no bytes could hold.
    std::vector<std::byte> lying(8, std::byte{0xff});
    CHECK_THROWS_AS(IndexSet::deserialize(lying), purview::FormatError);
}

TEST_CASE("index sets: several threads may ask for the directory at once", "[index_set]") {
    const IndexSet set = IndexSet::interval(5, 1'000'000) - IndexSet{70, 700'000};
    std::vector<index_t> found(4);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < found.size(); ++t)
        threads.emplace_back([&, t] { found[t] = set.rank(800'000) + set.select(100); });
    for (std::thread& thread : threads) thread.join();
    CHECK(found == std::vector<index_t>(4, 799'993 + 106));
}

} // namespace index_set_test
