#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/statistics/histogram.hpp>

#include <algorithm>
#include <vector>

namespace bincount_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::Random;

} // namespace

TEMPLATE_TEST_CASE("bincount counts and adds weights: every layout", "", std::uint8_t,
                   std::int64_t) {
    Random random(1);
    for (int round = 0; round < oracle::rounds(40); ++round) {
        const auto x = oracle::random_layout<TestType>(random);
        const auto integers = pv::abs(x.real);
        std::vector<std::int64_t> counts;
        std::vector<double> sums;
        const pv::index_t least = random.between(0, 60);
        counts.resize(static_cast<std::size_t>(least));
        sums.resize(counts.size());
        std::vector<double> weights;
        for (const TestType value : pv::to_vector(integers)) {
            const auto at = static_cast<std::size_t>(value);
            if (at >= counts.size()) {
                counts.resize(at + 1);
                sums.resize(at + 1);
            }
            weights.push_back(random.element<double>());
            ++counts[at];
            sums[at] += weights.back();
        }
        INFO(x.name << " least " << least);
        CHECK(pv::to_vector(pv::bincount(integers, least)) == counts);
        CHECK(pv::to_vector(integers | pv::bincount(least)) == counts);
        CHECK(pv::to_vector(pv::bincount(pv::AnyTensor(integers), least)) == counts);
        const auto weighed = pv::reshape(pv::tensor(std::move(weights)), integers.shape());
        CHECK(pv::to_vector(pv::bincount(integers, weighed, least)) == sums);
        CHECK(pv::to_vector(pv::bincount(pv::AnyTensor(integers), pv::AnyTensor(weighed), least)) ==
              sums);
    }
}

TEST_CASE("bincount: nothing, bools, errors") {
    CHECK(pv::bincount(pv::zeros<int>({0})).shape() == pv::Shape{0});
    CHECK(pv::to_vector(pv::zeros<int>({0}) | pv::bincount(2)) == std::vector<std::int64_t>{0, 0});
    CHECK(pv::to_vector(pv::tensor({true, false, true}) | pv::bincount) ==
          std::vector<std::int64_t>{1, 2});
    CHECK(pv::to_vector(pv::bincount(pv::tensor({0, 2}), pv::tensor({1, 5}))) ==
          std::vector<double>{1, 0, 5});
    CHECK_THROWS_WITH(pv::bincount(pv::tensor({1, -3})),
                      ContainsSubstring("bincount: -3 at index 1"));
    CHECK_THROWS_AS(pv::bincount(pv::tensor({1, -3})), pv::IndexError);
    CHECK_THROWS_AS(pv::bincount(pv::tensor({std::int64_t{1} << 60})), pv::ShapeError);
    CHECK_THROWS_AS(pv::bincount(pv::tensor({1}), -1), pv::ShapeError);
    CHECK_THROWS_WITH(pv::bincount(pv::tensor({1, 2}), pv::tensor({1.0})),
                      ContainsSubstring("[2]") && ContainsSubstring("[1]"));
    CHECK_THROWS_AS(pv::bincount(pv::AnyTensor(pv::tensor({1.0}))), pv::DtypeError);
}

} // namespace bincount_test
