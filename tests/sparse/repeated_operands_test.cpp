#include "sparse_support.hpp"

#include <support/rounds.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace repeated_operands_test {

// Operations of a sparse tensor and a sparse one that broadcasting repeats.

namespace {

using namespace oracle;

/// The same of sparse tensors and of their dense twins.
template <typename T>
void check_same(const auto& function, const pv::Tensor<T>& x, const pv::Tensor<T>& d) {
    const auto result = function(x, d);
    REQUIRE(pv::sparse_pairs(pv::clone(result)) != nullptr);
    const auto dense = function(pv::Tensor<T>(pv::to_dense(x)), pv::Tensor<T>(pv::to_dense(d)));
    REQUIRE(same_values(pv::to_vector(pv::clone(result)), pv::to_vector(dense)));
}

/// Sparse; where `all`, every element is stored.
template <typename T>
pv::Tensor<T> random_factors(Random& random, const Coordinates& shape, bool all) {
    if (!all) return random_sparse<T>(random, shape, random_fill<T>(random)).real;
    std::vector<index_t> indexes(static_cast<std::size_t>(count_of(shape)));
    std::vector<T> values;
    for (std::size_t i = 0; i < indexes.size(); ++i) {
        indexes[i] = static_cast<index_t>(i);
        values.push_back(any_value<T>(random));
    }
    return pv::sparse_tensor<T>(shape, indexes, values, random_fill<T>(random));
}

template <typename T>
void random_operations(unsigned seed) {
    INFO("seed " << seed);
    Random random(seed);
    Coordinates shape(static_cast<std::size_t>(random.between(1, 3)));
    for (auto& extent : shape) extent = random.between(seed % 5 == 0 ? 0 : 1, 5);
    Coordinates few = shape;
    for (auto& extent : few)
        if (random.one_in(2)) extent = 1;
    if (random.one_in(3)) few.erase(few.begin());
    const pv::Tensor<T> x = random_sparse<T>(random, shape, random_fill<T>(random)).real;
    const pv::Tensor<T> d = random_factors<T>(random, few, random.one_in(2));
    check_same([](const auto& a, const auto& b) { return a + b; }, x, d);
    check_same([](const auto& a, const auto& b) { return b - a * b; }, x, d);
    check_same([](const auto& a, const auto& b) { return pv::maximum(a, b); }, x, d);
    check_same([](const auto& a, const auto& b) { return a > b * T(2); }, x, d);
    check_same([](const auto& a, const auto& b) { return b <= a; }, x, d);
    check_same([](const auto& a, const auto& b) { return b + b > a; }, x, d);
    check_same([](const auto& a, const auto& b) { return pv::where(a > b, a, b); }, x, d);
    check_same([](const auto& a, const auto& b) { return pv::where(b > T(0), a - b, T(0)); }, x, d);
    if constexpr (std::floating_point<T>) {
        check_same([](const auto& a, const auto& b) { return a / b; }, x, d);
        check_same([](const auto& a, const auto& b) { return b / a; }, x, d);
        check_same([](const auto& a, const auto& b) { return a / pv::maximum(b, T(1)); }, x, d);
        check_same([](const auto& a, const auto& b) { return (a / b) / pv::abs(b + T(4)); }, x, d);
        check_same([](const auto& a, const auto& b) { return pv::where(b > 0., a / b, 0.); }, x, d);
    } else {
        check_same([](const auto& a, const auto& b) { return a / (b * b + T(1)); }, x, d);
    }
}

/// 0/1 with a diagonal, so that each row stores something.
pv::Tensor<double> links(index_t n, bool all_rows) {
    Random random(7);
    std::vector<index_t> indexes;
    for (index_t row = all_rows ? 0 : 1; row < n; ++row) {
        indexes.push_back(row * n + row);
        const index_t column = random.between(0, n - 1);
        if (column > row) indexes.push_back(row * n + column);
    }
    return pv::sparse_tensor<double>({n, n}, indexes, std::vector<double>(indexes.size(), 1.));
}

} // namespace

