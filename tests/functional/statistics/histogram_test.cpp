#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/statistics/histogram.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace histogram_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::index_t;
using oracle::Random;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Counts = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

/// Each element compared with all edges.
Counts naive_counts(const std::vector<double>& x, const std::vector<double>& edges) {
    Counts counts(edges.size() - 1);
    for (const double value : x)
        for (std::size_t bin = 0; bin < counts.size(); ++bin) {
            const bool last = bin + 1 == counts.size();
            if (value >= edges[bin] &&
                (value < edges[bin + 1] || (last && value == edges[bin + 1])))
                ++counts[bin];
        }
    return counts;
}

void check_close(const Numbers& found, const Numbers& expected) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(found[i] == Catch::Approx(expected[i]).epsilon(1e-14));
}

} // namespace

TEST_CASE("histograms are NumPy's") {
    const auto x = pv::tensor({3.5, -1.0, 7.0, 2.0, 2.0, 9.0, 0.25, 11.0});
    const auto weights = pv::tensor({1.0, -2.0, 5.0, 2.0, 4.0, 7.0, 7.0, 12.0});
    const auto four = pv::histogram(x, 4);
    CHECK(pv::to_vector(four.counts) == Counts{2, 3, 1, 2});
    CHECK(pv::to_vector(four.edges) == Numbers{-1, 2, 5, 8, 11});
    check_close(pv::to_vector(pv::histogram_density(x, 4).heights),
                {0.08333333333333333, 0.125, 0.041666666666666664, 0.08333333333333333});
    const auto weighted = pv::weighted_histogram(x, weights, {3, 0.0, 9.0});
    CHECK(pv::to_vector(weighted.heights) == Numbers{13, 1, 12});
    CHECK(pv::to_vector(weighted.edges) == Numbers{0, 3, 6, 9});
    const Numbers edges{0, 2, 2.5, 7, 11};
    CHECK(pv::to_vector(pv::histogram(x, edges).counts) == Counts{1, 2, 1, 3});
    check_close(
        pv::to_vector(pv::histogram_density(x, weights, edges).heights),
        {0.09210526315789473, 0.3157894736842105, 0.005847953216374269, 0.15789473684210525});
    CHECK(pv::to_vector((x | pv::histogram(4)).counts) == Counts{2, 3, 1, 2});
    CHECK(pv::histogram(x).counts.size() == 10);
    CHECK(pv::to_vector(pv::histogram(pv::AnyTensor(x), 4).counts) == Counts{2, 3, 1, 2});
}

TEST_CASE("histograms of nothing, one value, NaN and infinities") {
    const auto none = pv::histogram(pv::zeros({0}), 2);
    CHECK(pv::to_vector(none.counts) == Counts{0, 0});
    CHECK(pv::to_vector(none.edges) == Numbers{0, 0.5, 1});
    const auto same = pv::histogram(pv::tensor({3, 3, 3}));
    CHECK(pv::to_vector(same.counts) == Counts{0, 0, 0, 0, 0, 3, 0, 0, 0, 0});
    CHECK(same.edges(0) == 2.5);
    const auto holes = pv::tensor({1.0, kNaN, kInfinity, -kInfinity, 2.0, 4.0, 4.5});
    CHECK(pv::to_vector(pv::histogram(holes, {2, 0.0, 4.0}).counts) == Counts{1, 2});
    CHECK(pv::to_vector(pv::histogram(holes, Numbers{-kInfinity, 0, kInfinity}).counts) ==
          Counts{1, 5});
    CHECK_THROWS_WITH(pv::histogram(holes, 3), ContainsSubstring("nan"));
    CHECK_THROWS_WITH(pv::histogram(pv::tensor({1.0, kInfinity}), 3), ContainsSubstring("inf"));
    CHECK_THROWS_WITH(pv::histogram(holes, 0), ContainsSubstring("0 bins"));
    CHECK_THROWS_AS(pv::histogram(pv::ones({1}), INT64_MAX), pv::ShapeError);
    CHECK_THROWS_WITH(pv::histogram(holes, {3, -1.7e308, 1.7e308}),
                      ContainsSubstring("too far apart"));
    CHECK_THROWS_WITH(pv::histogram(holes, {3, 2.0, 1.0}),
                      ContainsSubstring("2") && ContainsSubstring("1"));
    CHECK_THROWS_WITH(pv::histogram(holes, Numbers{1, 2, 1.5}), ContainsSubstring("1.5"));
    CHECK_THROWS_AS(pv::histogram(holes, Numbers{1}), pv::Error);
    CHECK_THROWS_AS(pv::histogram(holes, Numbers{1, kNaN}), pv::Error);
    CHECK_THROWS_AS(pv::histogram(pv::AnyTensor(pv::tensor({"a"})), 2), pv::DtypeError);
    CHECK_THROWS_AS(pv::weighted_histogram(holes, pv::ones({2}), {2, 0.0, 1.0}), pv::ShapeError);
    CHECK(std::isnan(pv::histogram_density(pv::zeros({0}), 2).heights(0)));
    // Edges that are not apart hold nothing, but for the last.
    CHECK(pv::to_vector(pv::histogram(pv::tensor({1.0, 1.0, 2.0}), Numbers{1, 1, 2, 2}).counts) ==
          Counts{0, 2, 1});
}

