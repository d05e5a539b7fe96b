#include "sparse_support.hpp"

#include <support/rounds.hpp>

#include <purview/sparse.hpp>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace sparse_contractions_test {

// Sums of products of sparse tensors, and of sparse with dense ones, are those of their dense twins, and cost what the products of
// stored elements do.

namespace {

using namespace oracle;
using pv::all;

/// A dense one with the same elements.
template <typename T>
pv::Tensor<T> twin(const pv::Tensor<T>& x) {
    return pv::is_sparse(x) ? pv::Tensor<T>(pv::to_dense(x)) : x;
}

/// What is made of a tensor may be slices of a larger one, permuted, flipped and rotated.
template <typename T>
pv::Tensor<T> viewed(Random& random, const Coordinates& shape, T fill) {
    const Coordinates order = random.permutation(shape.size());
    Coordinates stored(shape.size());
    Coordinates back(shape.size());
    std::vector<pv::TensorIndex> slices;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const auto axis = static_cast<std::size_t>(order[i]);
        const index_t before = random.one_in(3) ? random.between(0, 2) : 0;
        const index_t behind = random.one_in(3) ? random.between(0, 2) : 0;
        stored[i] = shape[axis] + before + behind;
        back[axis] = static_cast<index_t>(i);
        slices.emplace_back(pv::range(before, before + shape[axis], 1));
    }
    pv::Tensor<T> x = random_sparse<T>(random, stored, fill).real;
    if (!shape.empty()) x = pv::Tensor<T>(pv::select_operand(x.operand(), slices));
    x = pv::transpose(x, pv::Shape(back.begin(), back.end()));
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (random.one_in(6)) x = pv::flip(x, {static_cast<index_t>(axis)});
        if (random.one_in(6)) {
            pv::Shape amounts(shape.size(), 0);
            amounts[axis] = random.between(-3, 3);
            x = x | pv::rotate(amounts);
        }
    }
    if (random.one_in(8)) x = pv::clone(x);
    return x;
}

/// Axes of a sum of products: in which factors each is, and whether it is summed.
struct Axes {
    Coordinates extents;
    std::vector<int> factors; ///< bit 0: x, bit 1: y
    pv::Shape summed;

    explicit Axes(Random& random) {
        const index_t rank = random.between(1, 5);
        for (index_t axis = 0; axis < rank; ++axis) {
            extents.push_back(random.one_in(60) ? 0 : random.between(1, 5));
            factors.push_back(random.one_in(12) ? 0 : static_cast<int>(random.between(1, 3)));
            if (random.one_in(2)) summed.push_back(axis);
        }
    }
    Coordinates of(int factor) const {
        Coordinates shape = extents;
        for (std::size_t axis = 0; axis < shape.size(); ++axis)
            if ((factors[axis] & factor) == 0) shape[axis] = 1;
        return shape;
    }
};

template <typename R>
void expect_same_sums(const pv::Tensor<R>& sums, const pv::Tensor<R>& expected) {
    REQUIRE(sums.shape() == expected.shape());
    const std::vector<R> x = pv::to_vector(pv::to_dense(sums));
    const std::vector<R> y = pv::to_vector(pv::to_dense(expected));
    for (std::size_t i = 0; i < x.size(); ++i) {
        INFO("element " << i << ": " << x[i] << ", and " << y[i] << " of the dense twin");
        REQUIRE(same(x[i], y[i]));
    }
    if (!pv::is_sparse(sums)) return;
    const auto pairs = pv::sparse_pairs(sums);
    pv::check_sparse_indexes("test", pairs->indexes(), sums.size());
}