TEST_CASE("operations with a repeated sparse operand are those of dense tensors") {
    for (unsigned seed = 0; seed < oracle::rounds(300U); ++seed) {
        random_operations<double>(seed);
        random_operations<float>(seed + 1000);
        random_operations<std::int32_t>(seed + 2000);
    }
}

TEST_CASE("rows and columns are normalised in proportion to what is stored") {
    constexpr index_t kMany = 1'000'000;
    const auto x = links(kMany, true);
    const auto stored = pv::sparse_pairs(pv::clone(x))->stored();
    for (const int axis : {0, 1}) {
        const auto degree = pv::sum(x, axis, pv::keep_dims);
        const auto sums = pv::sum(pv::clone(x / degree), axis);
        CHECK(pv::sparse_pairs(pv::clone(x / degree))->stored() == stored);
        CHECK(pv::max(pv::abs(sums - 1.)) < 1e-12);
        const auto least = pv::clone(x / pv::maximum(degree, 1.));
        CHECK(pv::sparse_pairs(least)->stored() == stored);
        CHECK(pv::sparse_pairs(least)->fill() == 0.);
        CHECK(pv::sparse_pairs(pv::clone(x > degree * 0.5))->stored() <= stored);
        CHECK(pv::sparse_pairs(pv::clone(pv::where(x > degree * 0.1, x, 0.)))->stored() <= stored);
    }
    const auto by_rows = pv::sum(x, 1, pv::keep_dims);
    const auto by_columns = pv::sum(x, 0, pv::keep_dims);
    const auto both = pv::clone(x / pv::sqrt(by_rows) / pv::sqrt(by_columns));
    CHECK(pv::sparse_pairs(both)->stored() == stored);
    const auto [i, j] = pv::dims("i", "j");
    const auto named = pv::clone(pv::order((x(i, j) / by_rows(i, 0)), i, j));
    CHECK(pv::sparse_pairs(named)->stored() == stored);
    const auto divided = pv::clone(x);
    divided /= by_rows;
    CHECK(pv::sparse_pairs(divided)->stored() == stored);
    CHECK(divided(3, 3) == x(3, 3) / by_rows(3, 0));
}

