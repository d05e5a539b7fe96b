// What is traced: dims, norms, softmax, cumulative sums, lists of symbols.
#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/along/scans.hpp>
#include <purview/functional/applied/gradient.hpp>
#include <purview/functional/assembly/concat.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/reductions/logsumexp.hpp>
#include <purview/functional/reductions/norm.hpp>
#include <purview/functional/reductions/product.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/purview.hpp>

#include <cmath>
#include <concepts>
#include <limits>
#include <tuple>
#include <vector>

namespace traced_dims_test {

namespace {

namespace pv = purview;
using pv::index_t;
using Vector = std::vector<double>;
constexpr double kInf = std::numeric_limits<double>::infinity();

const auto kMatrix =
    pv::tensor({{0.5, -1.0, 2.0, 0.1}, {1.5, 0.3, -0.7, 1.0}, {0.2, 0.9, 1.1, -2.0}});

Vector values(const auto& x) { return pv::to_vector(x); }
void check_near(const Vector& a, const Vector& b, double tolerance = 1e-12) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        CHECK(a[i] == Catch::Approx(b[i]).epsilon(tolerance).margin(tolerance));
}
/// A function of a matrix, traced, gives what it gives directly, and has the right gradient.
template <typename F>
void check_traced(const F& f) {
    const auto c = pv::computation([&](auto x) { return f(x); }, pv::spec<double>({3, 4}));
    check_near(values(c(kMatrix)), values(pv::Tensor<double>(f(kMatrix))));
    pv::check_gradient(pv::computation(
                           [&](auto x) {
                               return pv::sum(pv::sq(pv::Symbol<double>(f(x).operand())) +
                                              pv::Symbol<double>(f(x).operand()));
                           },
                           pv::spec<double>({3, 4})),
                       kMatrix);
}

} // namespace

TEST_CASE("a function written with dims is traced as it stands") {
    const auto weights = pv::tensor({{1., 2.}, {-1., 0.5}, {0., 1.}, {3., -2.}});
    check_traced([&](const auto& x) {
        auto [i, k, j] = pv::dims<3>();
        return pv::sum(x(i, k) * weights(k, j), k) | pv::order(j, i);
    });
    check_traced([](const auto& x) {
        auto [i, k] = pv::dims<2>();
        auto centred = x(i, k) - pv::mean(x(i, k), k);
        return pv::order(centred / pv::sqrt(pv::sum(pv::sq(centred), k) + 1.0), i, k);
    });
    check_traced([](const auto& x) {
        auto [i, k] = pv::dims<2>();
        return pv::order(pv::softmax(x(i, k), k), k, i);
    });
    check_traced([](const auto& x) { // merged axes, and a diagonal
        auto [i, k] = pv::dims<2>();
        return pv::order(pv::exp(x(i, k)), pv::joint(k, i));
    });
    check_traced([](const auto& x) { // sums of neighbours
        pv::Dim i("i", 3), a("a", 2), b("b", 3);
        return pv::order(pv::sum(x(i, a + b), b), i, a);
    });
    check_traced([](const auto& x) { return pv::einsum("ik,jk->ij", x, pv::sq(x)); });
    check_traced([](const auto& x) {
        auto [i, k] = pv::dims<2>();
        return pv::order(pv::max(x(i, k), i) + pv::logsumexp(x(i, k), i), k);
    });
    check_traced([](const auto& x) {
        pv::Dim i("i"), k("k"), n("n");
        auto both = pv::stack({x(i, k), pv::sq(x(i, k))}, n);
        return pv::order(pv::sum(both, i), k, n);
    });
    check_traced([](const auto& x) {
        pv::Dim i("i"), k("k"), n("n");
        return pv::order(pv::cat({x(i, k), pv::exp(x(i, k))}, k, n), n, i);
    });
}

TEST_CASE("embeddings by computed indexes over dims are traced, and differentiated") {
    const auto ids = pv::tensor({3, 0, 3, 1});
    const auto c = pv::computation(
        [&](auto table) {
            auto [n, f] = pv::dims<2>();
            auto found = table(ids(n), f);
            return pv::gradient(pv::sum(found * found, n, f), table);
        },
        pv::spec<double>({4, 2}));
    const auto table = pv::reshape(pv::arange(8.0), {4, 2});
    CHECK(values(c(table)) == Vector{0, 2, 4, 6, 0, 0, 24, 28});
}

