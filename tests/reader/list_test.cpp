#include <support/reader_laws.hpp>

#include <support/rounds.hpp>

#include <purview/reader/list.hpp>
#include <purview/reader/range_reader.hpp>

#include <algorithm>
#include <list>
#include <random>
#include <ranges>
#include <thread>

namespace list_test {

namespace pv = purview;
using namespace reader_laws;

namespace {

/// A list beside a vector that does the same.
template <typename T>
void check_same(const pv::List<T>& list, const std::vector<T>& twin) {
    REQUIRE(list.size() == static_cast<index_t>(twin.size()));
    REQUIRE(std::ranges::equal(list, twin));
}

} // namespace

/// Throws when it is copied or made too often.
struct Fragile {
    static inline int alive = 0;
    static inline int copies_left = 1 << 30;
    int value = 0;
    Fragile() { ++alive; }
    explicit Fragile(int v) : value(v) { ++alive; }
    Fragile(const Fragile& other) : value(other.value) {
        if (--copies_left < 0) throw std::runtime_error("copied too often");
        ++alive;
    }
    Fragile& operator=(const Fragile& other) {
        if (--copies_left < 0) throw std::runtime_error("copied too often");
        value = other.value;
        return *this;
    }
    ~Fragile() { --alive; }
    friend bool operator==(const Fragile&, const Fragile&) = default;
};

using list_test::Fragile;

static_assert(std::ranges::random_access_range<pv::List<int>>);
static_assert(std::is_nothrow_move_constructible_v<pv::List<std::string>>);

TEMPLATE_TEST_CASE("A list does what a vector does, and its snapshots stay", "", READER_TYPES) {
    const unsigned seed = Catch::getSeed();
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&](index_t n) {
        return static_cast<index_t>(random() % static_cast<unsigned long>(n));
    };

    pv::List<TestType> list;
    std::vector<TestType> twin;
    struct Kept {
        pv::ConstBufferPtr<TestType> snapshot;
        std::vector<TestType> values;
    };
    std::vector<Kept> kept;
    const auto at = [&](index_t i) { return twin.begin() + i; };

    for (int round = 0; round < oracle::rounds(1500); ++round) {
        const index_t n = list.size();
        const TestType value = sample<TestType>(round);
        const unsigned long which = random() % 12;
        INFO("round " << round << " operation " << which << " size " << n);
        switch (which) {
        case 0:
        case 1:
            list.append(value);
            twin.push_back(value);
            break;
        case 2: {
            const Values<TestType> values = Values<TestType>::samples(below(6), round);
            list.append(values);
            twin.insert(twin.end(), values.begin(), values.end());
            break;
        }
        case 3: {
            const index_t place = below(n + 1);
            list.insert(n > 0 && place < n && place % 2 == 0 ? place - n : place, value);
            twin.insert(at(place), value);
            break;
        }
        case 4: {
            const index_t place = below(n + 1);
            const Values<TestType> values = Values<TestType>::samples(below(5), round);
            list.insert(place, values);
            twin.insert(at(place), values.begin(), values.end());
            break;
        }
        case 5:
            if (n > 0) {
                const index_t place = below(n);
                list.erase(place % 2 == 0 ? place : place - n);
                twin.erase(at(place));
            }
            break;
        case 6: {
            const index_t begin = below(n + 1);
            const index_t end = begin + below(std::min<index_t>(n - begin, 6) + 1);
            list.erase(begin, end);
            twin.erase(at(begin), at(end));
            break;
        }
        case 7:
        case 8:
            if (n > 0) {
                const index_t place = below(n);
                list.write(place, value);
                twin[static_cast<std::size_t>(place)] = value;
            }
            break;
        case 9: kept.push_back({list.snapshot(), twin}); break;
        case 10:
            if (!kept.empty() && below(3) > 0)
                kept.erase(kept.begin() + below(static_cast<index_t>(kept.size())));
            break;
        case 11:
            if (below(40) == 0) {
                list.clear();
                twin.clear();
            } else if (below(4) == 0) {
                list.reserve(n + below(20));
            } else if (below(10) == 0 && n < 100) {
                list.append(list);
                const std::vector<TestType> copy = twin; // inserting a part of itself is undefined
                twin.insert(twin.end(), copy.begin(), copy.end());
            }
            break;
        }
        check_same(list, twin);
        for (const Kept& one : kept) REQUIRE(std::ranges::equal(*one.snapshot, one.values));
    }
}

