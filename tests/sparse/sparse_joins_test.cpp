#include "sparse_support.hpp"

#include <purview/evaluation/explain.hpp>

#include <support/rounds.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace sparse_joins_test {

// What is put together of sparse tensors, added to a transposed one, or multiplied with a dense
// matrix: as the dense twin has it.

namespace {

using namespace oracle;

template <typename T>
void expect_equal(const pv::Tensor<T>& sparse, const pv::Tensor<T>& dense) {
    REQUIRE(pv::is_sparse(sparse));
    REQUIRE(sparse.shape() == dense.shape());
    const pv::Tensor<T> realised = pv::clone(sparse);
    pv::check_sparse_indexes("test", pv::sparse_pairs(realised)->indexes(), sparse.size());
    REQUIRE(same_values(pv::to_vector(realised), pv::to_vector(dense)));
}

/// A sparse tensor of a shape, or a view of one, or one that is computed.
template <typename T>
pv::Tensor<T> any_piece(Random& random, Coordinates shape, T fill) {
    const index_t kind = random.between(0, 5);
    if (kind == 0) shape.front() += 2;
    if (kind == 1) std::ranges::reverse(shape);
    const pv::Tensor<T> x = random_sparse<T>(random, shape, fill).real;
    if (kind == 0) return x(pv::Range(1, shape.front() - 1));
    if (kind == 1) return pv::transpose(x);
    if (kind == 2) return pv::flip(x, Coordinates{0});
    if (kind == 3) return pv::where(x == x, x, x);
    return x;
}

template <typename T>
void random_joins(unsigned seed) {
    INFO("seed " << seed);
    Random random(seed);
    Coordinates shape(static_cast<std::size_t>(random.between(1, 3)));
    for (index_t& extent : shape) extent = random.between(1, shape.size() == 1 ? 200 : 12);
    const auto axis = static_cast<std::size_t>(random.between(0, std::ssize(shape) - 1));
    const bool stacks = random.one_in(3);
    const T fill = random_fill<T>(random);
    std::vector<pv::Tensor<T>> sparse;
    std::vector<pv::Tensor<T>> dense;
    for (index_t pieces = random.between(1, 5); pieces > 0; --pieces) {
        if (!stacks) shape[axis] = random.between(1, 12);
        const T own = random.one_in(4) ? random_fill<T>(random) : fill;
        sparse.push_back(random.one_in(5) ? pv::Tensor<T>(pv::sparse_full<T>(shape, own))
                                          : any_piece<T>(random, shape, own));
        dense.push_back(pv::to_dense(sparse.back()));
    }
    const auto at = static_cast<index_t>(axis);
    if (stacks)
        expect_equal<T>(pv::stack(sparse, at), pv::clone(pv::stack(dense, at)));
    else
        expect_equal<T>(pv::concat(sparse, at), pv::clone(pv::concat(dense, at)));
}

template <typename T>
void random_sums_with_transposes(unsigned seed) {
    INFO("seed " << seed);
    Random random(seed);
    const index_t n = random.between(1, 40);
    const index_t m = random.one_in(2) ? n : random.between(1, 40);
    const pv::Tensor<T> x = random_sparse<T>(random, {m, n}, random_fill<T>(random)).real;
    const pv::Tensor<T> y = random_sparse<T>(random, {n, m}, random_fill<T>(random)).real;
    const pv::Tensor<T> dense_x = pv::to_dense(x);
    const pv::Tensor<T> dense_y = pv::clone(pv::transpose(pv::to_dense(y)));
    expect_equal<T>(x + pv::transpose(y), pv::clone(dense_x + dense_y));
    expect_equal<T>(pv::transpose(y) - x, pv::clone(dense_y - dense_x));
    expect_equal<T>(pv::flip(x, Coordinates{1}) + pv::transpose(y) + x,
                    pv::clone(pv::flip(dense_x, Coordinates{1}) + dense_y + dense_x));
}

template <typename T>
void random_products(unsigned seed) {
    INFO("seed " << seed);
    Random random(seed);
    const index_t k = random.between(1, 60);
    const index_t m = random.between(1, 60);
    const index_t n = random.between(1, 20);
    std::vector<index_t> indexes;
    std::vector<T> values;
    const bool many = random.one_in(2);
    for (index_t i = 0; i < k * m; ++i)
        if (random.one_in(many ? 20 : 100)) {
            indexes.push_back(i);
            values.push_back(static_cast<T>(random.between(-100, 100)) / T{3});
        }
    const pv::Tensor<T> x = pv::sparse_tensor<T>({k, m}, indexes, values);
    const pv::Tensor<T> xt = pv::clone(pv::transpose(x));
    std::vector<T> numbers(static_cast<std::size_t>(k * n));
    for (T& each : numbers) each = static_cast<T>(random.between(-100, 100)) / T{7};
    pv::Tensor<T> y = pv::reshape(pv::tensor(numbers), {k, n});
    if (random.one_in(3)) y = pv::clone(pv::transpose(y)) | pv::transpose;
    // The same bits, whichever way the pairs lie; where many are stored, BLAS may take over.
    if (std::ssize(values) * 12 > k * m) return;
    REQUIRE(pv::to_vector(pv::matmul(pv::transpose(x), y)) == pv::to_vector(pv::matmul(xt, y)));
    const pv::Tensor<T> vector = pv::clone(y(pv::all, 0));
    REQUIRE(pv::to_vector(pv::matmul(pv::transpose(x), vector)) ==
            pv::to_vector(pv::matmul(xt, vector)));
    const std::vector<T> found = pv::to_vector(pv::matmul(pv::transpose(x), y));
    const pv::Tensor<T> dense = pv::to_dense(x);
    for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < n; ++j) {
            double sum = 0;
            double magnitudes = 0;
            for (index_t r = 0; r < k; ++r) {
                const double product =
                    static_cast<double>(dense(r, i)) * static_cast<double>(y(r, j));
                sum += product;
                magnitudes += std::abs(product);
            }
            const auto at = static_cast<std::size_t>(i * n + j);
            REQUIRE(std::abs(static_cast<double>(found[at]) - sum) <= 1e-5 * magnitudes);
        }
}

} // namespace

