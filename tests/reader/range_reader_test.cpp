#include <support/reader_laws.hpp>

#include <purview/reader/range_reader.hpp>

#include <algorithm>
#include <cmath>

namespace range_reader_test {

namespace pv = purview;
using namespace reader_laws;

TEST_CASE("A range of integers is Python's") {
    for (index_t begin = -7; begin <= 7; ++begin) {
        for (index_t end = -7; end <= 7; ++end) {
            for (const index_t step : {1, 2, 3, 20, -1, -2, -20}) {
                std::vector<index_t> values;
                for (index_t i = begin; step > 0 ? i < end : i > end; i += step)
                    values.push_back(i);
                Values<index_t> expected(static_cast<index_t>(values.size()));
                std::copy(values.begin(), values.end(), expected.begin());
                const auto reader = pv::range_reader(begin, end, step);
                REQUIRE(std::ranges::equal(*reader, values));
                if (begin % 5 == 0) check_reads<index_t>(*reader, expected);
            }
        }
    }
    CHECK(std::ranges::equal(*pv::range_reader(4), std::vector{0, 1, 2, 3}));
    CHECK(pv::range_reader(-4)->empty());
    CHECK(std::ranges::equal(*pv::range_reader(2, 5), std::vector{2, 3, 4}));
    static_assert(std::same_as<decltype(pv::range_reader(3u))::element_type::value_type, index_t>);
}

TEST_CASE("A range of integers may reach from end to end") {
    constexpr index_t kMax = std::numeric_limits<index_t>::max();
    constexpr index_t kMin = std::numeric_limits<index_t>::lowest();
    CHECK(pv::range_reader(kMax)->at(-1) == kMax - 1);
    const auto wide = pv::range_reader(kMin, kMax, kMax);
    CHECK(std::ranges::equal(*wide, std::vector<index_t>{kMin, -1, kMax - 1}));
    const auto down = pv::range_reader(kMax, kMin, kMin);
    CHECK(std::ranges::equal(*down, std::vector<index_t>{kMax, -1}));
    CHECK(pv::range_reader(kMin, kMax, 3)->size() == 6148914691236517205);
    CHECK_THROWS_AS(pv::range_reader(kMin, kMax), pv::ShapeError);
    CHECK_THROWS_AS(pv::range_reader(kMin, kMax, 2), pv::ShapeError);
    CHECK(pv::range_reader(kMin + 1, kMax, 2)->size() == kMax);
    CHECK_THROWS_AS(pv::range_reader(std::numeric_limits<std::uint64_t>::max()), pv::ShapeError);
    CHECK_THROWS_WITH(pv::range_reader(1, 2, 0),
                      "range_reader: from 1 to 2 in steps of 0 never ends");
}

TEMPLATE_TEST_CASE("A range of floating numbers multiplies, and does not add up errors", "", float,
                   double) {
    const auto reader = pv::range_reader(TestType{1}, TestType{2}, TestType{0.125});
    Values<TestType> expected(8);
    for (index_t i = 0; i < 8; ++i) expected[i] = 1 + static_cast<TestType>(i) / 8;
    check_reads<TestType>(*reader, expected);
    CHECK(pv::range_reader(TestType{2.5})->size() == 3);
    CHECK(pv::range_reader(TestType{2}, TestType{1})->empty());
    CHECK(pv::range_reader(TestType{2}, TestType{1}, TestType{-0.25})->size() == 4);
    const auto tenths = pv::range_reader(TestType{0}, TestType{1000}, TestType{0.1f});
    CHECK(tenths->read(9000) == 9000 * TestType{0.1f});

    constexpr TestType kInfinity = std::numeric_limits<TestType>::infinity();
    constexpr TestType kLargest = std::numeric_limits<TestType>::max();
    CHECK_THROWS_AS(pv::range_reader(kInfinity), pv::ShapeError);
    CHECK_THROWS_AS(pv::range_reader(std::numeric_limits<TestType>::quiet_NaN()), pv::ShapeError);
    CHECK_THROWS_AS(pv::range_reader(TestType{0}, TestType{1}, TestType{0}), pv::ShapeError);
    CHECK_THROWS_AS(pv::range_reader(-kLargest, kLargest, kLargest), pv::ShapeError);
    CHECK_THROWS_AS(pv::range_reader(TestType{0}, kLargest), pv::ShapeError);
    CHECK_THROWS_AS(pv::range_reader(TestType{0}, TestType{1}, kInfinity), pv::ShapeError);
}

TEST_CASE("The element type of a range") {
    static_assert(std::same_as<decltype(pv::range_reader(1.0f))::element_type::value_type, float>);
    static_assert(
        std::same_as<decltype(pv::range_reader(0, 1, 0.5))::element_type::value_type, double>);
    static_assert(
        std::same_as<decltype(pv::range_reader(0, 1, 0.5f))::element_type::value_type, float>);
    static_assert(
        std::same_as<decltype(pv::range_reader(0, 1.0f, 0.5))::element_type::value_type, double>);
}

} // namespace range_reader_test
