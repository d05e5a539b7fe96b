#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/functional/reductions/product.hpp>

#include <engine/contract/contract.hpp>
#include <engine/kernels/table/lane_selection.hpp>
#include <engine/kernels/table/selection.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace small_products_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::Random;
using pv::all;
using pv::index_t;
using pv::new_axis;
using pv::range;

template <typename T>
pv::Tensor<T> random_numbers(Random& random, const pv::Shape& shape) {
    std::vector<T> values;
    for (index_t i = 0; i < pv::Dimensions::row_major(shape).size(); ++i)
        values.push_back(static_cast<T>(random.between(-1000, 1000)) / T{999});
    return pv::clone(pv::tensor(values) | pv::reshape(shape));
}

/// A batch of matrices in memory of some layout: transposed, padded, turned round.
template <typename T>
pv::Tensor<T> random_matrices(Random& random, index_t batch, index_t rows, index_t columns) {
    const bool transposed = random.one_in(2);
    const index_t padding = random.one_in(2) ? 0 : random.between(1, 9);
    const index_t step = random.one_in(4) ? 2 : 1;
    const pv::Tensor<T> memory =
        transposed ? random_numbers<T>(random, {batch, columns, rows * step + padding})
                   : random_numbers<T>(random, {batch, rows, columns * step + padding});
    pv::Tensor<T> matrices = memory(all, all, range(0, (transposed ? rows : columns) * step, step));
    if (transposed) matrices = matrices | pv::transpose({0, 2, 1});
    if (random.one_in(5)) matrices = matrices | pv::flip({random.between(1, 2)});
    return matrices;
}

template <typename T>
void check_products(Random& random, index_t batch, index_t m, index_t n, index_t k) {
    const pv::Tensor<T> a = random_matrices<T>(random, batch, m, k);
    const pv::Tensor<T> b = random_matrices<T>(random, batch, k, n);
    const bool single = batch == 1 && random.one_in(2);
    const pv::Tensor<T> c =
        single ? pv::matmul(a(0, all, all), b(0, all, all)) | pv::reshape({1, m, n})
               : pv::Tensor<T>(pv::matmul(a, b));
    const T tolerance = static_cast<T>(k + 1) * std::numeric_limits<T>::epsilon();
    index_t wrong = 0;
    for (index_t i = 0; i < batch; ++i)
        for (index_t row = 0; row < m; ++row)
            for (index_t column = 0; column < n; ++column) {
                T sum = 0;
                T bound = 0;
                for (index_t l = 0; l < k; ++l) {
                    const T product = a(i, row, l) * b(i, l, column);
                    sum += product;
                    bound += std::abs(product);
                }
                if (!(std::abs(c(i, row, column) - sum) <= tolerance * bound)) ++wrong;
            }
    INFO(batch << " of " << m << " x " << n << " x " << k);
    CHECK(wrong == 0);
}

template <typename T>
std::string description(const pv::Tensor<T>& x, const pv::Tensor<T>& y) {
    const auto product = x(all, new_axis, all) * (y | pv::transpose)(new_axis, all, all);
    const pv::ReducedView view = pv::reduced_view("sum", product.operand(), pv::Shape{2}, false);
    return pv::engine::describe_product(view.operand, view.groups);
}

} // namespace

TEST_CASE("small products agree with nested loops") {
    Random random(1);
    for (int round = 0; round < oracle::rounds(150); ++round) {
        const auto extent = [&] {
            return random.one_in(4) ? random.between(0, 3) : random.between(0, 70);
        };
        const index_t batch = random.one_in(2) ? 1 : random.between(1, 4);
        const index_t m = extent();
        const index_t n = extent();
        const index_t k = extent();
        check_products<double>(random, batch, m, n, k);
        check_products<float>(random, batch, m, n, k);
    }
}