TEST_CASE("A snapshot is O(1) and shares the list's memory") {
    pv::List<int> list{1, 2, 3};
    list.reserve(10);
    const auto first = list.snapshot();
    CHECK(first->memory().data == list.snapshot()->memory().data);
    list.append(4);
    const auto second = list.snapshot();
    CHECK(second->memory().data == first->memory().data);
    CHECK(first->storage() == second->storage());
    CHECK(first->size() == 3);
    list.write(3, 9);
    CHECK(second->read(3) == 4);
    CHECK(list.read(3) == 9);
    CHECK(list.snapshot()->memory().data != first->memory().data);
}

TEST_CASE("Memory that no snapshot covers any more is changed in place") {
    pv::List<int> list{1, 2, 3};
    const void* const data = list.snapshot()->memory().data;
    list.write(0, 5);
    list.erase(1);
    list.insert(0, 7);
    CHECK(list.snapshot()->memory().data == data);
    check_same(list, {7, 5, 3});

    // Elements behind the snapshot are free as well.
    const auto snapshot = list.snapshot();
    list.append(8);
    list.append(9);
    list.write(-1, 10);
    list.erase(3);
    CHECK(list.snapshot()->memory().data == data);
    check_same(list, {7, 5, 3, 10});
    CHECK(std::ranges::equal(*snapshot, std::vector{7, 5, 3}));
}

TEST_CASE("A snapshot outlives its list") {
    pv::ConstBufferPtr<std::string> snapshot;
    {
        pv::List<std::string> list{"a", "b"};
        snapshot = list.snapshot();
        list.clear();
        list.append("c");
    }
    CHECK(snapshot->read(1) == "b");
    CHECK(pv::List<int>().snapshot()->empty());
}

TEST_CASE("Lists take any range, themselves included") {
    pv::List<double> list;
    list.append(*pv::range_reader(3));
    list.append(std::views::iota(3, 5));
    list.append(std::list<float>{0.5f});
    list.append(std::views::iota(0, 10) | std::views::filter([](int i) { return i > 7; }));
    list.append({7.5});
    check_same(list, {0, 1, 2, 3, 4, 0.5, 8, 9, 7.5});
    list.insert(1, list | std::views::take(2));
    check_same(list, {0, 0, 1, 1, 2, 3, 4, 0.5, 8, 9, 7.5});
    list.erase(2, 11);
    list.insert(1, list);
    check_same(list, {0, 0, 0, 0});
    CHECK(list.at(-1) == 0);
    CHECK(list[0] == 0);
}

TEST_CASE("Copies of a list are independent, moves leave an empty one") {
    pv::List<std::string> list{"a", "b"};
    pv::List<std::string> copy = list;
    copy.write(0, "c");
    check_same(list, {"a", "b"});
    pv::List<std::string> moved = std::move(list);
    CHECK(list.empty()); // NOLINT: this is what is tested
    list.append("d");
    check_same(list, {"d"});
    check_same(moved, {"a", "b"});
    moved = copy;
    check_same(moved, {"c", "b"});
    swap(moved, list);
    check_same(moved, {"d"});
}