TEST_CASE("a loss of dims has gradients by symbols") {
    const auto c = pv::computation(
        [](auto x, auto t, auto w) {
            auto [i, k] = pv::dims<2>();
            auto loss = pv::mean(pv::sq(pv::sum(x(i, k) * w(k), k) - t(i)), i);
            return std::tuple(pv::gradient(loss, w), loss);
        },
        pv::spec<double>({3, 4}), pv::spec<double>({3}), pv::spec<double>({4}));
    const auto t = pv::tensor({1., -1., 0.5});
    const auto w = pv::tensor({0.1, 0.2, 0.3, 0.4});
    const auto [dw, loss] = c(kMatrix, t, w);
    const auto rest = pv::clone(pv::matmul(kMatrix, w) - t);
    check_near(values(dw), values(pv::matmul(pv::transpose(kMatrix), rest) * (2. / 3)));
    CHECK(double(loss.item()) == Catch::Approx(double(pv::mean(pv::sq(rest)))));
    // The loss itself with dims left is no number.
    CHECK_THROWS_AS(pv::computation(
                        [](auto x) {
                            auto [i, k] = pv::dims<2>();
                            return pv::gradient(pv::sum(x(i, k), k), x);
                        },
                        pv::spec<double>({3, 4})),
                    pv::DimError);
}

TEST_CASE("norms of vectors are traced") {
    for (const double p : {1., 1.5, 2., 3., kInf, -kInf})
        check_traced([&](const auto& x) { return pv::norm(x, p, 1); });
    check_traced([](const auto& x) {
        return pv::norm(x, pv::NormOrder::frobenius(), {0, 1}, pv::keep_dims);
    });
    const auto c = pv::computation([](auto x) { return pv::norm(x); }, pv::spec<double>({3, 4}));
    STATIC_REQUIRE(std::same_as<decltype(c(kMatrix)), double>);
    CHECK(c(kMatrix) == Catch::Approx(double(pv::norm(kMatrix))));
    CHECK(values(pv::gradient(c)(pv::zeros({3, 4}))) == Vector(12, 0));
    for (const double p : {1., 1.5, 2., 3., kInf}) {
        const auto at_zero =
            pv::computation([=](auto x) { return pv::norm(x, p, 0); }, pv::spec<double>({2}));
        CHECK(values(pv::gradient(at_zero)(pv::zeros({2}))) == Vector{0, 0});
    }
    CHECK_THROWS_AS(pv::computation(
                        [](auto x) {
                            return pv::norm(x, 2, {0, 1});
                        },
                        pv::spec<double>({3, 4})),
                    pv::SymbolError);
}

