#include "both_kinds.hpp"

namespace reductions_of_both_kinds_test {

// Every reduction of sparse tensors and of their dense twins, and what sparse tensors are refused by: a line each.

namespace {

using namespace oracle;
using enum Form;

/// Over everything, and over axes.
template <typename T, typename F>
void add_reduction(std::vector<Row<T>>& rows, const char* name, F reduce) {
    using X = pv::Tensor<T>;
    rows.push_back(row<T>(name, number, [=](const X& x) { return reduce(x); }));
    rows.push_back(row<T>(
        name, sparse, [=](const X& x, Random& r) { return reduce(x, pv::Axes(any_axes(x, r))); }));
    rows.push_back(row<T>(name, sparse, [=](const X& x, Random& r) {
        return reduce(x, pv::Axes(any_axes(x, r)), pv::keep_dims);
    }));
}

template <typename T>
std::vector<Row<T>> reductions() {
    std::vector<Row<T>> rows;
    add_reduction(rows, "sum", pv::sum);
    add_reduction(rows, "product", pv::product);
    add_reduction(rows, "mean", pv::mean);
    add_reduction(rows, "min", pv::min);
    add_reduction(rows, "max", pv::max);
    add_reduction(rows, "any_of", pv::any_of);
    add_reduction(rows, "all_of", pv::all_of);
    add_reduction(rows, "count_true", pv::count_true);
    add_reduction(rows, "argmin", pv::argmin);
    add_reduction(rows, "argmax", pv::argmax);
    add_reduction(rows, "argmin_last", pv::argmin_last);
    add_reduction(rows, "argmax_last", pv::argmax_last);
    add_reduction(rows, "variance", pv::variance);
    add_reduction(rows, "sample_variance", pv::sample_variance);
    add_reduction(rows, "standard_deviation", pv::standard_deviation);
    add_reduction(rows, "sample_standard_deviation", pv::sample_standard_deviation);
    add_reduction(rows, "magnitude", pv::magnitude);
    add_reduction(rows, "magnitude_squared", pv::magnitude_squared);
    for (const double p : {0., 1., 2., 3.})
        rows.push_back(row<T>("norm", sparse, [p](const pv::Tensor<T>& x, Random& r) {
            return pv::norm(x.rank() == 0 ? pv::Tensor<T>(pv::reshape(x, {1})) : x, p,
                            any_axis(x, r));
        }));
    return rows;
}

template <typename T>
std::vector<Row<T>> numbers_of() {
    using X = pv::Tensor<T>;
    std::vector<Row<T>> rows{
        row<T>("argfilter", number, [](const X& x) { return pv::argfilter(x != T{}); }),
        row<T>("argfilter by a function", number,
               [](const X& x) { return pv::argfilter([](T v) { return v == T{1}; }, x); }),
        row<T>("index_set", number, [](const X& x) { return pv::index_set(x == T{}); }),
        row<T>("distance", number, [](const X& x, const X& y) { return pv::distance(x, y); }),
        row<T>("sum of a product", number, [](const X& x, const X& y) { return pv::sum(x * y); }),
        row<T>("sum of a product over axes", sparse,
               [](const X& x, const X& y, Random& r) {
                   return pv::sum(x * y, pv::Axes(any_axes(x, r)));
               }),
        row<T>("matmul", sparse,
               [](const X& x) {
                   return pv::matmul(x, x.rank() < 2 ? x : pv::Tensor<T>(pv::swap_axes(x, -1, -2)));
               }),
        row<T>(
            "sum of a view", sparse,
            [](const X& x, Random& r) { return pv::sum(pv::flip(x), pv::Axes(any_axes(x, r))); }),
        row<T>("mean, NaN skipped", number, [](const X& x) { return pv::mean(x, pv::skip_nan); }),
        row<T>("sum, NaN skipped", number, [](const X& x) { return pv::sum(x, pv::skip_nan); }),
        row<T>("max, NaN skipped", number, [](const X& x) { return pv::max(x, pv::skip_nan); }),
        row<T>("argmin, NaN skipped", number,
               [](const X& x) { return pv::argmin(x, pv::skip_nan); }),
    };
    return rows;
}

/// What has no sparse form says so, whatever the size.
std::vector<Row<double>> refusals() {
    using X = pv::Tensor<double>;
    const auto of = [](const char* name, auto f) { return row<double>(name, refused, f); };
    const auto along = [](const char* name, auto f) {
        return row<double>(name, refused,
                           [f](const X& x, Random& r) { return f(x, any_axis(x, r)); });
    };
    return {
        along("cumsum", pv::cumsum),
        along("cumprod", pv::cumprod),
        along("cummin", pv::cummin),
        along("cummax", pv::cummax),
        along("sort", pv::sort),
        along("argsort", pv::argsort),
        along("argpartition",
              [](const X& x, index_t axis) { return pv::argpartition(x, 0, axis); }),
        along("arg_min_n", [](const X& x, index_t axis) { return pv::arg_min_n(x, 1, axis); }),
        along("ranks", pv::ranks),
        along("softmax", [](const X& x, index_t axis) { return pv::softmax(x, axis); }),
        along("fixed_rolling_window",
              [](const X& x, index_t axis) {
                  return pv::fixed_rolling_window(x, 3, pv::mean, axis);
              }),
        along("expanding_window",
              [](const X& x, index_t axis) { return pv::expanding_window(x, pv::sum, axis); }),
        along("convolve1d",
              [](const X& x, index_t axis) {
                  return pv::convolve1d(x, pv::tensor({1., 2.}), axis);
              }),
        along("gaussian1d", [](const X& x, index_t axis) { return pv::gaussian1d(x, 1.0, axis); }),
        along("map_axis",
              [](const X& x, index_t axis) {
                  return pv::map_axis([](const auto& lane) { return lane * 2; }, x, axis);
              }),
        of("compensated_sum", pv::compensated_sum),
        of("median", [](const X& x) { return pv::median(x); }),
        of("percentile", [](const X& x) { return pv::percentile(x, 30); }),
        of("quartiles", [](const X& x) { return pv::quartiles(x); }),
        of("skewness", [](const X& x) { return pv::skewness(x); }),
        of("kurtosis", [](const X& x) { return pv::kurtosis(x); }),
        of("moment", [](const X& x) { return pv::moment(x, 3); }),
        of("geometric_mean", [](const X& x) { return pv::geometric_mean(x); }),
        of("harmonic_mean", [](const X& x) { return pv::harmonic_mean(x); }),
        of("most_frequent", [](const X& x) { return pv::most_frequent(x); }),
        of("histogram",
           [](const X& x) {
               return pv::histogram(x, pv::Bins{4, -9., 9.}).counts;
           }),
        of("unique", [](const X& x) { return static_cast<index_t>(pv::unique(x).size()); }),
        along("topk", [](const X& x, index_t axis) { return pv::topk(x, 1, axis).values; }),
        of("covariance", [](const X& x) { return pv::covariance(x, x); }),
        of("covariance_matrix",
           [](const X& x) {
               return pv::covariance_matrix(pv::reshape(x, {1, -1}));
           }),
        of("pearson", [](const X& x) { return pv::pearson(x, x); }),
        of("spearman", [](const X& x) { return pv::spearman(x, x); }),
        of("kendall", [](const X& x) { return pv::kendall(x, x); }),
        of("arggroup", [](const X& x) { return static_cast<index_t>(pv::arggroup(x).size()); }),
        of("group_by_reduce",
           [](const X& x) { return std::get<1>(pv::group_by_reduce(x, x, pv::sum)); }),
        of("mean of an axis, NaN skipped",
           [](const X& x, Random& r) {
               return pv::mean(x, pv::Axes(any_axes(x, r)), pv::skip_nan);
           }),
        of("compensated_sum of an axis",
           [](const X& x, Random& r) { return pv::compensated_sum(x, pv::Axes(any_axes(x, r))); }),
    };
}

} // namespace

TEST_CASE("reductions of sparse and dense tensors: float64") {
    expect_all_alike(reductions<double>(), 50);
    expect_all_alike(numbers_of<double>(), 50);
}
TEST_CASE("reductions of sparse and dense tensors: int32") {
    expect_all_alike(reductions<std::int32_t>(), 40);
    expect_all_alike(numbers_of<std::int32_t>(), 40);
}
TEST_CASE("reductions of sparse and dense tensors: bool") {
    expect_all_alike(reductions<bool>(), 30);
}
TEST_CASE("what has no sparse form is refused") { expect_all_alike(refusals(), 12); }

} // namespace reductions_of_both_kinds_test
