#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/along/search.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace search_test {

namespace {

namespace pv = purview;
using oracle::index_t;
using oracle::Random;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST_CASE("binary_search: tech.datatype's golden cases") {
    const pv::Tensor<int> x = pv::arange(1, 11);
    CHECK(pv::binary_search(x, 5) == pv::SearchResult{true, 4});
    CHECK(pv::binary_search(x, 11) == pv::SearchResult{false, 10});
    CHECK(pv::binary_search(x, 0) == pv::SearchResult{false, 0});
    CHECK(pv::binary_search(x * 2, 7) == pv::SearchResult{false, 3});
}

TEST_CASE("binary_search is std::lower_bound, in any order, with NaN last") {
    Random random(2);
    for (int round = 0; round < oracle::rounds(200); ++round) {
        std::vector<double> values(static_cast<std::size_t>(random.between(0, 20)));
        for (double& value : values) value = static_cast<double>(random.between(-5, 5));
        std::sort(values.begin(), values.end());
        const pv::Tensor<double> x = pv::tensor(std::vector<double>(values));
        for (int wanted = -6; wanted <= 6; ++wanted) {
            const auto at = std::lower_bound(values.begin(), values.end(), wanted);
            const bool found = at != values.end() && *at == wanted;
            CHECK(pv::binary_search(x, wanted) == pv::SearchResult{found, at - values.begin()});
            const auto down = std::lower_bound(values.rbegin(), values.rend(), wanted,
                                               [](double a, double b) { return b < a; });
            const auto descending = [](double a, double b) { return b < a; };
            CHECK(pv::binary_search(pv::flip(x), wanted, descending) ==
                  pv::SearchResult{found, down - values.rbegin()});
        }
    }
    const auto x = pv::tensor({1.0, 2.0, kNaN, kNaN});
    CHECK(pv::binary_search(x, kNaN) == pv::SearchResult{true, 2});
    CHECK(pv::binary_search(x, 3.0) == pv::SearchResult{false, 2});
    const auto words = pv::tensor({"apple", "fig", "pear"});
    CHECK(pv::binary_search(words, "fig") == pv::SearchResult{true, 1});
    CHECK(pv::binary_search(words, "grape") == pv::SearchResult{false, 2});
    CHECK_THROWS_AS(pv::binary_search(pv::zeros({2, 2}), 1.0), pv::ShapeError);
}

TEMPLATE_TEST_CASE("index_of and last_index_of: every layout", "", std::int8_t, std::uint16_t,
                   std::int64_t, float, double) {
    Random random(3);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const auto x = oracle::random_layout<TestType>(random);
        INFO(x.name);
        const TestType wanted =
            random.one_in(3)
                ? TestType{101}
                : x.naive.values[static_cast<std::size_t>(random.between(0, x.naive.size() - 1))];
        const auto& values = x.naive.values;
        const auto first = std::find(values.begin(), values.end(), wanted);
        const auto last = std::find(values.rbegin(), values.rend(), wanted);
        const auto found = pv::index_of(x.real, wanted);
        const auto found_last = pv::last_index_of(x.real, wanted);
        REQUIRE(found.has_value() == (first != values.end()));
        REQUIRE(found_last.has_value() == (first != values.end()));
        if (!found) continue;
        CHECK(*found == first - values.begin());
        CHECK(*found_last == std::ssize(values) - 1 - (last - values.rbegin()));
    }
}

TEST_CASE("index_of: nothing, NaN, strings, far away") {
    CHECK_FALSE(pv::index_of(pv::tensor({kNaN, 1.0}), kNaN));
    CHECK_FALSE(pv::index_of(pv::zeros({0}), 0.0));
    CHECK(pv::index_of(pv::tensor({-0.0, 1.0}), 0.0) == 0);
    const auto words = pv::tensor({"fig", "apple", "fig"});
    CHECK(pv::index_of(words, "fig") == 0);
    CHECK(pv::last_index_of(words, "fig") == 2);
    CHECK(pv::index_of(pv::arange(1'000'000), 999'999) == 999'999);
    CHECK(pv::last_index_of(pv::arange(1'000'000), 1) == 1);
}

TEST_CASE("arg_compare compares indexes by their elements") {
    const auto x = pv::tensor({3.0, kNaN, 1.0, 2.0});
    std::vector<index_t> order{0, 1, 2, 3};
    std::stable_sort(order.begin(), order.end(), pv::arg_compare(x * 2.0));
    CHECK(order == pv::to_vector(pv::argsort(x)));
    const auto by_length = pv::arg_compare(
        pv::tensor({"pear", "fig"}),
        [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
    CHECK(by_length(1, 0));
    CHECK_FALSE(by_length(0, 1));
}

} // namespace search_test
