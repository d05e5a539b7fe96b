#include "named_support.hpp"

#include <string>

namespace keep_dims_test {

namespace {

const pv::Dim b("b");
const pv::Dim w("w");

/// [4, 2, 3], all different, in no order.
const auto t = pv::take(counted({4, 2, 3}), {2, 0, 3, 1}, 0);
const auto x = t(b, pv::all, w);

template <typename X, typename Y>
bool same(const X& left, const Y& right) {
    return pv::equals(left | pv::order(b), right | pv::order(b));
}

/// NumPy's keepdims has no names; of names it says what `f` says without it, and of axes beside them
/// as of axes alone.
template <typename F>
void check(const char* name, F f) {
    INFO(name);
    CHECK(same(f(x, w, pv::keep_dims), f(x, w)));
    CHECK(f(x, w, pv::keep_dims).shape() == pv::Shape{2});
    CHECK(pv::allclose(f(x, w, 0, pv::keep_dims) | pv::order(b), // added in another order
                       pv::squeeze(f(t, 2, 1, pv::keep_dims), {2})));
    CHECK(f(x, w, 0, pv::keep_dims).shape() == pv::Shape{1});
    CHECK(f(x, (b, w), pv::keep_dims).shape() == pv::Shape{2});
}

} // namespace

TEST_CASE("keep_dims over a Dim: the Dim goes, axes stay") {
    check("sum", pv::sum);
    check("product", pv::product);
    check("mean", pv::mean);
    check("min", pv::min);
    check("max", pv::max);
    check("variance", pv::variance);
    check("standard_deviation", pv::standard_deviation);
    check("median", pv::median);
    check("argmin", pv::argmin);
    check("argmax", pv::argmax);
    check("magnitude", pv::magnitude);
    check("geometric_mean", pv::geometric_mean);
    check("sum, skip_nan",
          [](const auto& of, const auto&... axes) { return pv::sum(of, axes..., pv::skip_nan); });
    check("moment", [](const auto& of, const auto&... axes) { return pv::moment(of, 3, axes...); });
    check("percentile",
          [](const auto& of, const auto&... axes) { return pv::percentile(of, 30, axes...); });
    check("norm", [](const auto& of, const auto&... axes) { return pv::norm(of, 2, axes...); });
    check("max_with_index", [](const auto& of, const auto&... axes) {
        return pv::max_with_index(of, axes...).indexes;
    });
    check("min_with_index", [](const auto& of, const auto&... axes) {
        return pv::min_with_index(of, axes...).values;
    });
    check("distance",
          [](const auto& of, const auto&... axes) { return pv::distance(of, of * of, axes...); });
    check("covariance",
          [](const auto& of, const auto&... axes) { return pv::covariance(of, of * of, axes...); });
    check("linear_regression", [](const auto& of, const auto&... axes) {
        return pv::linear_regression(of, of * of, axes...).slope;
    });
    check("descriptive_statistics", [](const auto& of, const auto&... axes) {
        using enum pv::Statistic;
        return pv::descriptive_statistics(of, {mean, max}, axes...)[max];
    });
    CHECK(same(pv::any_of(x > 3., w, pv::keep_dims), pv::any_of(x > 3., w)));
    CHECK(same(pv::count_true(x > 3., w, pv::keep_dims), pv::count_true(x > 3., w)));
}

TEST_CASE("keep_dims over a Dim: lists, stages, several quantiles, strings, what is stored") {
    const auto total = pv::squeeze(pv::sum(t, {1, 2}, pv::keep_dims), {2});
    CHECK(pv::equals(x | pv::sum({0, w}, pv::keep_dims) | pv::order(b), total));
    CHECK(pv::equals(pv::sum(x, {w, 0}, pv::keep_dims) | pv::order(b), total));
    CHECK(same(x | pv::mean(w, pv::keep_dims), pv::mean(x, w)));
    CHECK(pv::sum(x, {b, w, 0}, pv::keep_dims).shape() == pv::Shape{1});

    const auto shares = pv::percentile(x, {25, 50}, w, 0, pv::keep_dims);
    CHECK(shares.shape() == pv::Shape{2, 1});
    CHECK(pv::equals(shares | pv::order(b), pv::percentile(t, {25, 50}, {2, 1}, pv::keep_dims) |
                                                pv::squeeze({3}) | pv::transpose({1, 0, 2})));

    const auto [row, column] = pv::dims("row", "column");
    const auto texts = pv::tensor({{"a", "c", "b"}, {"d", "b", "a"}});
    CHECK(pv::to_vector(pv::max(texts(row, column), column, pv::keep_dims) | pv::order(row)) ==
          std::vector<std::string>{"c", "d"});
    const auto stored = pv::to_sparse(pv::tensor({{0., 2., 0.}, {3., 0., 4.}}));
    CHECK(pv::to_vector(pv::sum(stored(row, column), column, pv::keep_dims) | pv::order(row)) ==
          std::vector{2., 7.});
}

/// One text for an axis and for a Dim, which is what keep_dims is for.
TEST_CASE("keep_dims: a share of a sum over an axis or a Dim") {
    const auto shares = [](const auto& of, const auto& axis) {
        return of / pv::sum(of, axis, pv::keep_dims);
    };
    CHECK(pv::equals(shares(x, w) | pv::order(b, 0, w), shares(t, 2)));
    CHECK(pv::equals(shares(x, 0) | pv::order(b, 0, w), shares(t, 1)));
}

} // namespace keep_dims_test
