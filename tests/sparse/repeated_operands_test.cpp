#include "sparse_support.hpp"

#include <support/rounds.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
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

} // namespace repeated_operands_test
