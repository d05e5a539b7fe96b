// Derivatives of functions of matrices beside differences, of batches, of second order, and behind loops; saved ones.
#include "derivative_checks.hpp"

#include <support/catch.hpp>

#include <purview/base/errors.hpp>
#include <purview/purview.hpp>

#include <limits>

namespace derivatives_test {
namespace {

using namespace linalg_tests;
using Catch::Matchers::ContainsSubstring;

} // namespace

TEST_CASE("Derivatives of functions of matrices are those of differences") {
    const auto b = pv::clone(pv::random_normal({4, 2}, 2));
    for (const pv::Shape& batch : {pv::Shape{}, pv::Shape{2}}) {
        const auto a =
            pv::clone(pv::random_normal(pv::AxisValues(with(batch, {4, 4})), 1) + 2. * pv::eye(4));
        const auto tall = pv::clone(pv::random_normal(pv::AxisValues(with(batch, {5, 3})), 3));
        const auto wide = pv::clone(transposed(tall));
        const auto spd = [](auto z) { return pv::matmul(z, transposed(z)) + pv::eye(4); };
        check(
            "solve by a", [&](auto z) { return weighted(la::solve(z, b)); }, a);
        check(
            "solve by b",
            [&](auto z) {
                return weighted(la::solve(pv::clone(pv::random_normal({3, 3}, 9)), z));
            },
            wide);
        check(
            "solve of both",
            [&](auto z) { return weighted(la::solve(z, z(pv::ellipsis, pv::range(0, 2)) * 2.)); },
            a);
        check(
            "solve of a vector",
            [&](auto z) { return weighted(la::solve(z, pv::clone(b(pv::all, 0)))); }, a);
        check(
            "inv", [&](auto z) { return weighted(la::inv(z)); }, a);
        check(
            "det", [&](auto z) { return weighted(la::det(z)); }, a);
        check(
            "slogdet", [&](auto z) { return weighted(la::slogdet(z).logabsdet); }, a);
        check(
            "cholesky", [&](auto z) { return weighted(la::cholesky(spd(z))); }, a);
        check(
            "upper cholesky",
            [&](auto z) { return weighted(la::cholesky(spd(z), {.upper = true})); }, a);
        check(
            "lower triangle",
            [&](auto z) { return weighted(la::solve_triangular(z + 3. * pv::eye(4), b)); }, a);
        check(
            "upper triangle",
            [&](auto z) {
                return weighted(la::solve_triangular(z + 3. * pv::eye(4), b, {.upper = true}));
            },
            a);
        check(
            "Q", [&](auto z) { return weighted(la::qr(z).Q); }, tall);
        check(
            "R", [&](auto z) { return weighted(la::qr(z).R); }, tall);
        check(
            "Q and R",
            [&](auto z) {
                const auto [q, r] = la::qr(z);
                return weighted(q) * weighted(r);
            },
            tall);
        check(
            "S", [&](auto z) { return weighted(la::svdvals(z)); }, tall);
        for (const auto& x : {tall, wide}) {
            check(
                "U", [&](auto z) { return weighted(la::svd(z).U); }, x);
            check(
                "Vh", [&](auto z) { return weighted(la::svd(z).Vh); }, x);
            check(
                "U, S and Vh",
                [&](auto z) {
                    const auto [u, s, vh] = la::svd(z);
                    return weighted(u) * weighted(vh) + weighted(s);
                },
                x);
        }
        check(
            "eigenvalues", [&](auto z) { return weighted(la::eigvalsh(z + transposed(z))); }, a);
        check(
            "eigenvectors",
            [&](auto z) {
                const auto [w, v] = la::eigh(z + transposed(z));
                return weighted(v) + weighted(w);
            },
            a);
        for (const auto& x : {a, tall, wide}) {
            check(
                "L", [&](auto z) { return weighted(la::lu(z).L); }, x);
            check(
                "U", [&](auto z) { return weighted(la::lu(z).U); }, x);
            check(
                "L and U",
                [&](auto z) {
                    const auto [p, l, u] = la::lu(z);
                    return weighted(l) * weighted(u);
                },
                x);
        }
        check(
            "expm", [&](auto z) { return weighted(la::expm(z * 0.5)); }, a);
        check(
            "pinv", [&](auto z) { return weighted(la::pinv(z)); }, tall);
        check(
            "lstsq",
            [&](auto z) {
                return weighted(la::lstsq(z, pv::clone(pv::random_normal({5, 2}, 8))).x);
            },
            tall);
        check(
            "matrix_power", [&](auto z) { return weighted(la::matrix_power(z, -3)); }, a);
    }
}

TEST_CASE("Functions of matrices are steps of loops, and choices") {
    const auto x = pv::clone(pv::random_normal({3, 2}, 2));
    for (const double limit : {-100., 100.}) {
        const auto last_of = [&](auto z) {
            const auto last = pv::iterate([&](auto y) { return pv::sin(la::solve(z, y)); },
                                          z(pv::all, pv::range(0, 2)) * x, 7);
            return pv::choose(
                pv::sum(last) > limit, [](auto y, auto) { return y * 2.; },
                [](auto y, auto m) { return pv::matmul(la::inv(m), y); }, last, z);
        };
        const auto a = pv::clone(pv::random_normal({3, 3}, 1) * 0.1 + pv::eye(3));
        check(
            "loop", [&](auto z) { return weighted(last_of(z)); }, a);
        auto y = pv::clone(a(pv::all, pv::range(0, 2)) * x);
        for (int i = 0; i < 7; ++i) y = pv::clone(pv::sin(la::solve(a, y)));
        const auto expected = limit < 0 ? pv::clone(y * 2.) : pv::clone(pv::matmul(la::inv(a), y));
        const auto c =
            pv::computation([&](auto z) { return last_of(z); }, pv::spec<double>({3, 3}));
        CHECK(apart<double>(c(a), expected) < 100);
    }
}

TEST_CASE("Stages of matrices are saved by their names, and loaded") {
    const auto c = pv::computation(
        [](auto z, auto b) {
            const auto [u, s, vh] = la::svd(z);
            return std::tuple(la::solve(z, b), u, s, vh,
                              la::cholesky(pv::matmul(z, transposed(z)), {.upper = true}),
                              la::slogdet(z).sign);
        },
        pv::spec<float>({3, 3}), pv::spec<float>({3}));
    const std::string text = pv::computation_text(c);
    CHECK(text.starts_with("purview computation, version 3\n"));
    const auto a = pv::clone(pv::cast<float>(pv::random_normal({3, 3}, 1)));
    const auto b = pv::tensor({1.F, 2.F, 3.F});
    const auto own = c(a, b);
    for (const std::string& saved : {text, pv::computation_bytes(c)}) {
        const auto loaded = pv::computation_from(saved);
        CHECK(pv::computation_text(loaded) == text);
        const auto outputs = loaded(std::vector<pv::AnyTensor>{a, b});
        CHECK(pv::equals(outputs[0].as<float>(), std::get<0>(own)));
        CHECK(pv::equals(outputs[1].as<float>(), std::get<1>(own)));
        CHECK(pv::equals(outputs[2].as<float>(), std::get<2>(own)));
        CHECK(pv::equals(outputs[3].as<float>(), std::get<3>(own)));
        CHECK(pv::equals(outputs[4].as<float>(), std::get<4>(own)));
    }
    const auto refused = [&](const std::string& from, const std::string& to) {
        std::string other = text;
        const auto at = other.find(from);
        REQUIRE(at != std::string::npos);
        CHECK_THROWS_AS(pv::computation_from(other.replace(at, from.size(), to)), pv::FormatError);
    };
    refused("linalg.solve", "linalg.sells");
    refused("linalg.solve\" [32 0 0 0]", "linalg.solve\" [64 0 0 0]");
    refused("linalg.solve\" [32 0 0 0]", "linalg.solve\" [32 0 0]");
    refused("linalg.solve\" [32 0 0 0]", "linalg.solve\" [32 0 0 2]");
    refused("linalg.solve\" [32 0 0 0] [%0 [3 3]", "linalg.solve\" [32 0 0 0] [%0 [9]");
    refused("result 1 %", "result 2 %");
}

TEST_CASE("What begins with the same LU decomposition has it once") {
    const index_t n = 12;
    const auto a = pv::clone(pv::random_normal({n, n}, 1) + 4. * pv::eye(n));
    const auto b = pv::clone(pv::random_normal({n}, 2));
    const auto loss = [&](auto z) {
        return pv::sum(la::solve(z, b)) + pv::sum(la::slogdet(z).logabsdet) + pv::sum(la::inv(z)) +
               1e-6 * pv::sum(la::det(z));
    };
    const auto c = pv::computation(loss, pv::spec<double>({n, n}));
    const auto count = [](const std::string& text, std::string_view part) {
        int found = 0;
        for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
            ++found;
        return found;
    };
    const double plain = double(pv::sum(la::solve(a, b))) + la::slogdet(a).logabsdet.item() +
                         double(pv::sum(la::inv(a))) + 1e-6 * la::det(a).item();
    CHECK(std::abs(double(c(a)) - plain) < 1e-10);
    const auto slopes = pv::gradient(c);
    std::string text = pv::computation_text(slopes);
    CHECK(count(text, "linalg.lu_factors") == 1);
    CHECK(pv::equals(pv::computation_from(text)(std::vector<pv::AnyTensor>{a})[0].as<double>(),
                     slopes(a)));
    check("all", loss, a);
    check(
        "a batch",
        [&](auto z) { return weighted(la::solve(z, b(pv::range(0, 9)))) + weighted(la::inv(z)); },
        pv::clone(pv::random_normal({2, 9, 9}, 3) + 4. * pv::eye(9)));
    check(
        "of the transpose", [&](auto z) { return weighted(la::solve(transposed(z), b)); }, a);
    const auto singular =
        pv::computation([&](auto z) { return pv::sum(la::solve(z, b)); }, pv::spec<double>({n, n}));
    CHECK_THROWS_WITH(singular(pv::zeros({n, n})),
                      ContainsSubstring("solve: the matrix is singular: pivot 0 is 0"));
    const auto lenient = pv::computation(
        [&](auto z) { return la::solve(z, b, {.if_singular = la::IfSingular::nan}); },
        pv::spec<double>({2, n, n}));
    const auto both = pv::clone(lenient(pv::clone(pv::stack({a, pv::clone(pv::zeros({n, n}))}))));
    CHECK(pv::allclose(both(0, pv::all), la::solve(a, b)));
    CHECK(pv::all_of(pv::is_nan(both(1, pv::all))));
    // Pivots of a file that has been changed do not leave the matrix.
    for (const double pivot : {0., 13., -1., 1e300, std::numeric_limits<double>::quiet_NaN()}) {
        auto factors = pv::clone(pv::ones({n + 1, n}) * pivot);
        const std::vector<pv::Operand> given{a.operand(), factors.operand()};
        CHECK_THROWS_WITH(la::matrix_results(la::MatrixFunction::inv, given),
                          ContainsSubstring("is no pivot of row"));
    }
}

TEST_CASE("Derivatives of determinants that are 0 are cofactors") {
    const auto slopes = [](const pv::Tensor<double>& x) {
        return pv::gradient(pv::computation([](auto z) { return pv::sum(la::det(z)); },
                                            pv::spec<double>(pv::to_shape(x.shape()))))(x);
    };
    CHECK(pv::equals(slopes(pv::zeros({1, 1})), pv::ones({1, 1})));
    CHECK(pv::equals(slopes(pv::tensor({{1., 2.}, {2., 4.}})), pv::tensor({{4., -2.}, {-2., 1.}})));
    CHECK(pv::equals(slopes(pv::zeros({3, 3})), pv::zeros({3, 3})));
    CHECK(pv::equals(slopes(pv::zeros({0, 0})), pv::zeros({0, 0})));
    Random random(61);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const index_t n = random.between(2, 12), lost = random.between(0, 2);
        // Rows that are sums of others, and columns in any order; a member of a batch beside one that is regular.
        auto a = pv::clone(random_matrices<double>(random, {2, n, n}) * 0.25);
        for (index_t k = 0; k < std::min(lost, n - 1); ++k)
            a(0, random.between(k, n - 2), pv::all) = pv::clone(2. * a(0, n - 1, pv::all));
        CAPTURE(n, lost);
        const auto all = slopes(a);
        for (index_t member = 0; member < 2; ++member)
            for (index_t i = 0; i < n; ++i)
                for (index_t j = 0; j < n; ++j) { // the determinant is linear in each element
                    auto up = pv::clone(a(member, pv::ellipsis));
                    up(i, pv::all) = 0, up(i, j) = 1;
                    const double expected = la::det(up).item();
                    double size = 1; // of Hadamard's bound
                    for (index_t row = 0; row < n; ++row)
                        if (row != i) size *= pv::norm(a(member, row, pv::all));
                    CHECK(std::abs(double(all(member, i, j)) - expected) < 1e-10 * size);
                }
        const auto along = pv::computation(
            [](auto z, auto d) { return pv::jacobian_vector_product(pv::sum(la::det(z)), z, d); },
            pv::spec<double>({2, n, n}), pv::spec<double>({2, n, n}));
        CHECK(std::abs(double(along(a, a * 0. + 1.)) - double(pv::sum(all))) <
              1e-10 * double(pv::norm(all)));
    }
}

