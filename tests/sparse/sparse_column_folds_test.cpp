#include "sparse_support.hpp"

#include <support/rounds.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace sparse_column_folds_test {

// Folds over axes that lie across the order in which pairs are stored, of which no entry is moved.

namespace {

using namespace oracle;

template <typename T>
pv::Tensor<T> view_step(const pv::Tensor<T>& x, index_t step) {
    switch (step) {
    case 0: return pv::transpose(x);
    case 1: return pv::flip(x, Coordinates{0});
    case 2: return x(pv::range(1, 30));
    case 3: return x(pv::ellipsis, pv::range(0, 40, 2));
    case 4: return x | pv::rotate(Coordinates(static_cast<std::size_t>(x.rank()), 2));
    default: return x;
    }
}

template <typename T>
void expect_same_folds(const pv::Tensor<T>& sparse, const pv::Tensor<T>& dense, index_t axis) {
    const auto same = [](const auto& a, const auto& b) {
        REQUIRE(pv::is_sparse(a));
        REQUIRE(same_values(pv::to_vector(a), pv::to_vector(b)));
    };
    same(pv::sum(sparse, axis), pv::sum(dense, axis));
    same(pv::max(sparse, axis), pv::max(dense, axis));
    same(pv::min(sparse, axis, pv::keep_dims), pv::min(dense, axis, pv::keep_dims));
    same(pv::count_true(sparse > T{0}, axis), pv::count_true(dense > T{0}, axis));
    same(pv::any_of(sparse > T{1}, axis), pv::any_of(dense > T{1}, axis));
    same(pv::all_of(sparse >= T{0}, axis), pv::all_of(dense >= T{0}, axis));
    same(pv::sum(sparse * T{2} + T{1}, axis), pv::sum(dense * T{2} + T{1}, axis));
}

template <typename T>
void random_folds(unsigned seed) {
    INFO("seed " << seed);
    Random random(seed);
    Coordinates shape(static_cast<std::size_t>(random.between(2, 3)));
    for (index_t& extent : shape) extent = random.between(2, shape.size() == 2 ? 60 : 14);
    std::vector<index_t> indexes;
    std::vector<T> values;
    for (index_t i = 0; i < count_of(shape); ++i)
        if (random.one_in(3)) {
            indexes.push_back(i);
            values.push_back(static_cast<T>(random.between(-9, 9)));
        }
    pv::Tensor<T> sparse =
        pv::sparse_tensor<T>(shape, indexes, values, static_cast<T>(random.between(0, 1)));
    pv::Tensor<T> dense = pv::to_dense(sparse);
    for (int steps = 0; steps < 3; ++steps) {
        const index_t step = random.between(0, 5);
        sparse = view_step(sparse, step);
        dense = pv::clone(view_step(dense, step));
        if (sparse.size() == 0) return;
        for (index_t axis = 0; axis < sparse.rank(); ++axis) {
            INFO("step " << step << ", axis " << axis);
            expect_same_folds(sparse, dense, axis);
        }
        REQUIRE(pv::sum(sparse) == pv::sum(dense));
        REQUIRE(pv::max(sparse) == pv::max(dense));
        REQUIRE(pv::argmin(sparse) == pv::argmin(dense));
    }
}

} // namespace

TEST_CASE("folds of sparse columns are those of dense ones") {
    for (unsigned seed = 0; seed < oracle::rounds(60U); ++seed) {
        random_folds<double>(seed);
        random_folds<float>(seed + 1000);
        random_folds<std::int64_t>(seed + 2000);
    }
}

TEST_CASE("columns with NaN, infinities and nothing stored are folded as dense ones are") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    const pv::Tensor<double> x = pv::from_coo<double>({3, 5}, {{0, 0, 1, 2, 2}, {0, 1, 1, 0, 3}},
                                                      {nan, infinity, -infinity, 1., -0.});
    const pv::Tensor<double> dense = pv::to_dense(x);
    for (const auto& [a, b] : {std::pair{pv::clone(pv::sum(x, 0)), pv::clone(pv::sum(dense, 0))},
                               std::pair{pv::clone(pv::max(x, 0)), pv::clone(pv::max(dense, 0))},
                               std::pair{pv::clone(pv::min(x, 0)), pv::clone(pv::min(dense, 0))}})
        REQUIRE(same_values(pv::to_vector(a), pv::to_vector(b)));
    REQUIRE(pv::sparse_pairs(pv::clone(pv::sum(x, 0)))->stored() == 3);
}

TEST_CASE("a long column of floats is summed to within their precision") {
    const index_t rows = 200'000;
    std::vector<index_t> indexes;
    for (index_t i = 0; i < rows; ++i) indexes.push_back(3 * i);
    const pv::Tensor<float> x = pv::sparse_tensor<float>(
        {rows, 3}, indexes, std::vector<float>(static_cast<std::size_t>(rows), 0.1f));
    REQUIRE(std::abs(pv::sum(x, 0)(0) - 20'000.f) < 0.01f);
}

} // namespace sparse_column_folds_test
