#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/applied/random.hpp>
#include <purview/functional/reductions/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace distributions_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using pv::index_t;

constexpr std::uint64_t kSeed = 42;
constexpr index_t kMany = 200'000;

} // namespace

// Computed apart, in another language, from what the documentation says.
TEST_CASE("random samples: the stream is what is documented, to the last bit") {
    CHECK(pv::to_vector(pv::random_normal({6}, kSeed)) ==
          std::vector{0x1.4bdde731d47a2p-1, -0x1.fd59dd259ccc3p-1, -0x1.2c8b8bd68b7a1p-1,
                      -0x1.9aad852db488ep-2, -0x1.c625fa87782f6p+0, 0x1.1e38ccc3407a2p+0});
    const auto far = pv::random_normal({index_t{1} << 50}, 7, 3, 0.25);
    CHECK(far(1'000'000'000'000) == 0x1.58818e9c96b9bp+1);
    CHECK(far(1'000'000'000'001) == 0x1.6fe1abb6d0486p+1);
    CHECK(pv::to_vector(pv::random_exponential({2, 2}, kSeed)) ==
          std::vector{0x1.322b1f6128f28p-2, 0x1.d548c5acc2420p+0, 0x1.472950897cfbfp+0,
                      0x1.110a08df612f1p+0});
    CHECK(pv::random_exponential({9}, 1, 2.5)(5) == 0x1.5a69e55fda3f4p-1);
    CHECK(pv::to_vector(pv::random_poisson({12}, kSeed, 4.5)) ==
          std::vector<std::int64_t>{6, 2, 3, 4, 1, 7, 3, 6, 3, 5, 3, 4});
    CHECK(pv::to_vector(pv::random_poisson({6}, 9, 1000)) ==
          std::vector<std::int64_t>{1015, 1021, 980, 1025, 980, 962});
    CHECK(pv::to_vector(pv::random_poisson({8}, 3, 0.3)) ==
          std::vector<std::int64_t>{0, 0, 0, 0, 0, 0, 0, 1});
    CHECK(pv::to_vector(pv::argchoice(10, 10, 5)) ==
          std::vector<std::int64_t>{3, 7, 2, 0, 1, 3, 9, 5, 4, 6});
    CHECK(pv::to_vector(pv::argchoice(4, 10, 5, {.weights = pv::tensor({0.5, 0.0, 2.0, 1.5})})) ==
          std::vector<std::int64_t>{2, 3, 2, 0, 2, 2, 3, 2, 2, 2});
    CHECK(pv::to_vector(pv::argchoice(
              5, 3, 5, {.replace = false, .weights = pv::tensor({0.5, 0.0, 2.0, 1.5, 1.0})})) ==
          std::vector<std::int64_t>{2, 3, 4});
}

TEST_CASE("random samples: float32 is float64 rounded, elements stand alone, threads agree") {
    const auto wide = pv::random_normal({kMany}, kSeed);
    const auto all = pv::to_vector(wide);
    const auto narrow = pv::to_vector(pv::random_normal<float>({kMany}, kSeed));
    bool rounded = true;
    for (std::size_t i = 0; i < all.size(); ++i)
        rounded = rounded && narrow[i] == static_cast<float>(all[i]);
    CHECK(rounded);
    CHECK(wide(777) == all[777]);
    CHECK(pv::to_vector(pv::flip(wide))[0] == all.back());
    CHECK(pv::to_vector(pv::random_uniform({5}, 3)) ==
          pv::to_vector(pv::random_like(pv::zeros({5}), 3)));
    pv::set_threads(3);
    CHECK(pv::to_vector(pv::clone(wide)) == all);
    CHECK(pv::to_vector(pv::clone(pv::random_poisson({kMany}, 1, 30))) ==
          pv::to_vector(pv::random_poisson({kMany}, 1, 30)));
    pv::set_threads(0);
}

TEST_CASE("portable_log and normal_quantile are as exact as they say") {
    for (int i = 1; i < 20'000; ++i) {
        const double x = i / 20'000.0;
        const double exact = std::log(x);
        REQUIRE(std::abs(pv::portable_log(x) - exact) <=
                2 * std::numeric_limits<double>::epsilon() * std::abs(exact));
        const double share = 0.5 * std::erfc(-pv::normal_quantile(x) / std::sqrt(2.0));
        REQUIRE(std::abs(share - x) <= 1e-14 * x + 1e-16);
    }
    CHECK(pv::portable_log(1) == 0);
    for (double x = 0x1p-53; x < 0.01; x *= 3) {
        REQUIRE(pv::portable_log(x) == Catch::Approx(std::log(x)).epsilon(1e-15));
        const double share = 0.5 * std::erfc(-pv::normal_quantile(x) / std::sqrt(2.0));
        REQUIRE(share == Catch::Approx(x).epsilon(1e-12));
        REQUIRE(pv::normal_quantile(1 - x) == Catch::Approx(-pv::normal_quantile(x)).epsilon(1e-2));
    }
    CHECK(pv::normal_quantile(0.5) == 0);
}