TEST_CASE("Derivatives of pinv and lstsq are finite at equal singular values") {
    const auto basis = pv::clone(la::qr(pv::clone(pv::random_normal({2, 5, 3}, 1))).Q);
    const auto b = pv::clone(pv::random_normal({5, 2}, 8));
    const pv::Dim day("day"), i("i"), k("k");
    for (const pv::Tensor<double>& a : {pv::clone(basis * 3.), pv::clone(basis(0, pv::ellipsis)),
                                        pv::clone(transposed(basis) * 0.5), pv::eye(4)}) {
        check(
            "pinv", [](auto z) { return weighted(la::pinv(z)); }, a);
        check(
            "with a tolerance", [](auto z) { return weighted(la::pinv(z, {.tolerance = 0.01})); },
            a);
        const auto right = pv::clone(b(pv::range(0, *(a.shape().end() - 2)), pv::all));
        check(
            "lstsq", [&](auto z) { return weighted(la::lstsq(z, right).x); }, a);
        check(
            "residuals", [&](auto z) { return weighted(la::lstsq(z, right).residuals); }, a);
    }
    check(
        "over dims",
        [&](auto z) {
            const pv::Symbol<double> inverse = la::pinv(z(day, i, k), i, k) | pv::order(day, k, i);
            const pv::Symbol<double> x =
                la::lstsq(z(day, i, k), b(i, 0), i, k).x | pv::order(day, k);
            return weighted(inverse) + weighted(x);
        },
        basis);
    // Of matrices that keep their rank, below min(m, n).
    const auto of_rank_2 = [](auto z) {
        return pv::matmul(z, pv::tensor({{1., 2., 0., -1.}, {0.5, 0., 1., 1.}, {1.5, 2., 1., 0.}}));
    };
    check(
        "rank 2 of 3",
        [&](auto z) { return weighted(la::pinv(of_rank_2(z), {.tolerance = 1e-10})); },
        pv::clone(pv::random_normal({5, 3}, 4)));
    const auto values =
        pv::computation([](auto z) { return pv::sum(la::lstsq(z, pv::clone(pv::ones({3}))).S); },
                        pv::spec<double>({3, 3}));
    CHECK(pv::allclose(pv::gradient(values)(pv::eye(3) * 2.), pv::eye(3)));
}

TEST_CASE("What has no derivative says so") {
    const auto of_full = pv::computation(
        [](auto z) { return pv::sum(la::qr(z, {.full = true}).R); }, pv::spec<double>({4, 3}));
    CHECK_THROWS_AS(pv::gradient(of_full), pv::SymbolError);
    const auto wide =
        pv::computation([](auto z) { return pv::sum(la::qr(z).R); }, pv::spec<double>({2, 3}));
    CHECK_THROWS_AS(pv::gradient(wide), pv::SymbolError);
}

} // namespace derivatives_test