TEST_CASE("softmax and logsumexp are traced, at the ends too") {
    check_traced([](const auto& x) { return pv::softmax(x, 1); });
    check_traced([](const auto& x) { return pv::softmax(x, {0, 1}); });
    check_traced([](const auto& x) { return pv::logsumexp(x, 0); });
    check_traced([](const auto& x) { return pv::logsumexp(x, {0, 1}, pv::keep_dims); });
    const auto sum =
        pv::computation([](auto x) { return pv::logsumexp(x); }, pv::spec<double>({pv::any_size}));
    const auto soft = pv::computation(
        [](auto x) {
            return pv::sum(pv::softmax(x, 0) * pv::tensor({1., 2., 3.}));
        },
        pv::spec<double>({3}));
    const auto by_sum = pv::gradient(sum);
    const auto by_soft = pv::gradient(soft);
    for (const Vector& x : {Vector{1e3, -1e3, 0}, Vector{1e20, 1, -1e20}, Vector{-kInf, 0, 0},
                            Vector{-1e3, -1e3, -1e3}, Vector{-kInf, -kInf, 5}}) {
        const auto given = pv::tensor(x);
        double greatest = std::max({x[0], x[1], x[2]});
        double expected = 0;
        for (const double each : x) expected += std::exp(each - greatest);
        CHECK(sum(given) == Catch::Approx(greatest + std::log(expected)));
        CHECK(double(pv::logsumexp(given)) == sum(given));
        Vector shares;
        for (const double each : x) shares.push_back(std::exp(each - greatest) / expected);
        check_near(values(by_sum(given)), shares);
        double mean = 0;
        for (std::size_t i = 0; i < 3; ++i) mean += shares[i] * double(i + 1);
        Vector slopes;
        for (std::size_t i = 0; i < 3; ++i) slopes.push_back(shares[i] * (double(i + 1) - mean));
        check_near(values(by_soft(given)), slopes);
    }
    const auto nothing = pv::full({3}, -kInf);
    CHECK(sum(nothing) == -kInf);
    CHECK(double(pv::logsumexp(nothing)) == -kInf);
    CHECK(values(by_sum(nothing)) == Vector{0, 0, 0});
    for (const double each : values(by_soft(nothing))) CHECK(std::isnan(each)); // as its value is
    CHECK(double(pv::logsumexp(pv::tensor({1., kInf}))) == kInf);
    CHECK(std::isnan(double(pv::logsumexp(pv::tensor({1., std::nan("")})))));
    CHECK(double(pv::logsumexp(pv::zeros({0}))) == -kInf);
    CHECK(double(pv::logsumexp(pv::tensor({0, 0}))) == Catch::Approx(std::log(2.)));
    CHECK(pv::logsumexp(pv::tensor({1e20F, 1.F})) == 1e20F);
    CHECK(values(pv::logsumexp(pv::zeros({2, 0}), 1)) == Vector{-kInf, -kInf});
    CHECK(double(pv::logsumexp(pv::tensor({0., std::nan(""), 0.}), pv::skip_nan)) ==
          Catch::Approx(std::log(2.)));
}

TEST_CASE("cumulative sums are traced") {
    for (const int axis : {0, 1, -1})
        check_traced([&](const auto& x) { return pv::cumsum(pv::sin(x), axis); });
    check_traced([](const auto& x) {
        auto [i, k] = pv::dims<2>();
        return pv::order(pv::cumsum(x(i, k), i), k, i);
    });
    const auto c = pv::computation(
        [](auto x) {
            return pv::hessian(pv::sum(pv::sq(pv::cumsum(x)) * pv::tensor({1., 2., 3.})), x);
        },
        pv::spec<double>({3}));
    CHECK(values(c(pv::tensor({1., 2., 3.}))) == Vector{12, 10, 6, 10, 10, 6, 6, 6, 6});
}

TEST_CASE("lists of symbols are joined, returned, and differentiated by") {
    check_traced([](const auto& x) { return pv::stack({x, x * x}, 1); });
    check_traced([](const auto& x) { return pv::concat({x, pv::exp(x)}, 1); });
    check_traced([](const auto& x) { return pv::stack(std::vector{x * 1.0, x * x}); });
    const auto numbers = pv::computation(
        [](auto x, auto y) {
            return pv::stack({x * y, x + y, x});
        },
        pv::spec<double>(), pv::spec<double>());
    CHECK(values(numbers(2.0, 3.0)) == Vector{6, 5, 2});
    const auto several = pv::computation(
        [](auto x) {
            std::vector<pv::Symbol<double>> powers{x};
            for (int i = 0; i < 3; ++i) powers.push_back(powers.back() * x);
            return powers;
        },
        pv::spec<double>({2}));
    const auto powers = several(pv::tensor({2., 3.}));
    STATIC_REQUIRE(std::same_as<decltype(powers), const std::vector<pv::MutableTensor<double>>>);
    REQUIRE(powers.size() == 4);
    CHECK(values(powers[3]) == Vector{16, 81});
    const auto outer =
        pv::computation([&](auto x) { return several(x * x)[1]; }, pv::spec<double>({2}));
    CHECK(values(outer(pv::tensor({2., 3.}))) == Vector{16, 81});
    const auto layers = pv::computation(
        [](auto x, auto a, auto b) {
            const std::vector<pv::Symbol<double>> weights{a, b};
            auto y = x;
            for (const auto& w : weights) y = pv::tanh(y * w);
            return pv::gradient(pv::sum(y), weights);
        },
        pv::spec<double>({3}), pv::spec<double>({3}), pv::spec<double>({3}));
    const auto x = pv::tensor({0.1, 0.2, 0.3});
    CHECK(layers(x, x, x).size() == 2);
}

} // namespace traced_dims_test