/// Both factors sparse, or one. Returns 1 or 2 where they go row by row, which is what this is about.
template <typename T>
int check_sums(unsigned seed) {
    Random random(seed);
    const Axes axes(random);
    const bool zero = !random.one_in(4); // else other fills as well
    const pv::Tensor<T> x = viewed<T>(random, axes.of(1), zero ? T{} : random_fill<T>(random));
    pv::Tensor<T> y = viewed<T>(random, axes.of(2), zero ? T{} : random_fill<T>(random));
    const index_t kinds = random.between(0, 3);
    if (kinds == 0) y = pv::to_dense(y);
    if (kinds == 1) {
        // In another order of memory.
        const Coordinates order = random.permutation(axes.extents.size());
        pv::Shape back(order.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            back[static_cast<std::size_t>(order[i])] = static_cast<index_t>(i);
        y = pv::transpose(pv::to_dense(pv::transpose(y, pv::Shape(order.begin(), order.end()))),
                          back);
    }
    const bool swapped = random.one_in(3);
    INFO("seed " << seed << ", extents " << text(axes.extents) << ", of x " << text(axes.of(1))
                 << ", of y " << text(axes.of(2)));
    const auto products = [&](const pv::Tensor<T>& a, const pv::Tensor<T>& b) -> pv::Tensor<T> {
        pv::Tensor<T> product = swapped ? b * a : a * b;
        product = pv::broadcast(product, pv::Shape(axes.extents.begin(), axes.extents.end()));
        if constexpr (std::floating_point<T>)
            if (seed % 5 == 0) product = product * T(2);
        return product;
    };
    const auto expected = pv::sum(products(twin(x), twin(y)), pv::Axes(axes.summed));
    const auto sums = pv::sum(products(x, y), pv::Axes(axes.summed));
    if (pv::is_sparse(x) && pv::is_sparse(y) && products(x, y).size() > 0)
        CHECK(pv::is_sparse(sums));
    expect_same_sums<pv::Accumulated<T>>(sums, expected);
    expect_same_sums<pv::Accumulated<T>>(
        pv::sum(pv::AnyTensor(products(x, y)), pv::Axes(axes.summed))
            .template as<pv::Accumulated<T>>(),
        expected);
    REQUIRE(same(pv::sum(products(x, y)), pv::sum(products(twin(x), twin(y)))));
    const std::string text = pv::explain(pv::sum, products(x, y), axes.summed);
    if (!zero || text.find("sparse product of") == std::string::npos) return 0;
    return pv::is_sparse(y) ? 1 : 2;
}

} // namespace

TEMPLATE_TEST_CASE("sums of sparse products are those of dense ones", "", bool, std::int8_t,
                   std::uint8_t, std::int16_t, std::int32_t, std::uint32_t, std::int64_t,
                   std::uint64_t, float, double) {
    unsigned gone[3] = {};
    for (unsigned seed = 0; seed < oracle::rounds(1500U); ++seed)
        ++gone[check_sums<TestType>(seed)];
    CHECK(gone[1] > oracle::rounds(100U));
    CHECK(gone[2] > oracle::rounds(100U));
}

TEST_CASE("narrow integers wrap before they are summed, wide ones in the sum") {
    const auto x = pv::sparse_tensor<std::int8_t>({2, 3}, {0, 1, 4}, {100, 100, -128});
    const auto products = pv::insert_axis(x, 1) * pv::insert_axis(x, 0);
    CHECK(pv::all_of(pv::sum(products, 2) == pv::tensor<std::int64_t>({{32, 0}, {0, 0}})));
    CHECK(pv::sum(products) == 32);
    CHECK(pv::all_of(pv::matmul(x, pv::transpose(x)) ==
                     pv::tensor<std::int64_t>({{20'000, -12'800}, {-12'800, 16'384}})));
    const auto big = pv::sparse_tensor<std::uint64_t>({2, 2}, {0, 1}, {1ull << 63, 3});
    CHECK(pv::matmul(big, pv::transpose(big))(0, 0) == 9);
    CHECK(pv::matmul(big, pv::to_dense(pv::transpose(big)))(0, 0) == 9);
}