/// Products of a matrix and a vector are those of the general way, to the bit.
template <typename T>
void check_vectors(Random& random, index_t m, index_t k) {
    const pv::Tensor<T> matrix = random_matrices<T>(random, 1, m, k)(0, all, all);
    const pv::Tensor<T> vector = random_matrices<T>(random, 1, 1, k)(0, 0, all);
    INFO(m << " x " << k);
    const auto products = matrix * vector;
    const bool same_column =
        pv::to_vector(pv::matmul(matrix, vector)) == pv::to_vector(pv::sum(products, 1));
    CHECK(same_column);
    const auto rows = pv::transpose(matrix);
    const bool same_row = pv::to_vector(pv::matmul(vector, rows)) ==
                          pv::to_vector(pv::sum(vector * pv::transpose(rows), 1));
    CHECK(same_row);
    index_t wrong = 0;
    const auto found = pv::to_vector(pv::matmul(matrix, vector));
    for (index_t row = 0; row < m; ++row) {
        T sum = 0;
        T bound = 0;
        for (index_t l = 0; l < k; ++l) {
            sum += matrix(row, l) * vector(l);
            bound += std::abs(matrix(row, l) * vector(l));
        }
        const T error = std::abs(found[static_cast<std::size_t>(row)] - sum);
        if (!(error <= static_cast<T>(k + 1) * std::numeric_limits<T>::epsilon() * bound)) ++wrong;
    }
    CHECK(wrong == 0);
}

TEST_CASE("a small matrix times a vector agrees with nested loops and the general way") {
    Random random(7);
    for (int round = 0; round < oracle::rounds(150); ++round) {
        const index_t m = random.one_in(4) ? random.between(1, 3) : random.between(1, 70);
        const index_t k = random.one_in(4) ? random.between(1, 3) : random.between(1, 70);
        check_vectors<double>(random, m, k);
        check_vectors<float>(random, m, k);
    }
    // An axis that repeats an element, or is none.
    const auto matrix = random_numbers<double>(random, {5, 4});
    const auto repeated = random_numbers<double>(random, {1}) | pv::broadcast({4});
    CHECK(pv::to_vector(pv::matmul(matrix, repeated)) ==
          pv::to_vector(pv::sum(matrix * repeated, 1)));
}

TEST_CASE("batches of small products are those of the general way") {
    Random random(8);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const index_t batch = random.between(1, 6);
        const index_t m = random.between(1, 12);
        const index_t n = random.between(1, 12);
        const index_t k = random.between(1, 12);
        const auto x = random_matrices<double>(random, batch, m, k);
        const auto y = random_matrices<double>(random, batch, k, n);
        const auto products =
            x(all, all, new_axis, all) * (y | pv::transpose({0, 2, 1}))(all, new_axis, all, all);
        const bool same = pv::to_vector(pv::matmul(x, y)) == pv::to_vector(pv::sum(products, 3));
        CHECK(same);
    }
}

TEST_CASE("an element of a small product does not depend on its place") {
    Random random(2);
    // The whole product has to be a small one too: a larger one goes to BLAS.
    const index_t side = std::min<index_t>(pv::engine::lane_kernels().longest_small_side, 67);
    const auto a = random_numbers<double>(random, {side - 1, side});
    const auto b = random_numbers<double>(random, {side, side - 2});
    const auto whole = pv::clone(pv::matmul(a, b));
    for (int round = 0; round < 30; ++round) {
        const index_t row = random.between(0, side - 3);
        const index_t column = random.between(0, side - 4);
        const index_t rows = random.between(2, side - 1 - row);
        const index_t columns = random.between(2, side - 2 - column);
        const auto part =
            pv::matmul(a(range(row, row + rows), all), b(all, range(column, column + columns)));
        const bool same =
            pv::all_of(part == whole(range(row, row + rows), range(column, column + columns)));
        CHECK(same);
    }
}

TEMPLATE_TEST_CASE("the kernel of small products is exact on every target", "", float, double) {
    using T = TestType;
    namespace engine = pv::engine;
    Random random(3);
    for (const engine::KernelTable* const table : engine::available_kernels()) {
        const auto kernel = table->lanes->multiply_small<T>();
        for (int round = 0; round < 60; ++round) {
            const index_t m = random.between(1, 40);
            const index_t n = random.between(1, 80);
            const index_t k = random.between(0, 30);
            const index_t gap = random.between(0, 3);
            engine::SmallProduct sizes{m, n, k, k + gap, 1, n + gap, 1, n + gap};
            if (random.one_in(3)) sizes.a_row = 1, sizes.a_column = m;
            if (random.one_in(2)) sizes.b_row = 1, sizes.b_column = k + gap;
            const auto numbers = [&](index_t rows, index_t row, index_t columns, index_t column) {
                const index_t last =
                    rows * columns > 0 ? (rows - 1) * row + (columns - 1) * column : -1;
                std::vector<T> values;
                for (index_t i = 0; i <= last; ++i)
                    values.push_back(static_cast<T>(random.between(-8, 8)));
                return values;
            };
            const std::vector<T> a = numbers(m, sizes.a_row, k, sizes.a_column);
            const std::vector<T> b = numbers(k, sizes.b_row, n, sizes.b_column);
            std::vector<T> expected(static_cast<std::size_t>((m - 1) * sizes.c_row + n), T{77});
            std::vector<T> c = expected;
            for (index_t i = 0; i < m; ++i)
                for (index_t j = 0; j < n; ++j) {
                    T sum = 0;
                    for (index_t l = 0; l < k; ++l)
                        sum += a[static_cast<std::size_t>(i * sizes.a_row + l * sizes.a_column)] *
                               b[static_cast<std::size_t>(l * sizes.b_row + j * sizes.b_column)];
                    expected[static_cast<std::size_t>(i * sizes.c_row + j)] = sum / 2;
                }
            kernel(&sizes, a.data(), b.data(), c.data(), T{0.5});
            INFO(table->name << ": " << m << " x " << n << " x " << k);
            CHECK(c == expected);
        }
    }
}

