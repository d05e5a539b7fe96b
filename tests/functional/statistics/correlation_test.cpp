#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/assembly/concat.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/reductions/product.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/functional/statistics/correlation.hpp>
#include <purview/named/dim_tensor.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace correlation_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::index_t;
using oracle::Random;
using Numbers = std::vector<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool close(double found, long double expected, long double relative = 1e-12L) {
    if (std::isnan(expected)) return std::isnan(found);
    return std::abs(found - expected) <= relative * std::abs(expected) + 1e-300L;
}

/// In long double and two passes.
struct NaivePair {
    NaivePair(const Numbers& x, const Numbers& y) : n(static_cast<long double>(x.size())) {
        for (int pass = 0; pass < 3; ++pass) { // the later ones find what the first rounded away
            long double off_x = 0;
            long double off_y = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                off_x += x[i] - mean_x;
                off_y += y[i] - mean_y;
            }
            mean_x += off_x / n;
            mean_y += off_y / n;
        }
        for (std::size_t i = 0; i < x.size(); ++i) {
            xx += (x[i] - mean_x) * (x[i] - mean_x);
            yy += (y[i] - mean_y) * (y[i] - mean_y);
            xy += (x[i] - mean_x) * (y[i] - mean_y);
        }
    }
    long double pearson() const { return xy / std::sqrt(xx) / std::sqrt(yy); }

    long double n;
    long double mean_x = 0;
    long double mean_y = 0;
    long double xx = 0;
    long double yy = 0;
    long double xy = 0;
};

/// Ranks by counting.
Numbers naive_ranks(const Numbers& x) {
    Numbers ranks;
    for (const double value : x) {
        double less = 0;
        double equal = 0;
        for (const double other : x) {
            less += other < value;
            equal += other == value;
        }
        ranks.push_back(less + (equal + 1) / 2);
    }
    return ranks;
}

/// All pairs of pairs.
double naive_kendall(const Numbers& x, const Numbers& y) {
    double balance = 0;
    double differ_x = 0;
    double differ_y = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const double sign_x = (x[i] > x[j]) - (x[i] < x[j]);
            const double sign_y = (y[i] > y[j]) - (y[i] < y[j]);
            balance += sign_x * sign_y;
            differ_x += sign_x != 0;
            differ_y += sign_y != 0;
        }
    return differ_x == 0 || differ_y == 0 ? kNaN
                                          : balance / std::sqrt(differ_x) / std::sqrt(differ_y);
}

const auto kX = pv::tensor({3.5, -1.0, 7.0, 2.0, 2.0, 9.0, 0.25, 11.0});
const auto kY = pv::tensor({1.0, -2.0, 5.0, 2.0, 4.0, 7.0, 7.0, 12.0});

} // namespace

TEST_CASE("correlations and regression are what NumPy and SciPy say") {
    CHECK(close(pv::sample_covariance(kX, kY), 13.910714285714285L));
    CHECK(close(pv::covariance(kX, kY), 13.910714285714285L * 7 / 8));
    CHECK(close(pv::pearson(kX, kY), 0.7492411082334005L));
    CHECK(close(pv::spearman(kX, kY), 0.6265060240963854L));
    CHECK(close(pv::kendall(kX, kY), 0.5185185185185185L));
    const pv::LinearRegression line = pv::linear_regression(kX, kY);
    CHECK(close(line.slope, 0.7494438097528712L));
    CHECK(close(line.intercept, 1.3382839276050746L));
    CHECK(close(line.correlation, 0.7492411082334005L));
    CHECK(close(line.slope_error, 0.27045490508320413L));
    CHECK(close(line.intercept_error, 1.5779151920267602L));
    CHECK(line(2) == Catch::Approx(1.3382839276050746 + 2 * 0.7494438097528712));
    const auto both = pv::stack({kX, kY});
    const auto matrix = pv::sample_covariance_matrix(both);
    CHECK(close(matrix(0, 0), 18.561383928571427L));
    CHECK(close(matrix(0, 1), 13.910714285714285L));
    CHECK(close(matrix(1, 0), 13.910714285714285L));
    CHECK(close(matrix(1, 1), 18.57142857142857L));
    CHECK(close(pv::covariance_matrix(both)(1, 0), 13.910714285714285L * 7 / 8));
    const auto correlations = both | pv::correlation_matrix;
    CHECK(correlations(0, 0) == 1);
    CHECK(correlations(1, 1) == 1);
    CHECK(close(correlations(0, 1), 0.7492411082334005L));
    CHECK(pv::to_vector(pv::ranks(kX)) == Numbers{5, 1, 6, 3.5, 3.5, 7, 2, 8});
}

