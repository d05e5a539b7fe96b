#include "sparse_support.hpp"

#include <support/rounds.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sparse_words_test {

// Expressions whose operands are the same pairs, seen by the same view, and folds of operations on views: what is stored is
// neither merged nor moved for them, and the results are those of dense twins.

namespace {

using namespace oracle;
using pv::all;

template <typename T>
pv::Tensor<T> view_step(Random& random, const pv::Tensor<T>& x) {
    switch (random.between(0, 8)) {
    case 0: return pv::transpose(x);
    case 1: return pv::flip(x, Coordinates{random.between(0, x.rank() - 1)});
    case 2: return x(pv::range(random.between(0, 1), x.shape()[0]));
    case 3: return x(pv::ellipsis, pv::range(0, x.shape().back(), random.between(1, 3)));
    case 4: return pv::roll(x, random.between(-3, 3), random.between(0, x.rank() - 1));
    case 5: return random.one_in(4) ? pv::tile(x, pv::Shape(x.shape().size(), 2)) : x;
    case 6:
    case 7: {
        const index_t axis = random.between(0, x.rank() - 1);
        std::vector<index_t> list(static_cast<std::size_t>(random.between(1, 40)));
        for (index_t& each : list)
            each = random.between(0, x.shape()[static_cast<std::size_t>(axis)] - 1);
        if (axis == 0) return x(list, pv::ellipsis);
        return x.rank() == 2 || axis == 2 ? x(pv::ellipsis, list) : x(all, list, all);
    }
    default: return x;
    }
}

/// Small enough that sums of floats are exact.
template <typename T>
std::pair<pv::Tensor<T>, pv::Tensor<T>> random_twins(Random& random) {
    Coordinates shape(static_cast<std::size_t>(random.between(1, 3)));
    for (index_t& extent : shape)
        extent = random.one_in(40) ? 0 : random.between(1, shape.size() < 3 ? 30 : 9);
    pv::Tensor<T> x = random_sparse<T>(random, shape, random_fill<T>(random)).real;
    if (random.one_in(3)) x = pv::clone(x);
    for (index_t steps = random.between(0, 2); steps > 0 && x.size() > 0; --steps)
        x = view_step(random, x);
    return {x, pv::clone(pv::to_dense(x))};
}

template <typename A, typename B>
void require_same(const A& a, const B& b) {
    REQUIRE(a.shape() == b.shape());
    REQUIRE(same_values(pv::to_vector(pv::to_dense(a)), pv::to_vector(pv::to_dense(b))));
}

template <typename X, typename D>
void expect_same_folds(const X& sparse, const D& dense) {
    REQUIRE(same(pv::sum(sparse), pv::sum(dense)));
    require_same(pv::clone(sparse), pv::clone(dense));
    if (sparse.size() == 0) return;
    REQUIRE(same(pv::max(sparse), pv::max(dense)));
    for (index_t axis = 0; axis < sparse.rank(); ++axis) {
        INFO("axis " << axis);
        require_same(pv::sum(sparse, axis), pv::sum(dense, axis));
        require_same(pv::min(sparse, axis), pv::min(dense, axis));
        require_same(pv::argmax(sparse, axis), pv::argmax(dense, axis));
        require_same(pv::count_true(sparse != 0, axis), pv::count_true(dense != 0, axis));
        require_same(pv::any_of(sparse > 1, axis), pv::any_of(dense > 1, axis));
    }
}

/// The same operations on a sparse tensor and its dense twin.
template <typename T>
void check_words(unsigned seed) {
    INFO("seed " << seed);
    Random random(seed);
    const auto [x, dense] = random_twins<T>(random);
    const T one{1}, two{2};
    const auto check = [&](const char* words, auto f) {
        INFO(words);
        expect_same_folds(f(x), f(dense));
    };
    check("x * x", [](const auto& v) { return v * v; });
    check("x + x", [](const auto& v) { return v + v; });
    check("x - x", [](const auto& v) { return v - v; });
    check("x * abs(x)", [](const auto& v) { return v * pv::abs(v); });
    check("(x - 1) * (x * 2)", [=](const auto& v) { return (v - one) * (v * two); });
    check("x * x * x", [](const auto& v) { return v * v * v; });
    check("where", [=](const auto& v) { return pv::where(v > one, v, v * two); });
    check("minimum", [=](const auto& v) { return pv::minimum(v * v, v + two); });
    check("transposed inside", [=](const auto& v) {
        return pv::transpose(pv::abs(v)) * two + pv::transpose(pv::abs(v));
    });
    check("two views", [](const auto& v) { return v * pv::flip(v, Coordinates{0}); });
}

} // namespace

TEMPLATE_TEST_CASE("operations on the same pairs are those of dense twins", "", std::int8_t,
                   std::int32_t, std::uint16_t, std::int64_t, float, double) {
    for (unsigned seed = 0; seed < oracle::rounds(120U); ++seed) check_words<TestType>(seed);
}

TEST_CASE("what is not finite stays so where the same pairs are multiplied") {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double fill : {0., 1., infinity}) {
        const auto x = pv::sparse_tensor<double>({2, 4}, {1, 2, 6}, {infinity, 0., -2.}, fill);
        const auto dense = pv::clone(pv::to_dense(x));
        require_same(pv::clone(x * x), pv::clone(dense * dense));
        require_same(pv::clone((x - 1.) * (x * 2.)), pv::clone((dense - 1.) * (dense * 2.)));
        require_same(pv::clone(x * (x == 0.)), pv::clone(dense * (dense == 0.)));
        require_same(pv::sum(pv::transpose(x) * pv::transpose(x), 0),
                     pv::sum(pv::transpose(dense) * pv::transpose(dense), 0));
    }
}