TEST_CASE("products in all forms are those of dense tensors") {
    for (unsigned seed = 0; seed < oracle::rounds(150U); ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        const index_t b = random.between(1, 3);
        const index_t m = random.between(1, 9);
        const index_t k = random.between(1, 9);
        const index_t n = random.between(1, 9);
        const auto x = viewed<double>(random, {b, m, k}, 0);
        const auto y = viewed<double>(random, {b, k, n}, 0);
        const auto v = viewed<double>(random, {k}, 0);
        const pv::Tensor<double> dx = pv::to_dense(x);
        const pv::Tensor<double> dy = pv::to_dense(y);
        const pv::Tensor<double> dv = pv::to_dense(v);
        expect_same_sums<double>(pv::matmul(x, y), pv::matmul(dx, dy));
        expect_same_sums<double>(pv::matmul(x, dy), pv::matmul(dx, dy));
        expect_same_sums<double>(pv::matmul(dx, y), pv::matmul(dx, dy));
        expect_same_sums<double>(pv::matmul(x, v), pv::matmul(dx, dv));
        expect_same_sums<double>(pv::matmul(v, y), pv::matmul(dv, dy));
        expect_same_sums<double>(pv::matmul(v, dy), pv::matmul(dv, dy));
        expect_same_sums<double>(pv::matmul(x(0, all, all), y), pv::matmul(dx(0, all, all), dy));
        expect_same_sums<double>(pv::matmul(pv::AnyTensor(x), pv::AnyTensor(y)).as<double>(),
                                 pv::matmul(dx, dy));
        REQUIRE(same(pv::dot(v, v), pv::dot(dv, dv)));
        REQUIRE(same(pv::dot(v, dv), pv::dot(dv, dv)));
        CHECK(pv::is_sparse(pv::matmul(x, y)));
        CHECK(pv::is_sparse(pv::matmul(pv::AnyTensor(x), pv::AnyTensor(y))));

        expect_same_sums<double>(pv::einsum("bmk,bkn->nbm", x, y),
                                 pv::einsum("bmk,bkn->nbm", dx, dy));
        expect_same_sums<double>(pv::einsum("bmk,bkn->mn", x, dy),
                                 pv::einsum("bmk,bkn->mn", dx, dy));
        expect_same_sums<double>(pv::einsum("bmk,bkn,k->bn", x, y, v),
                                 pv::einsum("bmk,bkn,k->bn", dx, dy, dv));
        expect_same_sums<double>(pv::einsum("bmk,bkn,k->bn", x, dy, v),
                                 pv::einsum("bmk,bkn,k->bn", dx, dy, dv));
        CHECK(pv::is_sparse(pv::einsum("bmk,bkn->nbm", x, y)));

        const auto [db, dm, dk, dn] = pv::dims("b", "m", "k", "n");
        const auto named = [&](const auto& one, const auto& two) {
            return pv::Tensor<double>((one(db, dm, dk) * two(db, dk, dn)) | pv::sum(db, dk) |
                                      pv::order(dn, dm));
        };
        expect_same_sums<double>(named(x, y), named(dx, dy));
        expect_same_sums<double>(named(x, dy), named(dx, dy));
        CHECK(pv::is_sparse(named(x, y)));
        expect_same_sums<double>(pv::Tensor<double>(pv::matmul(x(db), y(db)) | pv::order(db)),
                                 pv::matmul(dx, dy));
    }
}