TEST_CASE("correlations of equal and of monotone data are exactly 1") {
    Random random(5);
    for (unsigned round = 0; round < oracle::rounds(60U); ++round) {
        const index_t n = random.between(2, round % 10 == 0 ? 30'000 : 300);
        const double size = std::pow(10.0, static_cast<double>(random.between(-140, 140)));
        Numbers up;
        for (index_t i = 0; i < n; ++i)
            up.push_back(
                (static_cast<double>(i) + 0.001 * static_cast<double>(random.between(0, 999))) *
                size / 7);
        Numbers mixed = up;
        for (std::size_t i = mixed.size(); i > 1; --i)
            std::swap(
                mixed[i - 1],
                mixed[static_cast<std::size_t>(random.between(0, static_cast<index_t>(i) - 1))]);
        INFO("n " << n << " size " << size);
        const auto x = pv::tensor(Numbers(mixed));
        CHECK(pv::pearson(x, x) == 1);
        CHECK(pv::pearson(x, -x) == -1);
        CHECK(pv::pearson(x, x * 4) == 1);
        const auto monotone = pv::clone(pv::log(x / size + 1));
        const auto falling = pv::clone(-monotone);
        CHECK(pv::spearman(x, monotone) == 1);
        CHECK(pv::spearman(x, falling) == -1);
        CHECK(pv::kendall(x, monotone) == 1);
        CHECK(pv::kendall(x, falling) == -1);
        CHECK(pv::linear_regression(x, x).correlation == 1);
        CHECK(pv::correlation_matrix(pv::stack({x, x}))(1, 1) == 1);
        CHECK(pv::pearson(pv::stack({x, x}), pv::stack(x, -x), 1)(1) == -1);
        const double r = pv::pearson(x, x * 1.7 + 0.3 * size);
        CHECK(r <= 1);
        CHECK(r > 1 - 1e-12);
    }
    const auto tied = pv::tensor({1, 1, 2, 3, 3, 3});
    CHECK(pv::spearman(tied, tied * 2) == 1);
    CHECK(pv::kendall(tied, -tied) == -1);
    CHECK(pv::pearson(pv::tensor({0., 1e-158}), pv::tensor({0., 1e-158})) == 1);
}

TEMPLATE_TEST_CASE("correlations of any layout", "", bool, std::uint8_t, std::int32_t, std::int64_t,
                   float, double) {
    using T = TestType;
    for (unsigned seed = 0; seed < oracle::rounds(60U); ++seed) {
        Random random(seed);
        const auto x = oracle::random_layout<T>(random);
        if (x.naive.size() > 1200 || x.naive.size() < 2) continue;
        Numbers b;
        for (index_t i = 0; i < x.naive.size(); ++i)
            b.push_back(static_cast<double>(random.between(-20, 20)) / 3);
        const auto y = pv::reshape(pv::tensor(Numbers(b)), x.naive.shape);
        const Numbers a(x.naive.values.begin(), x.naive.values.end());
        const NaivePair naive(a, b);
        INFO(x.name);
        CHECK(close(pv::covariance(x.real, y), naive.xy / naive.n, 1e-11L));
        CHECK(close(pv::kendall(x.real, y), naive_kendall(a, b)));
        if (naive.xx < 1e-9L || naive.yy < 1e-9L) continue;
        const auto within = [](double found, long double expected) {
            return std::abs(found - expected) < 1e-12L;
        };
        CHECK(within(pv::pearson(x.real, y * 1.0), naive.pearson()));
        CHECK(within(pv::pearson(pv::AnyTensor(x.real), y), naive.pearson()));
        const NaivePair of_ranks(naive_ranks(a), naive_ranks(b));
        CHECK(within(pv::spearman(x.real, y), of_ranks.pearson()));
        CHECK(close(pv::linear_regression(x.real, y).slope, naive.xy / naive.xx, 1e-10L));
        CHECK(pv::to_vector(pv::ranks(pv::reshape(x.real, {-1}))) == naive_ranks(a));
    }
}

TEST_CASE("correlations of ill-conditioned data keep 12 digits") {
    Numbers a;
    Numbers b;
    for (int i = 0; i < 50'000; ++i) {
        a.push_back(1e9 + 1e-3 * std::sin(i));
        b.push_back(-2e9 + 1e-3 * std::cos(1.7 * i) + 5e-4 * std::sin(i));
    }
    const NaivePair naive(a, b);
    const auto x = pv::tensor(Numbers(a));
    const auto y = pv::tensor(Numbers(b));
    CHECK(close(pv::covariance(x, y), naive.xy / naive.n));
    CHECK(close(pv::pearson(x, y), naive.pearson()));
    const pv::LinearRegression line = pv::linear_regression(x, y);
    CHECK(close(line.slope, naive.xy / naive.xx));
    CHECK(close(line.correlation, naive.pearson()));
    const auto matrix = pv::covariance_matrix(pv::stack({x, y}));
    CHECK(close(matrix(0, 1), naive.xy / naive.n, 1e-11L));
    CHECK(close(matrix(1, 1), naive.yy / naive.n, 1e-11L));
}

TEST_CASE("correlations over an axis are those of its lines") {
    const auto same = pv::full({3, 3}, 0.1);
    CHECK(std::isnan(pv::pearson(same, same, 0)(1)));
    CHECK(std::isnan(pv::pearson(same, same, 1)(1)));
    CHECK(pv::covariance(pv::zeros({2, 0}), pv::zeros({2, 0}), 0).shape() == pv::Shape{0});
    CHECK(std::isnan(pv::covariance(pv::zeros({2, 0}), pv::zeros({2, 0}), 1)(1)));
    CHECK(std::isnan(pv::sample_covariance(pv::ones({2, 1}), pv::ones({2, 1}), 1)(0)));
    CHECK_THROWS_AS(pv::covariance(same, pv::zeros({2, 3}), 0), pv::ShapeError);
    CHECK_THROWS_AS(pv::covariance(same, same, 2), pv::IndexError);
    // Far from 0, in lines of all lengths, which are read together, alone and in chunks.
    for (const index_t length : {2, 9, 700, 3000}) {
        const index_t lines = length < 10 ? 1000 : 3;
        const auto x = pv::clone(pv::compute_tensor({lines, length}, [](index_t i, index_t j) {
            return 1e6 + static_cast<double>(i) + 1e-3 * std::sin(static_cast<double>(i + j * j));
        }));
        const auto y = pv::clone(
            pv::compute_tensor({length}, [](index_t j) { return static_cast<float>(7 * j * j); }));
        const auto turned = pv::clone(pv::transpose(x));
        const auto column = pv::reshape(y, {length, 1});
        for (index_t i = 0; i < lines; i += lines / 3) {
            const pv::Tensor<double> line = x(i, pv::all);
            INFO(length << " " << i);
            const NaivePair naive(pv::to_vector(line), pv::to_vector(pv::cast<double>(y)));
            CHECK(close(pv::covariance(x, y, 1)(i), naive.xy / naive.n, 1e-11L));
            CHECK(close(pv::covariance(turned, column, 0)(i), naive.xy / naive.n, 1e-11L));
            CHECK(close(pv::sample_covariance(x, y, -1)(i), naive.xy / (naive.n - 1), 1e-11L));
            CHECK(close(pv::pearson(pv::transpose(x), column, 0)(i), naive.pearson(), 1e-11L));
        }
    }
}

TEST_CASE("correlations over all axes, which are kept") {
    const auto x = pv::tensor({{1., 2., 3.}, {5., 4., 9.}});
    const auto y = pv::tensor({{2., 1., 4.}, {3., 8., 7.}});
    const auto kept = pv::pearson(x, y, pv::keep_dims);
    CHECK(kept.shape() == pv::Shape{1, 1});
    CHECK(kept(0, 0) == pv::pearson(x, y));
    CHECK((x | pv::covariance(y, pv::keep_dims)).shape() == pv::Shape{1, 1});
    CHECK(pv::covariance(x, y, pv::keep_dims)(0, 0) == Catch::Approx(pv::covariance(x, y)));
    const auto line = pv::linear_regression(x, y, pv::keep_dims);
    CHECK(line.slope.shape() == pv::Shape{1, 1});
    CHECK(line.slope(0, 0) == Catch::Approx(pv::linear_regression(x, y).slope));
    // A row beside a matrix: over the axes of both.
    CHECK(pv::pearson(x, y(0, pv::all), pv::keep_dims).shape() == pv::Shape{1, 1});
}

TEST_CASE("correlations over an axis, a Dim, dims") {
    const auto x = pv::compute_tensor({6, 40}, [](index_t i, index_t j) {
        return std::sin(static_cast<double>(i * 40 + j * j));
    });
    const auto y = pv::compute_tensor({6, 40}, [](index_t i, index_t j) {
        return std::cos(static_cast<double>(i + j)) + static_cast<double>(j % 3);
    });
    const auto rows = pv::pearson(x, y, 1);
    const auto covariances = pv::covariance(x, y, 1);
    CHECK(rows.shape() == pv::Shape{6});
    for (index_t i = 0; i < 6; ++i) {
        CHECK(rows(i) == Catch::Approx(pv::pearson(x(i, pv::all), y(i, pv::all))).epsilon(1e-12));
        CHECK(covariances(i) ==
              Catch::Approx(pv::covariance(x(i, pv::all), y(i, pv::all))).epsilon(1e-12));
    }
    const auto [i, j] = pv::dims("i", "j");
    const pv::Tensor<double> over_j = pv::pearson(x(i, j), y(i, j), j) | pv::order(i);
    CHECK(over_j(3) == Catch::Approx(rows(3)));
    const pv::Tensor<double> batched =
        pv::covariance(x(i, pv::all), y(i, pv::all), 0) | pv::order(i);
    CHECK(batched(5) == Catch::Approx(covariances(5)));
    const pv::Tensor<double> of_rows = pv::ranks(x(i, pv::all)) | pv::order(i);
    CHECK(pv::to_vector(of_rows) == pv::to_vector(pv::ranks(x, 1)));
    CHECK(pv::to_vector(pv::ranks(x, 0)(pv::all, 3)) == naive_ranks(pv::to_vector(x(pv::all, 3))));
}

TEST_CASE("correlations of nothing, one, constants and NaN; errors") {
    const auto none = pv::zeros({0});
    const auto one = pv::tensor({2.0});
    const auto same = pv::full({8}, 0.1);
    auto holes = pv::clone(kX);
    holes(3) = kNaN;
    CHECK(std::isnan(pv::covariance(none, none)));
    CHECK(std::isnan(pv::pearson(none, none)));
    CHECK(std::isnan(pv::spearman(none, none)));
    CHECK(std::isnan(pv::kendall(none, none)));
    CHECK(pv::covariance(one, one) == 0);
    CHECK(std::isnan(pv::sample_covariance(one, one)));
    CHECK(std::isnan(pv::pearson(one, one)));
    CHECK(std::isnan(pv::pearson(kX, same)));
    CHECK(std::isnan(pv::kendall(kX, same)));
    CHECK(std::isnan(pv::spearman(same, kX)));
    CHECK(std::isnan(pv::covariance(holes, kX)));
    CHECK(std::isnan(pv::pearson(kX, holes)));
    CHECK(std::isnan(pv::spearman(kX, holes)));
    CHECK(std::isnan(pv::kendall(holes, kX)));
    CHECK(std::isnan(pv::linear_regression(kX, holes).slope));
    CHECK(std::isnan(pv::ranks(holes)(0)));
    CHECK(pv::pearson(kX, kX) == 1);
    CHECK(pv::pearson(kX, -kX) == -1);
    CHECK(pv::spearman(kX, pv::exp(kX)) == Catch::Approx(1));
    CHECK(pv::kendall(kX, kX) == 1);
    CHECK(pv::linear_regression(kX, same).correlation == 0);
    CHECK(pv::linear_regression(pv::tensor({1, 2}), pv::tensor({1, 3})).slope_error == 0);
    CHECK_THROWS_WITH(pv::linear_regression(same, kX), ContainsSubstring("0.1"));
    CHECK_THROWS_AS(pv::linear_regression(one, one), pv::ShapeError);
    CHECK_THROWS_WITH(pv::pearson(kX, one), ContainsSubstring("pearson") &&
                                                ContainsSubstring("[8]") &&
                                                ContainsSubstring("[1]"));
    CHECK_THROWS_AS(pv::kendall(kX, one), pv::ShapeError);
    const pv::AnyTensor text = pv::tensor({"a"});
    CHECK_THROWS_AS(pv::covariance(text, text), pv::DtypeError);
    CHECK_THROWS_AS(pv::covariance_matrix(kX), pv::ShapeError);
    CHECK_THROWS_AS(pv::ranks(pv::AnyTensor(pv::tensor({"a"}))), pv::DtypeError);
    CHECK(std::isnan(pv::correlation_matrix(pv::stack({kX, holes}))(0, 1)));
    const auto many = pv::const_tensor(1.0, {index_t{1} << 31});
    CHECK_THROWS_WITH(pv::kendall(many, many),
                      ContainsSubstring("kendall") && ContainsSubstring("2147483648"));
    CHECK(std::isnan(pv::covariance_matrix(pv::zeros({2, 0}))(0, 1)));
}

TEST_CASE("pairs do not depend on the number of threads") {
    const auto x = pv::clone(pv::sin(pv::arange(2'000'000.0)));
    const auto y = pv::clone(pv::cos(pv::arange(2'000'000.0) * 1.3));
    const auto figures = [&] {
        return Numbers{pv::covariance(x, y), pv::pearson(x, y), pv::kendall(x, y)};
    };
    pv::set_threads(1);
    const Numbers alone = figures();
    pv::set_threads(3);
    CHECK(figures() == alone);
    pv::set_threads(0);
}

} // namespace correlation_test