TEST_CASE("pieces of sparse tensors are put together as those of dense ones") {
    for (unsigned seed = 0; seed < oracle::rounds(200U); ++seed) {
        random_joins<double>(seed);
        random_joins<std::int16_t>(seed + 1000);
        random_joins<bool>(seed + 2000);
        random_joins<std::string>(seed + 3000);
    }
}

TEST_CASE("pieces with few entries in many rows are sorted") {
    const index_t n = index_t{1} << 30;
    const pv::Tensor<double> x =
        pv::from_coo<double>({n, n}, {{0, 5, n - 1}, {n - 1, 2, 0}}, {1., 2., 3.});
    const pv::Tensor<double> both = pv::clone(pv::concat({x, x}, 1));
    REQUIRE(pv::sparse_pairs(both)->stored() == 6);
    REQUIRE(both(0, n - 1) == 1);
    REQUIRE(both(0, 2 * n - 1) == 1);
    REQUIRE(both(5, n + 2) == 2);
    REQUIRE(both(n - 1, n) == 3);
    REQUIRE(pv::clone(pv::concat({x, x}, 0))(n + 5, 2) == 2);
}

TEST_CASE("sums with transposed sparse matrices are those of dense ones") {
    for (unsigned seed = 0; seed < oracle::rounds(150U); ++seed) {
        random_sums_with_transposes<double>(seed);
        random_sums_with_transposes<float>(seed + 1000);
        random_sums_with_transposes<std::int32_t>(seed + 2000);
    }
}

TEST_CASE("transposed sparse matrices times dense ones") {
    for (unsigned seed = 0; seed < oracle::rounds(100U); ++seed) {
        random_products<double>(seed);
        random_products<float>(seed + 1000);
    }
}

TEST_CASE("explain tells how pieces are joined, and which way a transposed matrix is multiplied") {
    using Catch::Matchers::ContainsSubstring;
    std::vector<index_t> third(300);
    for (std::size_t i = 0; i < third.size(); ++i) third[i] = static_cast<index_t>(67 * i);
    const pv::Tensor<double> x = pv::sparse_tensor<double>(
        {100, 201}, std::move(third), std::vector<double>(300, 1.5)); // few enough for no BLAS
    CHECK_THAT(pv::explain(pv::concat({x, x}, 0)),
               ContainsSubstring("below): those of each piece are appended\n"));
    CHECK_THAT(pv::explain(pv::concat({x, x}, 1)), ContainsSubstring("are appended row by row"));
    const auto few = pv::from_coo<double>({1000, 1000}, {{1, 2}, {3, 4}}, {1., 2.});
    CHECK_THAT(pv::explain(pv::concat({few, few}, 1)), ContainsSubstring("they are sorted"));
    const pv::Tensor<double> narrow = pv::clone(x(pv::all, pv::Range(0, 70)));
    const pv::Tensor<double> y = pv::ones({100, 9});
    CHECK_THAT(pv::explain(pv::matmul, pv::transpose(narrow), y),
               ContainsSubstring("as its transpose lies in memory"));
    CHECK_THAT(pv::explain(pv::matmul, pv::clone(pv::transpose(narrow)), y),
               ContainsSubstring("row by row"));
}

} // namespace sparse_joins_test