TEST_CASE("folds of operations on views count no address that nothing stores") {
    const index_t large = index_t{1} << 28;
    const auto x =
        pv::sparse_tensor<double>({large, large}, {0, 5, large + 5, 7 * large}, {1., 2., 3., 4.});
    CHECK(pv::sum(pv::transpose(x) * pv::transpose(x)) == 30);
    const auto counts = pv::count_true(pv::transpose(x) != 0., 0);
    CHECK(pv::sparse_pairs(pv::clone(counts))->stored() == 3);
    CHECK(counts(0) == 2);
    CHECK(pv::clone(pv::sum(pv::abs(pv::transpose(x)), 1))(5) == 5);
}

TEST_CASE("a sparse factor is multiplied with vectors one after the other") {
    // By the products of all elements none of these would end.
    const index_t n = 300'000;
    const auto x = pv::sparse_tensor<double>({n, n}, {3, n + 4, 5 * n + 4}, {2., 3., 4.});
    const auto v = pv::clone(pv::cast<double>(pv::arange(n)));
    const auto w = pv::clone(v + 1.);
    CHECK(pv::einsum("i,ij,j->", v, x, w)() == 115);
    CHECK(pv::sum(v(all, pv::new_axis) * x * w(pv::new_axis, all)) == 115);
    CHECK(pv::sum(-(w * x * v(all, pv::new_axis)) * 2.) == -230);
    const pv::Dim i("i"), j("j");
    CHECK(pv::order(pv::sum(v(i) * x(i, j) * w(j), i, j))() == 115);
    CHECK(pv::clone(pv::einsum("i,ij,j->j", v, x, w))(4) == 115);
    CHECK(pv::clone(pv::einsum("i,ij,j->i", v, x, w))(5) == 100);
    CHECK(pv::clone(pv::einsum("ij,j,jk,k->i", x, w, x, v))(0) == 0);
    CHECK(pv::clone(pv::einsum("ki,ij,j->k", x, x, w))(0) == 0);
    CHECK(pv::explain(pv::sum, v(all, pv::new_axis) * x * w).find("3 factors pair by pair") !=
          std::string::npos);
}

TEST_CASE("sums of several factors, sparse and dense, are those of dense ones") {
    for (unsigned seed = 0; seed < oracle::rounds(150U); ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        const index_t n = random.between(9, 30);
        const index_t m = random.between(9, 30);
        const index_t k = random.between(3, 9);
        std::vector<pv::Tensor<double>> sparse{
            random_sparse<double>(random, {n, m}, random_fill<double>(random)).real,
            random_sparse<double>(random, {n, m}, 0).real,
            random_sparse<double>(random, {m, k}, 0).real,
            random_sparse<double>(random, {n}, 0).real, random_sparse<double>(random, {m}, 0).real};
        std::vector<pv::Tensor<double>> dense;
        for (pv::Tensor<double>& x : sparse) {
            if (random.one_in(2)) x = pv::to_dense(pv::where(x == x && pv::abs(x) < 4., x, 1.));
            dense.push_back(pv::clone(pv::to_dense(x)));
        }
        const auto check = [&](const char* words, auto f) {
            INFO(words);
            require_same(pv::clone(f(sparse)), pv::clone(f(dense)));
        };
        check("v a w", [](const auto& x) { return pv::einsum("i,ij,j->j", x[3], x[0], x[4]); });
        check("v b w", [](const auto& x) { return pv::einsum("i,ij,j->i", x[3], x[1], x[4]); });
        check("v b c", [](const auto& x) { return pv::einsum("i,ij,jk->k", x[3], x[1], x[2]); });
        check("b w c", [](const auto& x) { return pv::einsum("ij,j,jk->ik", x[1], x[4], x[2]); });
        check("all", [](const auto& x) {
            return pv::einsum("i,ij,ij,j,jk->k", x[3], x[0], x[1], x[4], x[2]);
        });
    }
}

TEMPLATE_TEST_CASE("norms of sparse matrices are those of dense ones", "", std::int32_t, float,
                   double) {
    const double infinity = std::numeric_limits<double>::infinity();
    for (unsigned seed = 0; seed < oracle::rounds(80U); ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        const auto [x, dense] = random_twins<TestType>(random);
        if (x.rank() < 2 || x.size() == 0) continue;
        for (const double p : {1., -1., infinity, -infinity}) {
            INFO("order " << p);
            const pv::Shape axes{random.between(-x.rank(), -2) + x.rank(), x.rank() - 1};
            require_same(pv::norm(x, p, axes), pv::norm(dense, p, axes));
            require_same(pv::norm(x, p, pv::Shape{axes[1], axes[0]}, pv::keep_dims),
                         pv::norm(dense, p, pv::Shape{axes[1], axes[0]}, pv::keep_dims));
            if (x.rank() == 2) REQUIRE(same(pv::norm(x, p), pv::norm(dense, p)));
            if (p != -1.) require_same(pv::norm(x, p, axes[0]), pv::norm(dense, p, axes[0]));
        }
        for (index_t axis = 0; axis < x.rank(); ++axis) {
            require_same(pv::norm(x, 1, axis), pv::norm(dense, 1, axis));
            require_same(pv::norm(x, 0, axis), pv::norm(dense, 0, axis));
        }
        CHECK_THROWS_AS(pv::norm(x, 2, pv::Shape{0, 1}), pv::KindError);
    }
    CHECK_THROWS_AS(pv::norm(pv::sparse_tensor<double>({0, 3}, {}, {}), 1), pv::ShapeError);
}

} // namespace sparse_words_test
