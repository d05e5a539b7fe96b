#include "support/catch.hpp"

#include <purview/base/index_sequence.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace index_sequence_test {

using namespace purview;

TEST_CASE("an index list reads what it was made of", "[base]") {
    const IndexList list({4, 1, 4, -2, 7});
    CHECK(list.size() == 5);
    CHECK(list.at(0) == 4);
    CHECK(list.at(3) == -2);
    CHECK(list.min() == -2);
    CHECK(list.max() == 7);
    std::vector<index_t> block(3);
    list.read(1, block);
    CHECK(block == std::vector<index_t>{1, 4, -2});
    CHECK(list.data()[4] == 7);
}

TEST_CASE("the extremes of a list are its smallest and largest index, found or given", "[base]") {
    std::mt19937 random(3);
    for (std::size_t size = 0; size < 40; ++size) {
        std::vector<index_t> values(size);
        for (index_t& value : values) value = static_cast<index_t>(random() % 1000) - 500;
        const auto [least, greatest] =
            values.empty()
                ? std::pair<index_t, index_t>()
                : std::pair(*std::ranges::min_element(values), *std::ranges::max_element(values));
        const IndexList list(values);
        CHECK((list.min)() == least);
        CHECK((list.max)() == greatest);
        const auto given = make_index_sequence(nullptr, values, least, greatest);
        CHECK((given->min)() == least);
        CHECK((given->max)() == greatest);
        CHECK(same_indexes(list, *given));
    }
}

TEST_CASE("an empty index list has no positions", "[base]") {
    const IndexList list({});
    CHECK(list.size() == 0);
    CHECK(list.min() == 0);
    CHECK(list.max() == 0);
    CHECK(list.find_all(0).empty());
    CHECK(list.is_unique());
    list.read(0, {});
}

TEST_CASE("whether indexes differ, near each other and far", "[base]") {
    std::mt19937_64 random(8);
    constexpr index_t kLeast = std::numeric_limits<index_t>::min();
    constexpr index_t kGreatest = std::numeric_limits<index_t>::max();
    CHECK(IndexList(std::vector<index_t>{kLeast, kGreatest, 0}).is_unique());
    CHECK_FALSE(IndexList(std::vector<index_t>{kLeast, kGreatest, 0, kLeast}).is_unique());
    CHECK_FALSE(IndexList(std::vector<index_t>{5, 5}).is_unique());
    for (int round = 0; round < 200; ++round) {
        const index_t width = index_t{1} << (random() % 62);
        const index_t from = static_cast<index_t>(random() % 1000) - 500;
        std::vector<index_t> values(random() % 30);
        for (index_t& value : values)
            value = from + static_cast<index_t>(random() % static_cast<std::uint64_t>(width));
        const std::set<index_t> distinct(values.begin(), values.end());
        CHECK(IndexList(values).is_unique() == (distinct.size() == values.size()));
    }
}

TEST_CASE("an index list finds the positions of an index, ascending", "[base]") {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        std::vector<index_t> values(random() % 40);
        for (index_t& value : values) value = static_cast<index_t>(random() % 12);
        const IndexList list(values);
        std::vector<index_t> distinct = values;
        std::sort(distinct.begin(), distinct.end());
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        CHECK(list.is_unique() == (distinct.size() == values.size()));
        for (index_t value = -1; value <= 12; ++value) {
            std::vector<index_t> expected;
            for (std::size_t i = 0; i < values.size(); ++i)
                if (values[i] == value) expected.push_back(static_cast<index_t>(i));
            const auto found = list.find_all(value);
            CHECK(std::vector<index_t>(found.begin(), found.end()) == expected);
            CHECK(list.count(value) == static_cast<index_t>(expected.size()));
        }
    }
}

TEST_CASE("several threads may ask the first inverse question", "[base]") {
    std::vector<index_t> values(20000);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<index_t>(i * 7919 % 20000);
    const IndexList list(values);
    std::vector<std::thread> threads;
    std::vector<index_t> found(4);
    for (std::size_t t = 0; t < found.size(); ++t)
        threads.emplace_back([&, t] { found[t] = list.find_all(values[t * 100])[0]; });
    for (std::thread& thread : threads) thread.join();
    CHECK(found == std::vector<index_t>{0, 100, 200, 300});
}

TEST_CASE("a mask becomes the positions where it is true", "[base]") {
    const bool bools[] = {true, false, false, true};
    const auto from_bools = index_sequence_from_mask(std::span<const bool>(bools));
    CHECK(same_indexes(*from_bools, IndexList({0, 3})));
    const unsigned char bytes[] = {0, 255, 1, 0};
    const auto from_bytes = index_sequence_from_mask(std::span<const unsigned char>(bytes));
    CHECK(same_indexes(*from_bytes, IndexList({1, 2})));
    CHECK(index_sequence_from_mask(std::span<const bool>())->size() == 0);
}

TEST_CASE("sequences are the same by their indexes", "[base]") {
    const IndexList list({1, 2, 3});
    CHECK(same_indexes(list, list));
    CHECK(same_indexes(list, IndexList({1, 2, 3})));
    CHECK_FALSE(same_indexes(list, IndexList({1, 2})));
    CHECK_FALSE(same_indexes(list, IndexList({1, 1, 3})));
    CHECK_FALSE(same_indexes(list, IndexList({1, 2, 4})));
}

} // namespace index_sequence_test