TEST_CASE("small products are computed by their kernel, and say so") {
    const auto a = pv::clone(pv::ones({4, 5}));
    const auto b = pv::clone(pv::ones({5, 6}));
    CHECK(description(a, b) == "gemm 4x6x5 float64, by the kernel of small products");
    const auto at = pv::clone(a | pv::transpose) | pv::transpose;
    CHECK(description(at, b) ==
          "gemm 4x6x5 float64, A transposed, by the kernel of small products");
    const auto bt = pv::clone(b | pv::transpose) | pv::transpose;
    CHECK(description(a, bt) ==
          "gemm 4x6x5 float64, B transposed, by the kernel of small products");
    const auto large = pv::clone(pv::ones({200, 200}));
    CHECK_THAT(description(large, large), !ContainsSubstring("kernel of small products"));
    if (pv::engine::lane_kernels().longest_small_side < 64) return; // emulated vectors
    const auto scaled = pv::clone(pv::ones({64, 64}));
    const auto product = (scaled * 2.0)(all, all, new_axis) * scaled(new_axis, all, all);
    CHECK(pv::sum(product, 1)(3, 5) == 128);
    const pv::ReducedView view = pv::reduced_view("sum", product.operand(), pv::Shape{1}, false);
    CHECK(pv::engine::describe_product(view.operand, view.groups) ==
          "gemm 64x64x64 float64, times 2, by the kernel of small products");
}

TEST_CASE("small products take the same way in any order of axes") {
    const auto a = pv::clone(pv::ones({4, 5}) * 2.0);
    const auto b = pv::clone(pv::ones({5, 6}));
    const auto product = a(all, all, new_axis) * b(new_axis, all, all); // summed in the middle
    const pv::ReducedView view = pv::reduced_view("sum", product.operand(), pv::Shape{1}, false);
    CHECK(pv::engine::describe_product(view.operand, view.groups) ==
          "gemm 4x6x5 float64, by the kernel of small products");
    CHECK(pv::to_vector(pv::sum(product, 1)) == std::vector<double>(24, 10.0));
    const auto vector = pv::clone(pv::ones({5}));
    const auto rows = (a | pv::transpose) * vector(all, new_axis);
    const pv::ReducedView sums = pv::reduced_view("sum", rows.operand(), pv::Shape{0}, false);
    CHECK(pv::engine::describe_product(sums.operand, sums.groups) ==
          "gemv 4x5 float64, by the kernel of small products");
    // Views that repeat or leave out elements of the product do not.
    const auto twice = pv::transpose(product, {0, 2, 1})(all, pv::range(0, 3), all);
    CHECK(pv::to_vector(pv::sum(twice, 2)) == std::vector<double>(12, 10.0));
}

TEST_CASE("NaN and infinities go through small products") {
    for (const index_t n : {3, 8, 17}) {
        const auto a = pv::clone(pv::zeros({n, n}));
        const auto b = pv::clone(pv::ones({n, n}));
        a(1, 2) = std::numeric_limits<double>::infinity();
        b(2, 0) = 0;
        b(0, 1) = std::numeric_limits<double>::quiet_NaN();
        const auto c = pv::clone(pv::matmul(a, b));
        CHECK(std::isnan(c(1, 0)));
        CHECK(std::isnan(c(0, 1)));
        CHECK(c(1, 2) == std::numeric_limits<double>::infinity());
        CHECK(c(0, 2) == 0);
    }
}

} // namespace small_products_test