TEST_CASE("rows of an expression, found to be sparse by a product with what is dense") {
    const auto check = [](index_t n) {
        const auto x = links(n, true);
        const auto weights = pv::reshape(pv::arange(1., static_cast<double>(n) + 1.), {n, 1});
        const auto w = pv::where(x != 0., x * weights, 0.);
        const auto s = pv::sum(w, 1, pv::keep_dims);
        const auto columns = pv::sum(w, 0);
        const auto stored = pv::sparse_pairs(pv::clone(x))->stored();
        const auto expect = [&](const auto& quotient, const auto& twin) {
            const auto result = pv::clone(quotient);
            REQUIRE(pv::sparse_pairs(result) != nullptr);
            CHECK(pv::sparse_pairs(result)->stored() == stored);
            CHECK(pv::sparse_pairs(result)->fill() == 0.);
            CHECK(pv::allclose(pv::sum(result, 1), pv::sum(twin, 1)));
            CHECK(pv::allclose(pv::sum(result, 0), pv::sum(twin, 0)));
        };
        const auto own = pv::clone(w);
        const auto twin = own / pv::sum(own, 1, pv::keep_dims);
        expect(w / s, twin);
        expect(w * (1. / s), twin);
        expect(w / pv::clone(s), twin);
        expect(own / s, twin);
        expect(w / columns, own / pv::sum(own, 0));
        expect(pv::sqrt(w / s) + w, pv::sqrt(twin) + own);
        expect(w / pv::sqrt(s) / pv::sqrt(columns),
               own / pv::sqrt(pv::sum(own, 1, pv::keep_dims)) / pv::sqrt(pv::sum(own, 0)));
        // What is found by the fill of the quotient, which is NaN where nothing is stored.
        expect(pv::where(x != 0., (w / s) * weights, 0.), pv::where(x != 0., twin * weights, 0.));
        // The quotients themselves, of shape [1, n].
        const auto row = pv::reshape(s, {1, n}) / pv::reshape(s + 0., {1, n});
        expect(w * row, own);
    };
    check(5);
    check(30'000);
}

TEST_CASE("a sparse quotient of dense and sparse, where the fill decides") {
    const auto x = links(6, true);
    const auto dense = pv::to_dense(x) + 2.;
    const auto w = pv::where(x != 0., x * dense, 0.);
    const auto s = pv::sum(w, 1, pv::keep_dims);
    const auto twin = pv::to_dense(pv::clone(w)) / pv::to_dense(pv::clone(s));
    // w / s is 0 or, by its fills alone, NaN where nothing is stored: a mask of it chooses.
    const auto chosen = pv::where(pv::is_nan(w / s), x, dense);
    CHECK(same_values(pv::to_vector(chosen), pv::to_vector(dense)));
    CHECK(same_values(pv::to_vector((w / s) * dense), pv::to_vector(twin * dense)));
    CHECK(same_values(
        pv::to_vector(pv::concat({w / s, w}, 0) * 2.),
        pv::to_vector(pv::concat({twin, pv::Tensor<double>(pv::to_dense(w))}, 0) * 2.)));
}

TEST_CASE("a product that a fill of 0 decides keeps it beside what is NaN") {
    const auto x = pv::sparse_tensor<double>({2, 2}, {0}, {1.});
    const auto d = pv::sparse_tensor<double>({2}, {0, 1}, {std::nan(""), 3.});
    const auto product = pv::to_vector(pv::to_dense(pv::clone(x * d)));
    CHECK(same_values(product, pv::to_vector(pv::to_dense(x) * pv::to_dense(d))));
    CHECK(product[3] == 0.);
}

TEST_CASE("a result without a constant fill is refused before it takes memory") {
    const auto x = links(100'000, false); // row 0 has the degree 0
    const auto degree = pv::sum(x, 1, pv::keep_dims);
    CHECK_THROWS_WITH(pv::clone(x / degree),
                      Catch::Matchers::ContainsSubstring("x / where(y == 0, 1, y)"));
    CHECK_THROWS_AS(pv::clone(x + (degree + 1.) * 2.), pv::KindError);
    const auto safe = pv::clone(x / pv::where(degree == 0., 1., degree));
    CHECK(pv::sparse_pairs(safe)->stored() == pv::sparse_pairs(pv::clone(x))->stored());
}

TEST_CASE("norms of sparse rows of any scale: numpy.linalg.norm") {
    const auto x = pv::sparse_tensor<double>(
        {5, 4}, {1, 3, 4, 5, 9, 10, 17},
        {3e200, 4e200, 3e-200, 4e-200, 3., 4., std::numeric_limits<double>::infinity()});
    for (const auto& norms :
         {pv::Tensor<double>(pv::norm(x, 2, 1)), pv::Tensor<double>(pv::magnitude(x, 1))}) {
        CHECK(pv::sparse_pairs(norms)->stored() <= 4);
        CHECK(norms(0) == Approx(5e200).epsilon(1e-14));
        CHECK(norms(1) == Approx(5e-200).epsilon(1e-14));
        CHECK(norms(2) == 5);
        CHECK(norms(3) == 0);
        CHECK(norms(4) == std::numeric_limits<double>::infinity());
    }
    CHECK(pv::norm(x(pv::range(0, 2))) == Approx(5e200).epsilon(1e-14));
    CHECK(pv::norm(x, 2, 0)(3) == 4e200);
    CHECK(pv::norm(pv::sparse_tensor<float>({1, 3}, {0, 2}, {3e30F, 4e30F}), 2, 1)(0) ==
          Approx(5e30F));
}

} // namespace repeated_operands_test