TEST_CASE("matrix products of 10^18 elements each take what is stored in them") {
    const index_t extent = 1'000'000'000;
    const index_t stored = 100'000;
    std::uint64_t state = 1;
    const auto next = [&](index_t below) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<index_t>(state >> 20) % below;
    };
    // Of which a tenth of the columns of one are rows of the other.
    std::vector<index_t> common;
    for (int i = 0; i < 10'000; ++i) common.push_back(next(extent));
    const auto matrix = [&](bool by_columns) {
        std::vector<std::vector<index_t>> at(2);
        std::vector<double> values;
        for (index_t i = 0; i < stored; ++i) {
            const index_t meeting = common[static_cast<std::size_t>(next(10'000))];
            at[by_columns ? 1 : 0].push_back(i % 10 == 0 ? next(extent) : meeting);
            at[by_columns ? 0 : 1].push_back(next(extent));
            values.push_back(static_cast<double>(1 + i % 7));
        }
        return pv::from_coo<double>({extent, extent}, at, std::move(values), 0,
                                    pv::Duplicates::sum);
    };
    const auto x = matrix(true);
    const auto y = matrix(false);
    std::multimap<index_t, std::pair<index_t, double>> rows;
    const auto of_y = pv::sparse_pairs(y);
    for (std::size_t p = 0; p < of_y->indexes().size(); ++p)
        rows.emplace(of_y->indexes()[p] / extent,
                     std::pair{of_y->indexes()[p] % extent, of_y->values()[p]});
    std::map<std::pair<index_t, index_t>, double> expected;
    const auto of_x = pv::sparse_pairs(x);
    for (std::size_t p = 0; p < of_x->indexes().size(); ++p) {
        const auto [begin, end] = rows.equal_range(of_x->indexes()[p] % extent);
        for (auto at = begin; at != end; ++at)
            expected[{of_x->indexes()[p] / extent, at->second.first}] +=
                of_x->values()[p] * at->second.second;
    }
    REQUIRE(expected.size() > 500'000);
    const auto product = pv::matmul(x, y);
    const auto entries = pv::sparse_pairs(product);
    REQUIRE(entries->stored() == std::ssize(expected));
    std::size_t p = 0;
    bool equal = true;
    for (const auto& [at, value] : expected) {
        equal &=
            entries->indexes()[p] == at.first * extent + at.second && entries->values()[p] == value;
        ++p;
    }
    CHECK(equal);
    // The same of types known at run time, and of the transposes.
    CHECK(pv::equals(pv::matmul(pv::AnyTensor(x), pv::AnyTensor(y)).as<double>(), product));
    CHECK(pv::equals(pv::matmul(pv::transpose(y), pv::transpose(x)), pv::transpose(product)));
    const auto vector = pv::sum(y, 1);
    CHECK(pv::sum(pv::matmul(x, vector)) == pv::sum(product));
    // The number of all products fits no index.
    CHECK_THROWS_AS(pv::insert_axis(x, 2) * pv::insert_axis(y, 0), pv::ShapeError);
}

TEST_CASE(
    "a sparse matrix of 10^12 elements times dense ones takes what is stored and what is dense") {
    const index_t extent = 1'000'000;
    std::vector<index_t> at;
    for (index_t i = 0; i < 100'000; ++i) at.push_back(10 * i * extent + (7919 * i) % extent);
    const auto x =
        pv::sparse_tensor<double>({extent, extent}, at, std::vector<double>(at.size(), 3.));
    const pv::Tensor<double> v = pv::clone(pv::arange(extent) * 1.);
    const auto xv = pv::matmul(x, v);
    REQUIRE_FALSE(pv::is_sparse(xv));
    CHECK(xv(0) == 0);
    CHECK(xv(10) == 3 * 7919);
    CHECK(xv(11) == 0);
    double expected = 0;
    for (const index_t i : at) expected += 3. * static_cast<double>(i % extent);
    CHECK(pv::sum(xv) == expected);
    CHECK(pv::sum(x * v) == expected);
    CHECK(pv::sum(v * x) == expected);
    CHECK(pv::sum(pv::matmul(v, pv::transpose(x))) == expected);
    const pv::Tensor<double> wide = pv::clone(pv::stack({v, v + 1., v * 2.}, 1));
    const auto xw = pv::matmul(x, wide);
    CHECK(pv::sum(xw(all, 0)) == expected);
    CHECK(pv::sum(xw(all, 2)) == 2 * expected);
    // From the left, by rows of the dense one.
    const auto wx = pv::matmul(pv::transpose(pv::clone(wide)), pv::transpose(x));
    CHECK(pv::all_of(wx == pv::transpose(xw)));
    const auto few = pv::sparse_tensor<double>({extent, extent}, {5, extent + 7}, {2., 4.});
    const pv::Tensor<double> rows = pv::clone(pv::transpose(wide));
    const auto by_rows = pv::matmul(rows, pv::transpose(few));
    CHECK(pv::all_of(by_rows(all, pv::range(0, 3)) ==
                     pv::tensor({{10., 28., 0.}, {12., 32., 0.}, {20., 56., 0.}})));
}

TEST_CASE("products of sparse tensors do not depend on the number of threads", "[thread]") {
    std::vector<index_t> at[2];
    std::uint64_t state = 7;
    for (auto& indexes : at)
        for (int i = 0; i < 200'000; ++i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            indexes.push_back(static_cast<index_t>(state >> 20) % (20'000 * 20'000));
        }
    const auto matrix = [&](std::size_t which) {
        std::vector<double> values;
        for (std::size_t i = 0; i < at[which].size(); ++i)
            values.push_back(0.1 * static_cast<double>(i % 97));
        return pv::sparse_tensor<double>({20'000, 20'000}, at[which], std::move(values), 0.,
                                         pv::Duplicates::sum);
    };
    const auto x = matrix(0);
    const auto y = matrix(1);
    const auto v = pv::clone(pv::arange(20'000) * 0.3);
    const int before = pv::threads();
    pv::set_threads(1);
    const auto xy = pv::matmul(x, y);
    const auto xv = pv::matmul(x, v);
    pv::set_threads(2);
    CHECK(pv::equals(pv::matmul(x, y), xy));
    CHECK(pv::all_of(pv::matmul(x, v) == xv));
    pv::set_threads(before);
    // As matrices in compressed rows have it.
    const auto csr = pv::matmul(pv::csr<>(x), pv::csr<>(y));
    CHECK(pv::equals(xy, pv::sparse_tensor(csr)));
}

TEST_CASE("rows of any length times a vector are summed as those of compressed matrices",
          "[thread]") {
    const index_t columns = 5000;
    std::vector<index_t> at;
    index_t row = 0;
    for (int round = 0; round < 4; ++round)
        for (const index_t length :
             {1, 0, 255, 1, 1, 0, 0, 3000, 256, 257, 1024, 5000, 1025, 40, 2}) {
            for (index_t i = 0; i < length; ++i)
                at.push_back(row * columns + i * (columns / length));
            ++row;
        }
    const auto check = [&]<typename T>(T) {
        std::vector<T> values;
        for (std::size_t i = 0; i < at.size(); ++i)
            values.push_back(static_cast<T>(i % 251) / T{3});
        const auto x = pv::sparse_tensor<T>({row, columns}, at, std::move(values));
        const auto v = pv::clone(pv::cast<T>(pv::arange(columns) % 101));
        const auto expected = pv::matmul(pv::csr<>(x), v);
        const int before = pv::threads();
        for (const int threads : {1, 2, 3}) {
            pv::set_threads(threads);
            CHECK(pv::equals(pv::matmul(x, v), expected));
            // Evaluated: in order, and of another.
            CHECK(pv::equals(pv::matmul(x * T{1}, v), expected));
            CHECK(pv::equals(pv::matmul(pv::transpose(pv::clone(pv::transpose(x))), v), expected));
        }
        pv::set_threads(before);
        // Straight through the pairs for integers too.
        const auto [i, k, l] = pv::dims("i", "k", "l");
        const auto twice = pv::stack(v, pv::clone(v * T{0})); // [2, columns]
        const pv::Tensor<T> sums = pv::cast<T>(pv::sum(x(i, k) * twice(l, k), k, l) | pv::order(i));
        CHECK(pv::equals(sums, pv::cast<T>(expected)));
        CHECK(pv::equals(pv::matmul(x, pv::flip(v, {0})),
                         pv::matmul(pv::csr<>(x), pv::clone(pv::flip(v, {0})))));
    };
    check(0.);
    check(0.f);
    check(std::int64_t{0});
}

TEST_CASE("explain says that a sum of sparse products goes row by row") {
    using Catch::Matchers::ContainsSubstring;
    const auto x = pv::sparse_tensor<double>({1000, 500}, {1, 2, 5}, {1., 2., 3.});
    const auto y = pv::sparse_tensor<double>({500, 2000}, {7, 9}, {1., 2.});
    CHECK_THAT(
        pv::explain(pv::matmul, x, y),
        ContainsSubstring("sparse product of [1000×500] with 3 stored below and [500×2000] with 2 "
                          "stored below, row by row"));
    CHECK_THAT(
        pv::explain(pv::matmul, x, pv::ones({500, 3})),
        ContainsSubstring("sparse product of [1000×500] with 3 stored below and dense [500×3], row "
                          "by row"));
    CHECK_THAT(
        pv::explain(pv::matmul, pv::ones({3, 1000}), x),
        ContainsSubstring("sparse product of [500×1000] with 3 stored below and dense [1000×3]"));
    CHECK_THAT(pv::explain(pv::matmul, x, pv::ones({500})), ContainsSubstring(", entry by entry"));
    CHECK_THAT(pv::explain(pv::sum, x * x, {1}),
               ContainsSubstring("the operations run on what is stored"));
    // Where half of all is stored, BLAS is faster, if there is one.
    std::vector<index_t> every_other;
    for (index_t i = 0; i < 1024; i += 2) every_other.push_back(i);
    const auto half = pv::sparse_tensor<double>({32, 32}, every_other,
                                                std::vector<double>(every_other.size(), 1.));
    const bool by_blas =
        pv::explain(pv::matmul, pv::ones({200, 200}), pv::ones({200, 200})).contains("BLAS");
    CHECK(pv::explain(pv::matmul, half, pv::ones({32, 32})).contains("row by row") != by_blas);
    // Products of narrow integers wrap before they are summed.
    const auto bytes = pv::cast<std::int8_t>(half);
    const auto [i, j, k, l] = pv::dims("i", "j", "k", "l");
    const auto chain = [&](const auto& t) {
        return pv::explain(pv::sum, pv::order(t(i, j) * t(j, k) * t(k, l), i, l, j, k), {2, 3});
    };
    CHECK_THAT(chain(half), ContainsSubstring("pair by pair"));
    CHECK_THAT(chain(bytes), !ContainsSubstring("pair by pair"));
}

TEST_CASE("sums of chains and of products with two axes between") {
    const index_t extent = 100'000;
    std::vector<index_t> at;
    for (index_t i = 0; i < 2000; ++i) at.push_back(i * 50 * extent + i * 7 % extent);
    const auto a =
        pv::sparse_tensor<double>({extent, extent}, at, std::vector<double>(at.size(), 2.));
    const auto [i, k] = pv::dims("i", "k");
    // Trace of a product: all pairs (i, k) and (k, i).
    const pv::Tensor<double> trace = pv::sum(a(i, k) * a(k, i), i, k) | pv::order();
    CHECK(trace.item() == pv::sum(pv::clone(a * pv::transpose(a))));
    const auto squares = pv::matmul(pv::transpose(a), a);
    CHECK(pv::sparse_pairs(squares)->stored() == 2000);
    CHECK(pv::sum(squares) == 8000);
}

TEST_CASE("what is not finite meets what is not stored") {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const auto x = pv::sparse_tensor<double>({2, 3}, {0, 4}, {1., kInfinity});
    const auto y = pv::sparse_tensor<double>({3, 2}, {0, 3}, {2., 3.});
    const auto xy = pv::matmul(x, y);
    expect_same_sums<double>(xy, pv::matmul(pv::to_dense(x), pv::to_dense(y)));
    CHECK(std::isnan(xy(1, 0)));
    CHECK(xy(1, 1) == kInfinity);
    const auto z = pv::tensor({{1., 2.}, {3., std::nan("")}, {5., 6.}});
    const auto yz = pv::matmul(pv::transpose(y), z);
    expect_same_sums<double>(yz, pv::matmul(pv::to_dense(pv::transpose(y)), z));
    CHECK(std::isnan(yz(0, 1)));
    const auto finite = pv::tensor({2., 0., 5.});
    const auto xv = pv::matmul(x, finite);
    expect_same_sums<double>(xv, pv::matmul(pv::to_dense(x), finite));
    CHECK(std::isnan(xv(1)));
    expect_same_sums<double>(pv::matmul(y, pv::tensor({1., kInfinity})),
                             pv::matmul(pv::to_dense(y), pv::tensor({1., kInfinity})));
    // A constant that is multiplied with the sparse factor first.
    const auto large = pv::sparse_tensor<double>({2, 2}, {0}, {1e10});
    const auto small = pv::tensor({1e-300, 1.});
    expect_same_sums<double>(pv::matmul(large, small * 1e300),
                             pv::matmul(pv::to_dense(large), small * 1e300));
    // Values that are finite, whose sums are not.
    const auto big = pv::sparse_tensor<double>({1, 2}, {0, 1}, {1e308, 1e308});
    CHECK(pv::matmul(big, pv::ones({2, 1}))(0, 0) == kInfinity);
    CHECK(pv::sum(big * 4.) == kInfinity);
    CHECK(pv::matmul(big, pv::ones({2}))(0) == kInfinity);
    // Rows that come to something finite, and one that does not: as if every element were multiplied.
    const auto rows = pv::sparse_tensor<double>({4, 3}, {0, 4, 5, 9}, {1., kInfinity, 2., -1e308});
    for (const auto& v :
         {pv::tensor({2., 1., 3.}), pv::tensor({0., 0., 3.}), pv::tensor({100., -1., 0.})})
        expect_same_sums<double>(pv::matmul(rows, v), pv::matmul(pv::to_dense(rows), v));
}

TEST_CASE("sums of 0 are not stored") {
    const auto x = pv::sparse_tensor<int>({2, 2}, {0, 1, 2}, {1, 1, 0});
    const auto y = pv::sparse_tensor<int>({2, 1}, {0, 1}, {3, -3});
    const auto product = pv::matmul(x, y);
    CHECK(pv::sparse_pairs(product)->stored() == 0);
    CHECK(product.shape() == pv::Shape{2, 1});
}

TEST_CASE("results of more than 2^53 elements have their exact size") {
    const pv::index_t e = 100'000'007, f = 100'000'009;
    const auto a = pv::from_coo<double>({e, 9}, {{0, e - 1}, {3, 3}}, {1., 2.});
    const auto b = pv::from_coo<double>({9, f}, {{3, 3}, {5, f - 1}}, {1., 3.});
    const auto c = pv::sparse_tensor<double>({9}, {3}, {5.});
    const auto sums = pv::einsum("ij,jk,j->ik", a, b, c);
    CHECK(sums(0, 5) == 5);
    CHECK(sums(0, f - 1) == 15);
    CHECK(sums(e - 1, 5) == 10);
    CHECK(sums(e - 1, f - 1) == 30);
}

TEST_CASE("long sums of float32 in one factor are exact") {
    const pv::index_t n = 17'000'000; // more than 2^24
    std::vector<pv::index_t> indexes(static_cast<std::size_t>(n));
    std::iota(indexes.begin(), indexes.end(), pv::index_t{0});
    const auto x = pv::sparse_tensor<float>({2, n}, std::move(indexes),
                                            std::vector<float>(static_cast<std::size_t>(n), 1.f));
    const auto y = pv::from_coo<float>({2, 3}, {{0, 1}, {0, 0}}, {1.f, 1.f});
    CHECK(pv::sum(pv::insert_axis(x, 2) * pv::insert_axis(y, 1), {1})(0, 0) == 1.7e7f);
}

TEST_CASE("sparse products over no elements are sparse") {
    const pv::index_t large = 10'000'000'000;
    const auto sums = pv::matmul(pv::sparse_zeros<double>({large, 0}),
                                 pv::sparse_zeros<double>({0, 100'000'000}));
    CHECK(pv::is_sparse(sums));
    CHECK(sums(large - 1, 7) == 0);
    CHECK(pv::matmul(pv::sparse_zeros<double>({5, 0}), pv::sparse_zeros<double>({0, 4})).shape() ==
          pv::zeros({5, 4}).shape());
}

TEST_CASE("sparse with dense integers: what is dense is read where something is stored") {
    const auto x = pv::sparse_tensor<std::int64_t>({3}, {0, 1}, {2, 3});
    const auto d = pv::tensor<std::int64_t>({0, 1, 2});
    CHECK(pv::sum(x * (10 / (d - 2))) == -40);
    const auto a = pv::from_coo<std::int64_t>({200, 50}, {{1, 199}, {2, 49}}, {3, 4});
    using pv::index_t;
    const auto b = pv::clone(
        pv::compute_tensor({50, 500}, [](index_t j, index_t k) { return j * 7 + k % 5; }));
    const auto c =
        pv::clone(pv::compute_tensor({500, 20}, [](index_t k, index_t l) { return k % 3 - l; }));
    const auto expected = pv::einsum("ij,jk,kl->il", pv::to_dense(a), b, c);
    CHECK(pv::to_vector(pv::einsum("ij,jk,kl->il", a, b, c)) == pv::to_vector(expected));
    CHECK(pv::to_vector(pv::matmul(a, b)) == pv::to_vector(pv::matmul(pv::to_dense(a), b)));
}

} // namespace sparse_contractions_test
