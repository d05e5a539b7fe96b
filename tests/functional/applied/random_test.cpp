#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/along/sorting.hpp>
#include <purview/functional/applied/random.hpp>
#include <purview/functional/reductions/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace random_test {

namespace {

namespace pv = purview;
using pv::index_t;

} // namespace

TEST_CASE("random words and what is made of them never change") {
    // SplitMix64's own first words for the seed 1234567.
    CHECK(pv::random_word(1234567, 0) == 6457827717110365317U);
    CHECK(pv::random_word(1234567, 1) == 3203168211198807973U);
    pv::RandomBits random(1234567);
    CHECK(random.word() == 6457827717110365317U);
    CHECK(pv::to_vector(pv::argshuffle(8, 1)) == pv::to_vector(pv::argshuffle(8, 1)));
    CHECK(pv::to_vector(pv::argshuffle(100, 1)) != pv::to_vector(pv::argshuffle(100, 2)));
}

TEST_CASE("numbers below a bound are each as likely") {
    pv::RandomBits random(7);
    std::vector<int> seen(7, 0);
    for (int i = 0; i < 70'000; ++i) ++seen[static_cast<std::size_t>(random.below(7))];
    for (const int count : seen) CHECK(std::abs(count - 10'000) < 500);
    CHECK(random.below(1) == 0);
    for (int i = 0; i < 1000; ++i) CHECK(random.below(index_t{1} << 62) >> 62 == 0);
}

TEST_CASE("argshuffle and argsample: different indexes, each as likely") {
    for (const index_t n : {0, 1, 2, 10, 1000}) {
        CHECK(pv::to_vector(pv::sort(pv::argshuffle(n, 3))) == pv::to_vector(pv::arange(n)));
        for (const index_t count : {index_t{0}, n / 100, n / 2, n}) {
            const auto drawn = pv::to_vector(pv::argsample(n, count, 5));
            const std::set<index_t> distinct(drawn.begin(), drawn.end());
            CHECK(std::ssize(drawn) == count);
            CHECK(distinct.size() == drawn.size());
            CHECK(std::all_of(drawn.begin(), drawn.end(),
                              [n](index_t i) { return i >= 0 && i < n; }));
        }
    }
    // Whether what moves is remembered as a list or as a table makes no difference.
    for (const index_t n : {16 * 20, 16 * 20 - 1, 4000})
        CHECK(pv::to_vector(pv::argsample(n, 20, 9)) ==
              pv::to_vector(pv::argshuffle(n, 9)(pv::range(0, 20))));
    std::vector<int> first(5, 0);
    for (std::uint64_t seed = 0; seed < 5000; ++seed)
        ++first[static_cast<std::size_t>(pv::argshuffle(5, seed)(0))];
    for (const int count : first) CHECK(std::abs(count - 1000) < 200);
    CHECK_THROWS_AS(pv::argshuffle(-1, 0), pv::ShapeError);
    CHECK_THROWS_AS(pv::argsample(3, 4, 0), pv::ShapeError);
    CHECK_THROWS_AS(pv::argsample(3, -1, 0), pv::ShapeError);
}

TEST_CASE("sample is a view of different places along the first axis") {
    const auto x = pv::reshape(pv::arange(20), {10, 2});
    const auto drawn = pv::sample(x, 4, 3);
    CHECK(drawn.shape() == pv::Shape{4, 2});
    CHECK(pv::shares_storage(drawn, x));
    for (index_t i = 0; i < 4; ++i) CHECK(drawn(i, 1) == drawn(i, 0) + 1);
    CHECK_THROWS_AS(pv::sample(x, 11, 3), pv::ShapeError);
    CHECK_THROWS_AS(pv::sample(pv::reshape(pv::tensor({1}), {}), 1, 3), pv::ShapeError);
}

TEST_CASE("a reservoir keeps each element with the same chance") {
    std::vector<int> kept(20, 0);
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        pv::Reservoir<int> reservoir(5, seed);
        for (int i = 0; i < 20; ++i) reservoir.add(i);
        CHECK(reservoir.seen() == 20);
        REQUIRE(reservoir.elements().size() == 5);
        for (const int i : reservoir.elements()) ++kept[static_cast<std::size_t>(i)];
    }
    for (const int count : kept) CHECK(std::abs(count - 1000) < 200);
    pv::Reservoir<int> few(5, 1);
    few.add(3);
    CHECK(few.elements() == std::vector<int>{3});
    CHECK_THROWS_AS(pv::Reservoir<int>(-1, 0), pv::ShapeError);
}

TEST_CASE("random_like: lazy, in [0, 1), by seed and index") {
    const auto x = pv::zeros<float>({300, 1000});
    const auto r = pv::random_like(x, 11);
    CHECK(r.dtype() == pv::float32);
    CHECK(pv::random_like(pv::zeros<int>({3}), 1).dtype() == pv::float64);
    CHECK(r.shape() == x.shape());
    CHECK(pv::all_of(r >= 0.0F && r < 1.0F));
    CHECK(std::abs(pv::mean(r) - 0.5F) < 0.005F);
    CHECK(std::abs(pv::variance(r) - 1.0F / 12) < 0.005F);
    CHECK(r(2, 5) == pv::to_vector(r)[2005]);
    pv::set_threads(1);
    const auto alone = pv::to_vector(r);
    pv::set_threads(3);
    CHECK(pv::to_vector(r) == alone);
    pv::set_threads(0);
}

TEST_CASE("dropout: by the seed, scaled, lazy") {
    const auto x = pv::full({1000, 100}, 2.0);
    const auto y = pv::dropout(x, 0.25, 5);
    const auto dropped = static_cast<double>(pv::count_true(y == 0.0));
    CHECK(std::abs(dropped / 100'000 - 0.25) < 0.01);
    CHECK(pv::all_of(y == 0.0 || pv::abs(y - 2 / 0.75) < 1e-12));
    CHECK(pv::to_vector(y) == pv::to_vector(pv::dropout(x, 0.25, 5)));
    CHECK(pv::to_vector(pv::dropout(x, 0.0, 5)) == pv::to_vector(x));
    CHECK_THROWS_AS(pv::dropout(x, 1.0, 5), pv::Error);
    CHECK_THROWS_AS(pv::dropout(x, -0.1, 5), pv::Error);
}

} // namespace random_test
