#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/purview.hpp>

#include <cstdint>
#include <limits>
#include <vector>

namespace operands_test {

// What stands in the same place for every operation: dims, a stage.

namespace {

namespace pv = purview;
using pv::index_t;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// One type, one shape, equal elements, NaN where there is NaN.
bool same(const pv::AnyTensor& a, const pv::AnyTensor& b) {
    if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
    const pv::Tolerance exact{.relative = 0, .absolute = 0, .nan_equal = true};
    const auto numbers = [](const pv::AnyTensor& x) { return pv::cast<double>(x); };
    return pv::all_of(pv::close_to(numbers(a), numbers(b), exact));
}

template <typename T>
pv::MutableTensor<T> numbers() {
    return pv::clone(pv::tensor({{3, 1, 2, 7}, {0, 5, 4, 1}, {7, 1, 7, 6}}) |
                     pv::unchecked_cast<T>);
}

/// `f` of rows under a Dim is what it is of each row.
template <typename X, typename F>
void check_rows(const char* name, const X& x, F f) {
    INFO(name << " of " << x.dtype().name());
    const auto [i] = pv::dims("i");
    const pv::AnyTensor batched = f(x(i, pv::all)) | pv::order(i);
    for (index_t row = 0; row < x.extent(0); ++row)
        CHECK(same(batched(row, pv::ellipsis), pv::AnyTensor(f(x(row, pv::all)))));
}

} // namespace

TEMPLATE_TEST_CASE("Operations batch over bound dims", "", std::int32_t, std::uint8_t, float,
                   double) {
    using T = TestType;
    const auto x = numbers<T>();
    check_rows("diff1d", x, [](const auto& t) { return pv::diff1d(t); });
    check_rows("gradient1d", x, [](const auto& t) { return pv::gradient1d(t, 2); });
    check_rows("gaussian1d", x, [](const auto& t) { return pv::gaussian1d(t, 2); });
    check_rows("downsample", x, [](const auto& t) { return pv::downsample(t, 2); });
    check_rows("arg_min_n", x, [](const auto& t) { return pv::arg_min_n(t, 2); });
    check_rows("is_outlier", x, [](const auto& t) { return pv::is_outlier(t, 0.5); });
    check_rows("counts", x, [](const auto& t) { return pv::histogram(t, 3).counts; });
    check_rows("edges", x, [](const auto& t) { return pv::histogram(t, 3).edges; });
    check_rows("counts between edges", x, [](const auto& t) {
        return (t | pv::histogram({std::vector<double>{0, 2, 9}})).counts;
    });
    check_rows("densities", x, [](const auto& t) { return pv::histogram_density(t, 4).heights; });
    check_rows("colours", x, [](const auto& t) { return pv::colorize(t, pv::gradients::viridis); });
    check_rows("colours in limits", x, [](const auto& t) {
        return t | pv::colorize(pv::gradients::turbo, {.low = 0.0, .high = 5.0});
    });
    const auto [i, j] = pv::dims("i", "j");
    const pv::AnyTensor slopes = pv::gradient1d(x(i, j), 1, i) | pv::order(i, j);
    CHECK(same(slopes, pv::gradient1d(x, 1, 0)));
    CHECK_THROWS_WITH(pv::diff1d(x(i, j), i), Catch::Matchers::ContainsSubstring("'i'"));
    CHECK_THROWS_AS(pv::downsample(x(i, j), 2, j), pv::DimError);
    CHECK_THROWS_AS(pv::arg_min_n(x(i, j), 2, j), pv::DimError);
    const pv::Tensor<std::uint8_t> all_colours =
        pv::colorize(x(i, j), pv::gradients::viridis, {.low = 0.0, .high = 7.0}) | pv::order(i, j);
    CHECK(same(all_colours, pv::colorize(x, pv::gradients::viridis, {.low = 0.0, .high = 7.0})));
    // A Dim without a size's worth of elements: nothing, of the right shape.
    const auto [k] = pv::dims("k");
    const auto none = pv::zeros({0, 4});
    const pv::Tensor<std::int64_t> no_counts =
        pv::histogram(none(k, pv::all), 3).counts | pv::order(k);
    CHECK(no_counts.shape() == pv::Shape{0, 3});
}

TEST_CASE("Random numbers under dims are those of the whole") {
    const auto x = pv::ones({3, 4});
    const auto [i] = pv::dims("i");
    const pv::Tensor<double> made = pv::random_like(x(i, pv::all), 7) | pv::order(i);
    CHECK(same(made, x | pv::random_like(7)));
    const pv::Tensor<double> kept = x(i, pv::all) | pv::dropout(0.5, 7) | pv::order(i);
    CHECK(same(kept, pv::dropout(x, 0.5, 7)));
}

TEST_CASE("Figures of two tensors over axes, Dims and dims") {
    using Pair = pv::Tensor<double>;
    const auto x = pv::clone(pv::sin(pv::reshape(pv::arange(60.0), {3, 4, 5}) * 1.7));
    auto y = pv::clone(pv::cos(pv::reshape(pv::arange(60.0), {3, 4, 5}) * 0.9) + x);
    const auto [i, j, k] = pv::dims("i", "j", "k");
    const auto check = [&](const char* name, auto f) {
        INFO(name);
        const Pair last = f(x, y, 2);
        const Pair outer = f(x, y, pv::Axes{2, 0});
        const Pair named = f(x(i, j, pv::all), y(i, j, pv::all), 0) | pv::order(i, j);
        const Pair turned = f(x(i, pv::all, k), y(i, pv::all, k), k) | pv::order(i);
        const Pair one_row = f(x(i, j, pv::all), y(0, j, pv::all), 0) | pv::order(i, j);
        for (index_t a = 0; a < 3; ++a)
            for (index_t b = 0; b < 4; ++b) {
                const double expected = f(x(a, b, pv::all), y(a, b, pv::all));
                CHECK(last(a, b) == Catch::Approx(expected).epsilon(1e-12));
                CHECK(named(a, b) == last(a, b));
                CHECK(turned(a, b) == Catch::Approx(expected).epsilon(1e-12));
                CHECK(one_row(a, b) ==
                      Catch::Approx(f(x(a, b, pv::all), y(0, b, pv::all))).epsilon(1e-12));
            }
        for (index_t b = 0; b < 4; ++b)
            CHECK(outer(b) == Catch::Approx(f(pv::transpose(x(pv::all, b, pv::all)),
                                              pv::transpose(y(pv::all, b, pv::all))))
                                  .epsilon(1e-12));
    };
    check("covariance", [](const auto&... a) { return pv::covariance(a...); });
    check("sample_covariance", [](const auto&... a) { return pv::sample_covariance(a...); });
    check("pearson", [](const auto&... a) { return pv::pearson(a...); });
    check("spearman", [](const auto&... a) { return pv::spearman(a...); });
    check("kendall", [](const auto&... a) { return pv::kendall(a...); });
    check("slope", [](const auto&... a) { return pv::linear_regression(a...).slope; });
    check("intercept error",
          [](const auto&... a) { return pv::linear_regression(a...).intercept_error; });

    CHECK(pv::spearman(x, y, 1, pv::keep_dims).shape() == pv::Shape{3, 1, 5});
    CHECK(pv::covariance(x, y, 1, pv::keep_dims).shape() == pv::Shape{3, 1, 5});
    CHECK((x | pv::kendall(y)) == pv::kendall(x, y));
    CHECK((x | pv::linear_regression(y)).slope == pv::linear_regression(x, y).slope);
    CHECK(pv::pearson(pv::AnyTensor(x), y, 0).shape() == pv::Shape{4, 5});
    CHECK(pv::covariance(pv::zeros({0, 3}), pv::zeros({0, 3}), 1).size() == 0);
    CHECK(std::isnan(double(pv::covariance(pv::zeros({2, 0}), pv::zeros({2, 0}), 1)(0))));
    CHECK(std::isnan(double(pv::sample_covariance(pv::ones({2, 1}), pv::ones({2, 1}), 1)(0))));
    // Constants have no correlation, however their mean is rounded.
    CHECK(std::isnan(double(pv::pearson(x, pv::full({3, 4, 5}, 0.1), 2)(0, 0))));
    y(0, 0, 0) = kNaN;
    const auto holes = pv::pearson(x, y, 2);
    CHECK(std::isnan(double(holes(0, 0))));
    CHECK(!std::isnan(double(holes(0, 1))));
    CHECK_THROWS_AS(pv::spearman(x, y, 3), pv::IndexError);
    CHECK_THROWS_AS(pv::spearman(x, y, i), pv::DimError);
    CHECK_THROWS_AS(pv::covariance(x, pv::ones({2, 2, 2}), 0), pv::ShapeError);
    CHECK_THROWS_AS(pv::linear_regression(x(pv::all, pv::all, pv::range(0, 1)),
                                          y(pv::all, pv::all, pv::range(0, 1)), 2),
                    pv::ShapeError);
    const pv::Tensor<double> matrices =
        pv::sample_covariance_matrix(x(i, pv::all, pv::all)) | pv::order(i);
    CHECK(same(matrices(1, pv::ellipsis), pv::sample_covariance_matrix(x(1, pv::ellipsis))));
}

TEST_CASE("Covariances over an axis keep 12 digits of ill-conditioned data") {
    const auto t = pv::arange(20'000.0);
    const auto x = pv::clone(1e9 + 1e-3 * pv::sin(t));
    const auto y = pv::clone(-2e9 + 1e-3 * pv::cos(t * 1.7) + 5e-4 * pv::sin(t));
    const auto rows_x = pv::stack({x, x});
    const auto rows_y = pv::stack({y, y});
    CHECK(pv::covariance(rows_x, rows_y, 1)(1) ==
          Catch::Approx(pv::covariance(x, y)).epsilon(1e-11));
    CHECK(pv::pearson(rows_x, rows_y, 1)(1) == Catch::Approx(pv::pearson(x, y)).epsilon(1e-11));
}

TEST_CASE("Numbers are searched in the type of their comparison") {
    const auto x = pv::tensor({1, 3, 5});
    CHECK(pv::index_of(x, 3.5) == std::nullopt);
    CHECK(pv::index_of(x, 3.0) == index_t{1});
    CHECK(pv::binary_search(x, 3.5) == pv::SearchResult{false, 2});
    CHECK(pv::binary_search(pv::AnyTensor(x), 3.5) == pv::SearchResult{false, 2});
    CHECK_THROWS_AS(pv::index_of(pv::tensor(std::vector<std::uint8_t>{1, 44}), 300), pv::CastError);
}

TEST_CASE("Operations of two tensors are stages of the first one") {
    const auto x = pv::tensor({1.0, 4.0, 2.0});
    const auto y = pv::tensor({3.0, 1.0, 2.0});
    CHECK((x | pv::dot(y)) == 11);
    CHECK((x | pv::equals(x)));
    CHECK_FALSE((x | pv::equals(y, 0.5)));
    CHECK((x | pv::distance(y)) == pv::distance(x, y));
    CHECK(same(x | pv::maximum(y), pv::tensor({3.0, 4.0, 2.0})));
    CHECK(same(x | pv::pow(y), pv::pow(x, y)));
    CHECK(same(x | pv::close_to(2.0), pv::tensor({false, false, true})));
    CHECK(same((x > y) | pv::where(x, 0.0), pv::tensor({0.0, 4.0, 0.0})));
    CHECK(
        same((x | pv::weighted_histogram(y, 2)).heights, pv::weighted_histogram(x, y, 2).heights));
    CHECK(same(x | pv::ranks(0), pv::tensor({1.0, 3.0, 2.0})));
    CHECK(same(x | pv::argpartition(0), pv::argpartition(x, 0)));
    CHECK(same(x | pv::arg_min_n(2), pv::arg_min_n(x, 2)));
    CHECK(same(x | pv::sample(2, 1), pv::sample(x, 2, 1)));
    CHECK(same(pv::tensor({{1, 2}}) | pv::matmul(pv::tensor({{3}, {4}})),
               pv::tensor({{11}}) | pv::cast<std::int64_t>));
}

} // namespace operands_test