TEST_CASE("random samples have the means, deviations and shares of their distributions") {
    const auto normal = pv::clone(pv::random_normal({kMany}, 1, -2, 3));
    CHECK(pv::mean(normal) == Catch::Approx(-2).margin(0.03));
    CHECK(pv::standard_deviation(normal) == Catch::Approx(3).margin(0.03));
    CHECK(pv::mean(pv::cast<double>(normal < -5)) == Catch::Approx(0.158655).margin(0.004));
    const auto waits = pv::clone(pv::random_exponential({kMany}, 2, 4));
    CHECK(pv::min(waits) >= 0);
    CHECK(pv::mean(waits) == Catch::Approx(4).margin(0.05));
    CHECK(pv::standard_deviation(waits) == Catch::Approx(4).margin(0.08));
    for (const double rate : {0.1, 1.0, 7.5, 300.0, 1e6, 0x1p32}) {
        INFO("rate " << rate);
        const auto events = pv::clone(pv::random_poisson({kMany}, 3, rate));
        const double error = 5 * std::sqrt(rate / static_cast<double>(kMany));
        CHECK(pv::mean(events) == Catch::Approx(rate).margin(error));
        CHECK(pv::variance(events) / rate == Catch::Approx(1).margin(0.05));
        CHECK(pv::min(events) >= 0);
    }
    CHECK(pv::sum(pv::random_poisson({100}, 1, 0)) == 0);
    std::vector<double> share{std::exp(-3.0)};
    for (int k = 1; k < 9; ++k) share.push_back(share.back() * 3 / k);
    const auto events = pv::clone(pv::random_poisson({kMany}, 4, 3));
    for (int k = 0; k < 9; ++k)
        CHECK(pv::mean(pv::cast<double>(events == k)) ==
              Catch::Approx(share[static_cast<std::size_t>(k)]).margin(0.005));
}

TEST_CASE("choice: as likely as weights say, with and without replacement") {
    const auto weights = pv::tensor({1, 0, 3, 4});
    const auto drawn = pv::argchoice(4, kMany, 6, {.weights = weights});
    for (int k = 0; k < 4; ++k)
        CHECK(pv::mean(pv::cast<double>(drawn == k)) ==
              Catch::Approx(weights(k) / 8.0).margin(0.005));
    std::vector<int> first(4);
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        const auto some =
            pv::to_vector(pv::argchoice(4, 3, seed * 1000, {.replace = false, .weights = weights}));
        REQUIRE(std::set<std::int64_t>(some.begin(), some.end()) ==
                std::set<std::int64_t>{0, 2, 3});
        ++first[static_cast<std::size_t>(some[0])];
    }
    CHECK(first[0] / 4000.0 == Catch::Approx(0.125).margin(0.03));
    CHECK(first[3] / 4000.0 == Catch::Approx(0.5).margin(0.04));
    const auto even = pv::argchoice(5, kMany, 8);
    for (int k = 0; k < 5; ++k)
        CHECK(pv::mean(pv::cast<double>(even == k)) == Catch::Approx(0.2).margin(0.005));
    CHECK(pv::to_vector(pv::argchoice(9, 4, 1, {.replace = false})) ==
          pv::to_vector(pv::argsample(9, 4, 1)));

    const auto rows = pv::tensor({{1, 2}, {3, 4}, {5, 6}});
    const auto some = pv::choice(rows, 5, 3);
    CHECK(some.shape() == pv::Shape{5, 2});
    const auto indexes = pv::argchoice(3, 5, 3);
    for (int k = 0; k < 5; ++k) CHECK(some(k, 1) == rows(indexes.read(k), 1));
    CHECK(pv::to_vector(rows | pv::choice(5, 3)) == pv::to_vector(some));
    CHECK(pv::choice(pv::tensor({"a", "b"}), 3, 1).size() == 3);
    CHECK(pv::choice(pv::AnyTensor(rows), 3, 1, {.replace = false}).shape() == pv::Shape{3, 2});
    CHECK(pv::choice(pv::zeros({0}), 0, 1).shape() == pv::Shape{0});
}

TEST_CASE("random samples and choice: errors say what is wrong") {
    CHECK_THROWS_WITH(pv::random_normal({3}, 1, 0, -1),
                      ContainsSubstring("random_normal") && ContainsSubstring("-1"));
    CHECK_THROWS_AS(pv::random_exponential({3}, 1, std::nan("")), pv::Error);
    CHECK_THROWS_WITH(pv::random_poisson({3}, 1, 1e12), ContainsSubstring("random_poisson"));
    CHECK_THROWS_AS(pv::random_poisson({3}, 1, -1), pv::Error);
    CHECK_THROWS_AS(pv::random_normal({-3}, 1), pv::ShapeError);
    CHECK_THROWS_WITH(pv::argchoice(3, 4, 1, {.replace = false}),
                      ContainsSubstring("4 different places of 3"));
    CHECK_THROWS_AS(pv::argchoice(0, 1, 1), pv::ShapeError);
    CHECK_THROWS_AS(pv::argchoice(3, -1, 1), pv::ShapeError);
    CHECK_THROWS_WITH(pv::argchoice(2, 1, 1, {.weights = pv::tensor({1.0})}),
                      ContainsSubstring("[1] for 2"));
    CHECK_THROWS_WITH(pv::argchoice(2, 1, 1, {.weights = pv::tensor({1.0, -2.0})}),
                      ContainsSubstring("-2 at index 1"));
    CHECK_THROWS_AS(pv::argchoice(2, 1, 1, {.weights = pv::tensor({0.0, 0.0})}), pv::Error);
    CHECK_THROWS_WITH(pv::argchoice(2, 2, 1, {.replace = false, .weights = pv::tensor({0.0, 1.0})}),
                      ContainsSubstring("of 1 with a weight above 0"));
    CHECK_THROWS_AS(pv::choice(pv::reshape(pv::tensor({1}), {}), 1, 1), pv::ShapeError);
}

} // namespace distributions_test