TEMPLATE_TEST_CASE("histograms of any layout", "", bool, std::uint8_t, std::int32_t, std::uint64_t,
                   float, double) {
    using T = TestType;
    for (unsigned seed = 0; seed < oracle::rounds(60U); ++seed) {
        Random random(seed);
        const auto x = oracle::random_layout<T>(random);
        const std::vector<double> values(x.naive.values.begin(), x.naive.values.end());
        INFO(x.name);
        const index_t bins = random.between(1, 60);
        const auto whole = pv::histogram(x.real, bins);
        CHECK(pv::to_vector(whole.counts) == naive_counts(values, pv::to_vector(whole.edges)));
        const auto part = pv::histogram(x.real * T{1}, {bins, 0.0, 7.0}); // many lie on edges
        CHECK(pv::to_vector(part.counts) == naive_counts(values, pv::to_vector(part.edges)));
        const auto far = pv::histogram(x.real, {bins, -1e9, 1e9 + 7});
        CHECK(pv::to_vector(far.counts) == naive_counts(values, pv::to_vector(far.edges)));
        const auto narrow = pv::histogram(x.real, {bins, 3.0, std::nextafter(3.0, 4.0)});
        CHECK(pv::to_vector(narrow.counts) == naive_counts(values, pv::to_vector(narrow.edges)));
        const Numbers edges{-20, -3, 0, 0.5, 17, 18};
        CHECK(pv::to_vector(pv::histogram(x.real, edges).counts) == naive_counts(values, edges));
        const auto weighted = pv::weighted_histogram(x.real, x.real, bins);
        double total = 0;
        for (const double height : pv::to_vector(weighted.heights)) total += height;
        double expected = 0;
        for (const double value : values) expected += value;
        CHECK(total == Catch::Approx(expected).epsilon(1e-9).margin(1e-6));
    }
}

TEST_CASE("elements on edges, beside them, at the ends and beyond lie where comparisons say") {
    for (const index_t bins : {1, 2, 3, 7, 10, 100, 4099})
        for (const auto& [low, high] :
             {std::pair{0.0, 1.0}, std::pair{-0.3, 0.7}, std::pair{-1e9, 1e9 + 7},
              std::pair{1e15, 1e15 + 100}, std::pair{-1e308, 0.7e308}, std::pair{1e-310, 3e-310},
              std::pair{-5.0, -5.0}}) {
            INFO(bins << " between " << low << " and " << high);
            Numbers values{kNaN, kInfinity, -kInfinity, -0.0, 0.0};
            const auto edges =
                pv::to_vector(pv::histogram(pv::zeros({0}), {bins, low, high}).edges);
            for (const double edge : edges) {
                values.push_back(edge);
                values.push_back(std::nextafter(edge, kInfinity));
                values.push_back(std::nextafter(edge, -kInfinity));
                values.push_back(edge + (edges[1] - edges[0]) / 2);
            }
            Counts expected(edges.size() - 1);
            for (const double value : values) {
                if (!(value >= edges.front() && value <= edges.back())) continue;
                const auto above = std::ranges::upper_bound(edges, value) - edges.begin();
                ++expected[std::min(static_cast<std::size_t>(above), expected.size()) - 1];
            }
            const auto found = pv::histogram(pv::tensor(Numbers(values)), {bins, low, high});
            CHECK(pv::to_vector(found.counts) == expected);
            const auto ones = pv::ones({std::ssize(values)});
            const auto sums =
                pv::weighted_histogram(pv::tensor(Numbers(values)), ones, {bins, low, high});
            CHECK(pv::to_vector(sums.heights) == Numbers(expected.begin(), expected.end()));
        }
}

TEST_CASE("histograms do not depend on the number of threads") {
    const auto x = pv::clone(pv::sin(pv::arange(2'000'000.0)));
    pv::set_threads(1);
    const auto alone = pv::to_vector(pv::histogram(x, 100).counts);
    pv::set_threads(3);
    CHECK(pv::to_vector(pv::histogram(x, 100).counts) == alone);
    pv::set_threads(0);
}

} // namespace histogram_test
