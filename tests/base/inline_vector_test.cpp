#include "support/catch.hpp"

#include <purview/base/index.hpp>

#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <random>
#include <ranges>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace inline_vector_test {

namespace pv = purview;

template <typename T>
using Three = pv::InlineVector<T, 3>;

static_assert(std::ranges::contiguous_range<Three<std::string>>);
static_assert(std::is_same_v<Three<int>::iterator, int*>);
static_assert(std::is_convertible_v<const Three<int>&, std::span<const int>>);
static_assert(std::is_convertible_v<Three<int>&, std::span<int>>);
static_assert(std::is_nothrow_move_constructible_v<Three<std::string>>);
static_assert(std::is_nothrow_move_assignable_v<Three<std::string>>);
static_assert(!std::is_convertible_v<std::size_t, Three<int>>);
static_assert(sizeof(pv::Shape) == 64);

template <typename T>
T made_of(unsigned number);
template <>
int made_of(unsigned number) {
    return static_cast<int>(number);
}
template <>
std::string made_of(unsigned number) {
    return std::string(number % 3 * 10, 'x') + std::to_string(number);
}
template <>
std::shared_ptr<unsigned> made_of(unsigned number) {
    return std::make_shared<unsigned>(number);
}
/// More than what is copied whole.
struct Wide {
    std::array<std::uint64_t, 9> words{};
    bool operator==(const Wide&) const = default;
};
template <>
Wide made_of(unsigned number) {
    return {{number, number + 1}};
}

/// A list and the vector that it has to equal.
template <typename T>
struct Twins {
    Three<T> list;
    std::vector<T> twin;

    void check() const {
        REQUIRE(list.size() == twin.size());
        REQUIRE(list.empty() == twin.empty());
        REQUIRE(std::equal(list.begin(), list.end(), twin.begin()));
        REQUIRE(list.capacity() >= list.size());
        const auto* const object = reinterpret_cast<const std::byte*>(&list);
        const auto* const data = reinterpret_cast<const std::byte*>(list.data());
        REQUIRE((data >= object && data < object + sizeof(list)) == (list.capacity() == 3));
        if (twin.empty()) return;
        REQUIRE(list.front() == twin.front());
        REQUIRE(list.back() == twin.back());
    }

    /// Does the same to both.
    void step(std::minstd_rand& random) {
        const auto below = [&](std::size_t n) { return static_cast<std::ptrdiff_t>(random() % n); };
        const std::size_t size = twin.size();
        const std::ptrdiff_t at = below(size + 1);
        const std::ptrdiff_t to = at + below(size + 1 - static_cast<std::size_t>(at));
        const T value = made_of<T>(static_cast<unsigned>(random()) % 1000);
        const std::vector<T> some(static_cast<std::size_t>(below(5)), value);
        const std::size_t count = static_cast<std::size_t>(below(9));
        switch (random() % 17) {
        case 0: list.push_back(value), twin.push_back(value); break;
        case 1: list.emplace_back(value), twin.emplace_back(value); break;
        case 2: list.push_back(T(value)), twin.push_back(value); break;
        case 3: {
            const auto place = list.insert(list.begin() + at, value);
            REQUIRE(place == list.begin() + at);
            twin.insert(twin.begin() + at, value);
            break;
        }
        case 4: {
            const auto place = list.insert(list.begin() + at, some.begin(), some.end());
            REQUIRE(place == list.begin() + at);
            twin.insert(twin.begin() + at, some.begin(), some.end());
            break;
        }
        case 5: {
            const auto place = list.erase(list.begin() + at, list.begin() + to);
            REQUIRE(place == list.begin() + at);
            twin.erase(twin.begin() + at, twin.begin() + to);
            break;
        }
        case 6:
            if (at == std::ssize(twin)) break;
            list.erase(list.begin() + at), twin.erase(twin.begin() + at);
            break;
        case 7: list.resize(count), twin.resize(count); break;
        case 8: list.resize(count, value), twin.resize(count, value); break;
        case 9: list.assign(count, value), twin.assign(count, value); break;
        case 10: list.assign(some.begin(), some.end()), twin = some; break;
        case 11: list.clear(), twin.clear(); break;
        case 12: list.reserve(count); break;
        case 13: { // an element of the list itself
            if (size == 0) break;
            const std::size_t which = static_cast<std::size_t>(below(size));
            list.insert(list.begin() + at, list[which]),
                twin.insert(twin.begin() + at, T(twin[which]));
            list.push_back(list[which]), twin.push_back(T(twin[which]));
            list.insert(list.begin() + at, count, list[0]);
            twin.insert(twin.begin() + at, count, T(twin[0]));
            break;
        }
        case 14: { // elements of the list itself
            const std::vector<T> own = twin;
            list.insert(list.begin() + at, list.begin(), list.end());
            twin.insert(twin.begin() + at, own.begin(), own.end());
            break;
        }
        case 15:
            if (size == 0) break;
            list.pop_back(), twin.pop_back();
            break;
        default: {
            const Three<T> copy = list;
            REQUIRE(copy == list);
            Three<T> moved = std::move(list);
            REQUIRE(list.empty());
            list = made_of<T>(1) == value ? Three<T>{value} : Three<T>(count, value);
            list = copy;
            REQUIRE(list == moved);
            std::swap(list, moved);
            REQUIRE(list == copy);
            list = std::move(moved);
        }
        }
        check();
    }
};

