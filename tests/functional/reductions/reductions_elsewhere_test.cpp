#include <support/results_elsewhere.hpp>

#include <purview/chrono.hpp>
#include <purview/purview.hpp>

#include <limits>
#include <string>
#include <vector>

// Reductions and products lie where their sources lie.

namespace reductions_elsewhere_test {

namespace {

using namespace elsewhere;
using purview::clone;

} // namespace

TEST_CASE("reductions lie where their sources lie") {
    using namespace pv;
    std::vector<Case> cases;
    const auto over = [&](const std::string& name, auto f) {
        cases.push_back(both(name + " over the first", [=](const auto& s) { return f(s.x, 0); }));
        cases.push_back(both(name + " over the last", [=](const auto& s) { return f(s.x, 1); }));
        cases.push_back(both(name + " of int64", [=](const auto& s) { return f(s.i, 1); }));
        cases.push_back(both(name + " of float32", [=](const auto& s) { return f(s.f, 0); }));
        cases.push_back(both(name + " over both", [=](const auto& s) { return f(s.x, 0, 1); }));
        cases.push_back(both(name + " kept", [=](const auto& s) { return f(s.x, 1, keep_dims); }));
        cases.push_back(
            both(name + " of numbers", [=](const auto& s) { return f(s.gaps, 1, skip_nan); }));
        cases.push_back(both(name + " lazily", [=](const auto& s) { return f(s.x * 2.0, 0); }));
    };
    over("sum", sum);
    over("product", product);
    over("mean", mean);
    over("min", min);
    over("max", max);
    over("variance", variance);
    over("sample_standard_deviation", sample_standard_deviation);
    over("argmin", argmin);
    over("argmax_last", argmax_last);
    over("compensated_sum", compensated_sum);
    over("exact_sum", exact_sum);
    over("magnitude", magnitude);
    over("magnitude_squared", magnitude_squared);
    over("median", median);
    over("quartiles", quartiles);
    over("skewness", skewness);
    over("sample_kurtosis", sample_kurtosis);
    over("standard_error", standard_error);
    over("quadratic_mean", quadratic_mean);
    over("geometric_mean", geometric_mean);
    over("harmonic_mean", harmonic_mean);
    over("most_frequent", most_frequent);
    over("first", first);
    over("last", last);
    check(cases);
    check({
        both("any_of", [](const auto& s) { return any_of(s.b, 0); }),
        both("all_of", [](const auto& s) { return all_of(s.b, 1); }),
        both("count_true", [](const auto& s) { return count_true(s.b, 1); }),
        both("moment", [](const auto& s) { return moment(s.x, 3, 1); }),
        both("percentile", [](const auto& s) { return percentile(s.x, 30, 1); }),
        both("percentiles",
             [](const auto& s) {
                 return percentile(s.x, std::vector<double>{10, 90}, 0);
             }),
        both("quantile", [](const auto& s) { return quantile(s.f, 0.25, 0); }),
        both("norm", [](const auto& s) { return norm(s.x, 2, 1); }),
        both("norm 1", [](const auto& s) { return norm(s.x, 1, 0); }),
        both("norm 3", [](const auto& s) { return norm(s.x, 3, 0); }),
        both("norm inf",
             [](const auto& s) { return norm(s.x, std::numeric_limits<double>::infinity(), 0); }),
        both("distance", [](const auto& s) { return distance(s.x, s.y, 1); }),
        both("softmax", [](const auto& s) { return softmax(s.x, 1); }),
        both("softmax 0", [](const auto& s) { return softmax(s.f, 0); }),
        both("normalize", [](const auto& s) { return normalize(s.x); }),
        both("covariance", [](const auto& s) { return covariance(s.x, s.y, 1); }),
        both("pearson", [](const auto& s) { return pearson(s.x, s.y, 0); }),
        both("spearman", [](const auto& s) { return spearman(s.x, s.y, 1); }),
        both("kendall", [](const auto& s) { return kendall(s.x, s.y, 1); }),
        both("covariance_matrix", [](const auto& s) { return covariance_matrix(s.x); }),
        both("correlation_matrix",
             [](const auto& s) { return correlation_matrix(s.gaps, skip_nan); }),
        typed("linear_regression",
              [](const auto& s) { return linear_regression(s.x, s.y, 1).slope; }),
        typed("min_with_index", [](const auto& s) { return min_with_index(s.x, 1).values; }),
        typed("max_with_index", [](const auto& s) { return max_with_index(s.x, 0).indexes; }),
        both("outlier_fences", [](const auto& s) { return is_outlier(s.v); }),
        both("is_outlier", [](const auto& s) { return is_outlier(s.v, 0.1); }),
        typed("reduce_axis",
              [](const auto& s) {
                  return reduce_axis([](const auto& lane) { return lane(0) * 2; }, s.x, 1);
              }),
    });
}

TEST_CASE("products lie where their sources lie") {
    using namespace pv;
    check({
        both("matmul", [](const auto& s) { return matmul(s.x, s.a); }),
        both("matmul of a vector", [](const auto& s) { return matmul(s.x, s.a(all, 0)); }),
        both("matmul of int64", [](const auto& s) { return matmul(s.i, transpose(s.i)); }),
        both("matmul of float32", [](const auto& s) { return matmul(transpose(s.f), s.f); }),
        both("kron", [](const auto& s) { return kron(s.v, s.w); }),
        typed("einsum", [](const auto& s) { return einsum("ij,jk->ik", s.x, s.a); }),
        typed("einsum of one", [](const auto& s) { return einsum("ij->j", s.x); }),
        typed("einsum of three",
              [](const auto& s) { return einsum("ij,jk,il->kl", s.x, s.a, s.y); }),
        typed("contract",
              [](const auto& s) {
                  const Dim i("i"), j("j"), k("k");
                  return order(sum(s.x(i, j) * s.a(j, k), j), i, k);
              }),
        typed("sum over a dim",
              [](const auto& s) {
                  const Dim i("i"), j("j");
                  return order(sum(s.x(i, j), i), j);
              }),
        typed("cumsum along a dim",
              [](const auto& s) {
                  const Dim i("i"), j("j");
                  return order(cumsum(s.x(i, j), i), i, j);
              }),
        typed("median over a dim",
              [](const auto& s) {
                  const Dim i("i"), j("j");
                  return order(median(s.x(i, j), i), j);
              }),
    });
}

} // namespace reductions_elsewhere_test
