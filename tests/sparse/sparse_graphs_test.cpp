#include "sparse_support.hpp"

#include <support/rounds.hpp>

#include <numeric>

namespace sparse_graphs_test {

// What expressions of many parts cost: what they would take otherwise ends no test run.

namespace {

namespace pv = purview;
using oracle::index_t;

template <typename X>
index_t stored_of(const X& x) {
    return pv::sparse_pairs(pv::clone(x))->stored();
}

std::vector<double> counted(index_t count) {
    std::vector<double> values;
    for (index_t i = 0; i < count; ++i) values.push_back(static_cast<double>(i + 1));
    return values;
}
std::vector<index_t> first_indexes(index_t count) {
    std::vector<index_t> indexes(static_cast<std::size_t>(count));
    std::iota(indexes.begin(), indexes.end(), index_t{0});
    return indexes;
}

} // namespace

TEST_CASE("a node that is put together is computed once, whatever the views of it") {
    pv::Tensor<double> x = pv::sparse_tensor<double>({5}, {1, 2}, {3., 4.});
    for (int level = 0; level < 60; ++level)
        x = pv::concat({x(pv::range(2, 5)), x(pv::range(0, 2))}) + 1.;
    // 120 = 24 · 5 places: as it was.
    const auto rotated = pv::clone(x);
    REQUIRE(pv::is_sparse(rotated));
    CHECK(pv::to_vector(rotated) == std::vector<double>{60, 63, 64, 60, 60});
    CHECK(pv::sparse_pairs(rotated)->stored() == 2);
    CHECK(pv::sparse_pairs(rotated)->fill() == 60);
}

TEST_CASE("pieces of pieces nest as deep as they like") {
    const pv::Tensor<double> part = pv::sparse_tensor<double>({2}, {1}, {3.});
    pv::Tensor<double> x = part;
    constexpr index_t kLevels = 3000;
    for (index_t level = 0; level < kLevels; ++level) x = pv::concat({x, part}) * 1.;
    const auto pairs = pv::sparse_pairs(x);
    CHECK(x.size() == 2 * (kLevels + 1));
    CHECK(pairs->stored() == kLevels + 1);
    CHECK(pairs->read(2 * kLevels + 1) == 3);
    CHECK(pairs->read(2 * kLevels) == 0);
}

TEST_CASE("pieces that no view touches are not computed") {
    const auto x = pv::sparse_tensor<double>({4}, {1}, {3.});
    const index_t wide = index_t{1} << 31;
    const auto padded = pv::pad(pv::concat(x, pv::const_tensor(1., {wide}), x + 2.), {{0, wide}},
                                pv::PadMode::constant, 5);
    CHECK(pv::to_vector(pv::clone(padded(pv::range(0, 4)))) == std::vector<double>{0, 3, 0, 0});
    CHECK(pv::to_vector(pv::clone(padded(pv::range(wide + 4, wide + 8)))) ==
          std::vector<double>{2, 5, 2, 2});
    // Through two views, of which one is needed by a piece.
    const auto both =
        pv::concat(padded(pv::range(0, 3)), x) + padded(pv::range(wide + 4, wide + 11));
    CHECK(pv::to_vector(pv::clone(both)) == std::vector<double>{2, 8, 2, 2, 8, 5, 5});
    CHECK_THROWS_AS(pv::clone(padded), pv::KindError);
    CHECK(pv::clone(padded(pv::range(0, 0))).size() == 0);
    CHECK(pv::sum(padded(pv::range(0, 0))) == 0);
}

TEST_CASE("a fill of a piece that nothing shows is not computed") {
    const auto all = pv::sparse_tensor<std::int64_t>({2}, {0, 1}, {1, 2});
    const auto y = pv::sparse_tensor<std::int64_t>({3}, {0}, {7});
    CHECK(pv::to_vector(pv::clone(pv::concat(10 / all, y))) ==
          std::vector<std::int64_t>{10, 5, 7, 0, 0});
    CHECK(pv::to_vector(pv::clone(pv::concat(10 / all, all))) ==
          std::vector<std::int64_t>{10, 5, 1, 2});
    CHECK_THROWS_AS(pv::clone(pv::concat(10 / y, all)), pv::ArithmeticError);
}

TEST_CASE("of pieces the fill of most elements is kept") {
    const index_t many = 1'000'000'000'000;
    const auto one = pv::sparse_full<double>({1}, 1.);
    const auto zeros = pv::sparse_zeros<double>({many});
    for (const auto& x : {pv::concat(one, zeros), pv::concat(zeros, one)}) {
        const auto pairs = pv::sparse_pairs(x);
        CHECK(pairs->fill() == 0);
        CHECK(pairs->stored() == 1);
    }
    const auto few = pv::sparse_tensor<double>({3}, {1}, {7.});
    const auto padded = pv::clone(pv::pad(few, {{many, many}}, pv::PadMode::constant, 1));
    CHECK(pv::sparse_pairs(padded)->fill() == 1);
    CHECK(pv::sparse_pairs(padded)->stored() == 3);
    CHECK(padded(many) == 0);
    CHECK(padded(many + 1) == 7);
    CHECK(padded(many - 1) == 1);
}

TEST_CASE("pieces that are no numbers share their fill") {
    const auto x = pv::sparse_tensor<std::string>({100}, {7}, {std::string("seven")}, "");
    const auto y = pv::sparse_tensor<std::string>({50}, {3}, {std::string("three")}, "");
    const auto both = pv::clone(pv::concat(x, y, x));
    CHECK(pv::sparse_pairs(both)->stored() == 3);
    CHECK(both(103) == "three");
    CHECK(both(104) == std::string());
    const auto padded = pv::pad(x, {{index_t{1} << 40, 0}}, pv::PadMode::constant, std::string());
    CHECK(pv::sparse_pairs(padded)->stored() == 1);
    const auto other = pv::sparse_tensor<std::string>({2}, {0}, {std::string("zero")}, "other");
    const auto three = pv::clone(pv::concat(other, x));
    CHECK(pv::sparse_pairs(three)->stored() == 3);
    CHECK(three(1) == "other");
}

TEST_CASE("of two broadcasts the one that becomes less is spelt out, in either order") {
    const index_t n = 1'000'000;
    const auto column = pv::sparse_tensor<double>({n, 1}, first_indexes(n), counted(n));
    const auto row = pv::sparse_tensor<double>({1, n}, {5}, {2.});
    CHECK(stored_of(column * row) == n);
    CHECK(stored_of(row * column) == n);
    CHECK((row * column)(7, 5) == 16);
}

TEST_CASE("what is computed is repeated as it is, where a product asks") {
    const index_t n = 1'000'000;
    const auto row = pv::sparse_tensor<double>({n}, first_indexes(n), counted(n));
    const auto x = pv::sparse_tensor<double>({n, n}, {4, n + 5}, {3., 5.});
    const auto product = pv::clone((row * 2. + row) * x);
    CHECK(pv::sparse_pairs(product)->stored() == 2);
    CHECK(product(0, 4) == 45);
    CHECK(product(1, 5) == 90);
    const auto infinite =
        pv::clone((row(pv::range(0, 3)) / 0.) * x(pv::range(0, 2), pv::range(0, 3)));
    CHECK(pv::count_true(infinite != infinite) == 6);
}

TEST_CASE("broadcasts of operations agree with their dense twins") {
    for (unsigned seed = 0; seed < oracle::rounds(300U); ++seed) {
        INFO("seed " << seed);
        oracle::Random random(seed);
        const index_t rows = random.between(1, 5);
        const index_t columns = random.between(1, 5);
        const auto make = [&](const oracle::Coordinates& shape) {
            return pv::Tensor<double>(
                oracle::random_sparse<double>(random, shape, oracle::random_fill<double>(random))
                    .real);
        };
        const auto x = make({rows, columns});
        const auto row = make({columns});
        const auto column = make({rows, 1});
        const auto check = [&](const auto& f) {
            const pv::Tensor<double> sparse = pv::clone(f(x, row, column));
            REQUIRE(pv::is_sparse(sparse));
            REQUIRE(oracle::same_values(
                pv::to_vector(sparse), pv::to_vector(pv::clone(f(pv::to_dense(x), pv::to_dense(row),
                                                                 pv::to_dense(column))))));
        };
        check([](auto a, auto b, auto c) { return (b * 2. + b) * (c - b) * a; });
        check([](auto a, auto b, auto c) { return (b * c) * (a + (c * c)) * (b * b); });
        check([](auto a, auto b, auto c) { return pv::concat(a, (b + 1.) * c, 0) * (b * 2.); });
        check([](auto a, auto b, auto c) { return (a * b * b * c) * (a * b) - a * (c / b); });
    }
}

TEST_CASE("chains of products are linear") {
    const index_t n = 1000;
    const auto x = pv::sparse_tensor<double>({1'000'000}, first_indexes(n),
                                             std::vector<double>(std::size_t(n), 1.));
    pv::Tensor<double> scaled = x;
    for (int i = 0; i < 20'000; ++i) scaled = scaled * -1.;
    CHECK(pv::sum(scaled) == static_cast<double>(n));
    pv::Tensor<double> power = x;
    for (int i = 0; i < 3000; ++i) power = power * x;
    CHECK(pv::sum(power) == static_cast<double>(n));
    CHECK(stored_of(power) == n);
    const auto two = pv::sparse_tensor<double>({1000}, {3, 5}, {2., 0.});
    pv::Tensor<double> large = two;
    for (int i = 0; i < 1100; ++i) large = large * two;
    const auto none = pv::clone(large * pv::sparse_zeros<double>({1000}));
    CHECK(std::isnan(none(3)));
    CHECK(none(5) == 0);
    CHECK(pv::sparse_pairs(none)->stored() == 1);
}

TEST_CASE("a set of nearly everything ends at 2^36") {
    const auto x = pv::sparse_tensor<double>({index_t{1} << 34}, {7, 9}, {1., 2.});
    const auto zeros = pv::index_set(x == 0.);
    CHECK(zeros.size() == (index_t{1} << 34) - 2);
    CHECK_FALSE(zeros.contains(9));
    const auto large = pv::sparse_zeros<double>({1'000'000'000, 1'000'000'000});
    CHECK_THROWS_AS(pv::index_set(large == 0.), pv::KindError);
    CHECK(pv::index_set(large != 0.).empty());
}

} // namespace sparse_graphs_test
