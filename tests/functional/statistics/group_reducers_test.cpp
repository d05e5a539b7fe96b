#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/tensors.hpp>

#include <purview/functional/elementwise/emap.hpp>
#include <purview/functional/statistics/group_by.hpp>
#include <purview/functional/statistics/percentiles.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace group_reducers_test {

namespace pv = purview;
using oracle::Random;
using pv::index_t;

TEST_CASE("several reducers of the user's in one call, beside known ones") {
    Random random(9);
    std::vector<int> keys;
    std::vector<double> values;
    for (int i = 0; i < 500; ++i) {
        keys.push_back(static_cast<int>(random.between(0, 9)));
        values.push_back(static_cast<double>(random.between(-50, 50)));
    }
    const auto spread = [](const pv::Tensor<double>& x) { return pv::max(x) - pv::min(x); };
    const auto first = [](const pv::Tensor<double>& x) { return x.read(0); };
    const auto text = [](const pv::Tensor<double>& x) { return std::to_string(x.size()); };
    const auto many = [](const pv::Tensor<double>& x) { return x.size() > 50; };
    int reads = 0;
    const auto counted = pv::emap(
        [&reads](double x) {
            ++reads;
            return x;
        },
        pv::tensor(std::vector<double>(values)));
    const auto [names, totals, spreads, firsts, texts, medians, enough] =
        pv::group_by_reduce(pv::tensor(std::vector<int>(keys)), counted, pv::sum, spread, first,
                            text, pv::median, many);
    CHECK(reads <= 1000); // for the sum, and for all functions
    std::map<int, std::vector<double>> expected;
    for (std::size_t i = 0; i < keys.size(); ++i) expected[keys[i]].push_back(values[i]);
    REQUIRE(names.size() == std::ssize(expected));
    index_t g = -1;
    for (const auto& [name, part] : expected) {
        ++g;
        CHECK(names(g) == name);
        CHECK(totals(g) == pv::sum(part));
        CHECK(spreads(g) == *std::ranges::max_element(part) - *std::ranges::min_element(part));
        CHECK(firsts(g) == part.front());
        CHECK(texts.read(g) == std::to_string(part.size()));
        CHECK(medians(g) == pv::median(part));
        CHECK(enough(g) == (part.size() > 50));
    }
    const auto size = [](const auto& x) { return x.size(); };
    const auto [strings, of_any, sums] = pv::group_by_reduce(
        pv::tensor({"b", "a", "b"}), pv::AnyTensor(pv::tensor({1, 2, 4})), size, pv::sum);
    CHECK(pv::to_vector(of_any.as<std::int64_t>()) == std::vector<std::int64_t>{1, 2});
    CHECK(pv::to_vector(sums.as<std::int64_t>()) == std::vector<std::int64_t>{2, 5});
}

} // namespace group_reducers_test