TEST_CASE("Positions outside of a list are refused") {
    pv::List<int> list{1, 2, 3, 4, 5};
    CHECK_THROWS_AS(list.at(5), pv::IndexError);
    CHECK_THROWS_WITH(list.at(5), "at: position 5 is out of range for a list of size 5");
    CHECK_THROWS_WITH(list.write(-6, 0), "write: position -6 is out of range for a list of size 5");
    CHECK_THROWS_WITH(list.insert(7, 0), "insert: position 7 is out of range for a list of size 5");
    CHECK_THROWS_WITH(list.erase(5), "erase: position 5 is out of range for a list of size 5");
    CHECK_THROWS_WITH(list.erase(2, 6),
                      "erase: positions 2 to 6 are out of range for a list of size 5");
    CHECK_THROWS_AS(list.erase(3, 2), pv::IndexError);
    CHECK_THROWS_AS(list.erase(-1, 2), pv::IndexError);
    CHECK_THROWS_AS(list.erase(std::numeric_limits<index_t>::lowest()), pv::IndexError);
    CHECK_THROWS_AS(list.insert(std::numeric_limits<index_t>::lowest(), 1), pv::IndexError);
    CHECK_THROWS_AS(list.reserve(-1), pv::ShapeError);
    CHECK_THROWS_AS(list.reserve(std::numeric_limits<index_t>::max()), pv::ShapeError);
    CHECK_THROWS_AS(pv::List<int>().at(0), pv::IndexError);
    CHECK_THROWS_AS(pv::List<int>().erase(0), pv::IndexError);
    check_same(list, {1, 2, 3, 4, 5});
}

TEST_CASE("A list is as it was when an element throws") {
    {
        pv::List<Fragile> list;
        for (int i = 0; i < 10; ++i) list.append(Fragile(i));
        const auto snapshot = list.snapshot();
        const std::vector<Fragile> more(3, Fragile(70));
        const auto unchanged = [&] {
            Fragile::copies_left = 1 << 30;
            CHECK(list.size() == 10);
            bool same = true;
            for (index_t i = 0; i < list.size(); ++i) same = same && list.read(i).value == i;
            for (index_t i = 0; i < 10; ++i) same = same && snapshot->read(i).value == i;
            return same;
        };
        const auto change = [&](int which) {
            switch (which) {
            case 0: list.append(more); break;
            case 1: list.insert(4, more); break;
            case 2: list.insert(4, more[0]); break;
            case 3: list.erase(2, 5); break;
            case 4: list.write(3, more[0]); break;
            case 5: list.reserve(1000); break;
            default: list.append(more[0]); break;
            }
        };
        for (int which = 0; which < 7; ++which) {
            for (int copies = 0; copies < 40; ++copies) {
                const pv::List<Fragile> before = list;
                Fragile::copies_left = copies;
                bool thrown = false;
                try {
                    change(which);
                } catch (const std::runtime_error&) {
                    thrown = true;
                }
                Fragile::copies_left = 1 << 30;
                INFO("operation " << which << " after " << copies << " copies");
                if (thrown)
                    CHECK(unchanged());
                else
                    list = before;
            }
        }
    }
    CHECK(Fragile::alive == 0);
}

TEST_CASE("Snapshots are read by other threads while the list goes on") {
    pv::List<index_t> list;
    std::vector<std::jthread> threads;
    std::vector<int> results(20);
    for (int t = 0; t < 20; ++t) {
        for (index_t i = 0; i < 50; ++i) list.append(list.size());
        threads.emplace_back(
            [snapshot = list.snapshot(), &result = results[static_cast<std::size_t>(t)]] {
                index_t sum = 0;
                for (const index_t value : *snapshot) sum += value;
                result = sum == snapshot->size() * (snapshot->size() - 1) / 2 ? 1 : 2;
            });
        list.write(t, t);
        if (t % 3 == 0) {
            const index_t middle = list.size() / 2;
            list.erase(middle);
            list.insert(middle, middle);
        }
    }
    threads.clear();
    for (const int result : results) CHECK(result == 1);
}

} // namespace list_test