TEMPLATE_TEST_CASE("A list does what std::vector does", "", int, std::string,
                   std::shared_ptr<unsigned>, Wide) {
    std::minstd_rand random(5);
    for (int round = 0; round < 60; ++round) {
        Twins<TestType> twins;
        for (int step = 0; step < 30; ++step) twins.step(random);
    }
}

TEST_CASE("Lists are made in every way") {
    CHECK(Three<int>(4) == Three<int>{0, 0, 0, 0});
    CHECK(Three<int>(2, 7) == Three<int>{7, 7});
    CHECK(Three<int>{2, 7} != Three<int>{7, 7});
    CHECK(Three<int>{}.empty());
    const std::vector<short> shorts{1, 2, 3, 4};
    CHECK(pv::InlineVector<long, 2>(shorts.begin(), shorts.end()) ==
          pv::InlineVector<long, 2>{1, 2, 3, 4});
    std::istringstream text("3 1 2 5");
    CHECK(Three<int>(std::istream_iterator<int>(text), std::istream_iterator<int>()) ==
          Three<int>{3, 1, 2, 5});
    Three<int> list;
    std::copy(shorts.begin(), shorts.end(), std::back_inserter(list));
    list = {4, 5};
    CHECK(list == Three<int>{4, 5});
    list = {};
    CHECK(list.empty());
    auto& self = list = {1, 2, 3, 4};
    list = self;
    CHECK(list.size() == 4);
    Three<std::unique_ptr<int>> movable;
    for (int i = 0; i < 5; ++i) movable.push_back(std::make_unique<int>(i));
    movable.erase(movable.begin() + 1);
    movable.insert(movable.begin(), std::make_unique<int>(9));
    CHECK(*movable.front() == 9);
    CHECK(*Three<std::unique_ptr<int>>(std::move(movable))[2] == 2);
}

TEST_CASE("Elements lie at their alignment, inside and on the heap") {
    struct alignas(64) Line {
        int value;
    };
    pv::InlineVector<Line, 2> lines;
    for (int i = 0; i < 9; ++i) {
        lines.push_back({i});
        for (const Line& line : lines) CHECK(reinterpret_cast<std::uintptr_t>(&line) % 64 == 0);
    }
    CHECK(lines[8].value == 8);
}

/// Throws when it is copied for the given time, and knows how many there are.
struct Fragile {
    explicit Fragile(int given) : value(given) { ++alive; }
    Fragile() : Fragile(0) { count_down(); }
    Fragile(const Fragile& other) : Fragile(other.value) { count_down(); }
    Fragile(Fragile&& other) noexcept : Fragile(std::exchange(other.value, -1)) {}
    Fragile& operator=(const Fragile&) = delete;
    ~Fragile() { --alive; }

    void count_down() const {
        if (--copies_left == 0) throw std::runtime_error("fragile");
    }

    int value;
    inline static int alive = 0;
    inline static int copies_left = 0;
};

TEST_CASE("What throws while elements are added leaves a list as it was") {
    const auto tried = [](auto add) {
        for (int size = 0; size < 6; ++size)
            for (int copies = 1; copies < 9; ++copies) {
                {
                    Three<Fragile> list;
                    for (int i = 0; i < size; ++i) list.emplace_back(i);
                    const std::vector<Fragile> more = [] {
                        Fragile::copies_left = 0;
                        return std::vector<Fragile>(4);
                    }();
                    Fragile::copies_left = copies;
                    try {
                        add(list, more);
                    } catch (const std::runtime_error&) {
                        REQUIRE(static_cast<int>(list.size()) == size);
                        for (int i = 0; i < size; ++i)
                            REQUIRE(list[static_cast<std::size_t>(i)].value == i);
                    }
                }
                REQUIRE(Fragile::alive == 0);
            }
    };
    tried([](auto& list, const auto& more) { list.push_back(more[0]); });
    tried([](auto& list, const auto& more) { list.insert(list.begin(), more[0]); });
    tried([](auto& list, const auto& more) {
        list.insert(list.begin() + list.size() / 2, more.begin(), more.end());
    });
    tried([](auto& list, const auto& more) { list.insert(list.begin(), 3, more[0]); });
    tried([](auto& list, const auto&) { list.resize(list.size() + 3); });
    tried([](auto& list, const auto& more) { list.resize(list.size() + 3, more[0]); });
    tried([](auto& list, const auto& more) { list.assign(more.begin(), more.end()); });
    tried([](auto& list, const auto& more) { list = Three<Fragile>(more.begin(), more.end()); });
    tried([](auto& list, const auto&) { const auto copy = list; });
    CHECK_THROWS_AS(pv::Shape().reserve(std::size_t{1} << 32), std::length_error);
}

} // namespace inline_vector_test
