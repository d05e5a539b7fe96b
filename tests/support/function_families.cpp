// Functions by what they compute.
#include "support/function_families.hpp"

#include "support/families.hpp"

#include <cmath>
#include <complex>
#include <tuple>
#include <vector>

namespace families {

int sorts_and_searches(const Place& place) {
    Families t(place);
    t("sort", [](const Given& g) { return pv::sort(g.v); });
    t("sort of rows", [](const Given& g) { return pv::sort(g.m, 1); });
    t("argsort", [](const Given& g) { return pv::argsort(g.v); });
    t.refused("sort", [](const Given& g) {
        return pv::sort(g.v, [](double a, double b) { return b < a; });
    });
    t.refused("argsort", [](const Given& g) {
        return pv::argsort(g.m, 0, [](double a, double b) { return b < a; });
    });
    t.refused("lexsort", [](const Given& g) { return pv::lexsort({g.i, g.v}); });
    t.refused("argpartition", [](const Given& g) { return pv::argpartition(g.sorted, 3); });
    t.refused("topk", [](const Given& g) {
        const auto r = pv::topk(g.v, 3);
        return std::tuple(r.values, r.indexes);
    });
    t.refused("arg_min_n", [](const Given& g) { return pv::arg_min_n(g.v, 2); });
    t.refused("unique", [](const Given& g) { return pv::unique(g.v); });
    t.refused("unique_all", [](const Given& g) {
        const auto r = pv::unique_all(g.v);
        return std::tuple(r.values, r.inverse, r.counts);
    });
    t.refused("searchsorted", [](const Given& g) { return pv::searchsorted(g.sorted, g.v); });
    t.refused("digitize", [](const Given& g) { return pv::digitize(g.v, g.sorted); });
    t.refused("interp", [](const Given& g) { return pv::interp(g.v, g.sorted, g.w); });
    t.refused("isin", [](const Given& g) { return pv::isin(g.v, g.w); });
    t.refused("as_of", [](const Given& g) { return pv::as_of(g.sorted, g.sorted); });
    t.refused("as_of", [](const Given& g) {
        return pv::as_of(g.sorted, g.sorted, {.left_by = {g.i}, .right_by = {g.i}});
    });
    t.refused("join", [](const Given& g) {
        const auto r = pv::join({g.i, g.v}, {g.i, g.v}, pv::JoinKind::outer);
        return std::tuple(r.left, r.right);
    });
    t.refused("bincount", [](const Given& g) { return pv::bincount(g.i); });
    t.refused("bincount", [](const Given& g) { return pv::bincount(g.i, g.v); });
    t.refused("index_of", [](const Given& g) { return pv::index_of(g.v, 2.); });
    t.refused("last_index_of", [](const Given& g) { return pv::last_index_of(g.i, 2); });
    t.refused("binary_search", [](const Given& g) {
        const auto r = pv::binary_search(g.sorted, 3.5);
        return std::tuple(r.found, r.position);
    });
    t.refused("argfilter", [](const Given& g) { return pv::argfilter(g.mask); });
    t.refused("argfilter",
              [](const Given& g) { return pv::argfilter([](double x) { return x > 2; }, g.v); });
    t.refused("argfilter", [](const Given& g) { return pv::flatnonzero(g.i); });
    t.refused("arglast_every", [](const Given& g) {
        return pv::arglast_every([](double a, double b) { return a >= b; }, g.v);
    });
    t.refused("argpartition_by", [](const Given& g) {
        std::vector<double> keys;
        for (const auto& run : pv::argpartition_by([](double x) { return x > 0; }, g.v))
            keys.push_back(run.key ? 1 : 0);
        return keys;
    });
    t.refused("argwhere", [](const Given& g) { return pv::argwhere(g.m > 3); });
    t.refused("index_set", [](const Given& g) { return pv::indexes_of(pv::index_set(g.mask)); });
    t.refused("index_set", [](const Given& g) { return pv::index_union(g.i, g.i); });
    t.refused("arggroup", [](const Given& g) { return pv::arggroup(g.i).keys(); });
    t.refused("group_by_reduce", [](const Given& g) {
        return pv::group_by_reduce(g.i, g.v, pv::sum, pv::mean, pv::group_size);
    });
    t.refused("group_by_reduce",
              [](const Given& g) { return pv::group_by_reduce(g.i, g.v, pv::median); });
    t.refused("group_by_reduce",
              [](const Given& g) { return pv::unordered_group_by_reduce(g.i, g.v, pv::sum); });
    t.refused("ranks", [](const Given& g) { return pv::ranks(g.v); });
    t("sample", [](const Given& g) { return pv::sample(g.v, 3, 5); });
    t("choice", [](const Given& g) { return pv::choice(g.v, 3, 5); });
    return t.tried();
}

int scans_and_windows(const Place& place) {
    Families t(place);
    t.given("cumsum", [](const Given& g) { return pv::cumsum(g.v); });
    t.given("cumsum of columns", [](const Given& g) { return pv::cumsum(g.m, 0); });
    t("cumprod", [](const Given& g) { return pv::cumprod(g.i); }); // of floats: in another order
    t("cummax", [](const Given& g) { return pv::cummax(g.v); });
    t.refused("scan", [](const Given& g) {
        return pv::scan(
            g.v, [](double a, double b) { return a / 2 + b; }, 0.);
    });
    t.refused("ewma", [](const Given& g) { return pv::ewma(g.v, {.alpha = 0.5}); });
    t.refused("fixed_rolling_window",
              [](const Given& g) { return pv::fixed_rolling_window(g.v, 3, pv::mean); });
    t.refused("fixed_rolling_window",
              [](const Given& g) { return pv::fixed_rolling_window(g.v, 3, pv::median); });
    t.refused("variable_rolling_window", [](const Given& g) {
        return pv::variable_rolling_window(g.v, g.sorted, 2., pv::sum);
    });
    t.refused("range_windows",
              [](const Given& g) { return pv::range_windows(g.v, g.i, g.i + 2, pv::sum); });
    t.refused("fixed_rolling_window", [](const Given& g) {
        return pv::fixed_rolling_window(g.v, 3, [](const auto& x) { return x(0) + 0.; });
    });
    t.refused("variable_rolling_window", [](const Given& g) {
        return pv::variable_rolling_window(Given::on_host().v, g.sorted, 2., pv::sum);
    });
    t("expanding_window", [](const Given& g) { return pv::expanding_window(g.v, pv::max); });
    t.refused("convolve1d", [](const Given& g) {
        return pv::convolve1d(g.v, pv::tensor({1., 2., 1.}));
    });
    t.refused("gaussian1d", [](const Given& g) { return pv::gaussian1d(g.v, 1.5); });
    t.refused("correlate1d", [](const Given& g) {
        return pv::correlate1d(Given::on_host().v, g.w(pv::range(0, 3)));
    });
    t("diff1d", [](const Given& g) { return pv::diff1d(g.v); });
    t("gradient1d", [](const Given& g) { return pv::gradient1d(g.v); });
    t("downsample", [](const Given& g) { return pv::downsample(g.v, 5); });
    t.refused("forward_fill", [](const Given& g) { return pv::forward_fill(g.v, g.mask); });
    t.refused("backward_fill", [](const Given& g) {
        return pv::backward_fill(pv::where(g.mask, std::nan(""), g.v));
    });
    t.refused("fill_range", [](const Given& g) { return pv::fill_range(g.sorted, 0.2).values; });
    t.refused("map_axis", [](const Given& g) {
        return pv::map_axis([](const auto& lane) { return pv::clone(lane * 2); }, g.m);
    });
    t("reduce_axis", [](const Given& g) {
        return pv::reduce_axis([](const auto& lane) { return static_cast<double>(pv::sum(lane)); },
                               g.m);
    });
    return t.tried();
}

int reductions_and_statistics(const Place& place) {
    Families t(place);
    t("count_true", [](const Given& g) { return pv::count_true(g.mask); });
    t.given("argmin", [](const Given& g) { return pv::argmin(g.v); });
    t("argmax of rows", [](const Given& g) { return pv::argmax(g.m, 1); });
    t.given("max_with_index", [](const Given& g) {
        const auto r = pv::max_with_index(g.m, 1);
        return std::tuple(r.values, r.indexes);
    });
    t.given("max_with_index, skip_nan", [](const Given& g) {
        const auto r = pv::max_with_index(g.m, 1, pv::skip_nan);
        return std::tuple(r.values, r.indexes);
    });
    t("variance", [](const Given& g) { return pv::variance(g.v); });
    t("variance of rows", [](const Given& g) { return pv::variance(g.m, 1); });
    t("standard_deviation", [](const Given& g) { return pv::standard_deviation(g.v); });
    t("skewness", [](const Given& g) { return pv::skewness(g.v); });
    t("moment", [](const Given& g) { return pv::moment(g.v, 3); });
    t("geometric_mean", [](const Given& g) { return pv::geometric_mean(g.w); });
    t.refused("compensated_sum", [](const Given& g) { return pv::compensated_sum(g.v); });
    t("sum, skip_nan", [](const Given& g) { return pv::sum(g.v, pv::skip_nan); });
    t.given("mean, skip_nan", [](const Given& g) { return pv::mean(g.m, 1, pv::skip_nan); });
    t("sum, throw_nan", [](const Given& g) { return pv::sum(g.v, pv::throw_nan); });
    t.given("max, skip_nan", [](const Given& g) { return pv::max(g.m, 0, pv::skip_nan); });
    t.given("sum, keep_dims", [](const Given& g) { return pv::sum(g.m, 1, pv::keep_dims); });
    t("magnitude", [](const Given& g) { return pv::magnitude(g.v); });
    t.given("distance", [](const Given& g) { return pv::distance(g.v, g.w); });
    t.given("norm", [](const Given& g) { return pv::norm(g.v); });
    t.given("distance, skip_nan",
            [](const Given& g) { return pv::distance(g.m, g.m(0, pv::all), 0, pv::skip_nan); });
    t.given("distance of what overflows",
            [](const Given& g) { return pv::distance(g.v * 1e200, g.w); });
    t.refused("norm", [](const Given& g) { return pv::norm(g.m, 2, 0, 1); });
    t("normalize", [](const Given& g) { return pv::normalize(g.v); });
    t("first", [](const Given& g) { return pv::first(g.v); });
    t("last of rows", [](const Given& g) { return pv::last(g.m, 1); });
    t.refused("median", [](const Given& g) { return pv::median(g.v); });
    t.refused("median", [](const Given& g) { return pv::median(g.m, 1); });
    t.refused("percentile", [](const Given& g) { return pv::percentile(g.v, 30); });
    t.refused("quartiles", [](const Given& g) { return pv::quartiles(g.v); });
    t.refused("is_outlier", [](const Given& g) { return pv::is_outlier(g.v); });
    t.refused("outlier_fences", [](const Given& g) { return pv::outlier_fences(g.v).lower; });
    t.refused("most_frequent", [](const Given& g) { return pv::most_frequent(g.v); });
    t.refused("histogram", [](const Given& g) { return pv::histogram(g.v, 4).counts; });
    t.refused("histogram", [](const Given& g) {
        return pv::histogram(g.v, std::vector<double>{-1, 0, 4}).counts;
    });
    t.refused("weighted_histogram",
              [](const Given& g) { return pv::weighted_histogram(g.v, g.w, 4).heights; });
    t("covariance", [](const Given& g) { return pv::covariance(g.v, g.w); });
    t("pearson", [](const Given& g) { return pv::pearson(g.v, g.w); });
    t.refused("spearman", [](const Given& g) { return pv::spearman(g.v, g.w); });
    t.refused("kendall", [](const Given& g) { return pv::kendall(g.v, g.w); });
    t.refused("covariance_matrix", [](const Given& g) { return pv::covariance_matrix(g.m); });
    t("linear_regression", [](const Given& g) { return pv::linear_regression(g.v, g.w).slope; });
    t("equals", [](const Given& g) { return pv::equals(g.v, g.v); });
    t("equals, within", [](const Given& g) { return pv::equals(g.v, g.w, 1e-3); });
    t("allclose", [](const Given& g) { return pv::allclose(g.v, g.v + 1e-12); });
    return t.tried();
}

int products_and_computations(const Place& place) {
    Families t(place);
    t.given("dot", [](const Given& g) { return pv::dot(g.v, g.w); });
    t.given("matmul", [](const Given& g) { return pv::matmul(g.m, pv::transpose(g.m)); });
    t("matmul of a vector", [](const Given& g) { return pv::matmul(g.m, g.m(0, pv::all)); });
    t("kron", [](const Given& g) { return pv::kron(g.m, g.m); });
    t("outer", [](const Given& g) { return pv::clone(pv::outer(g.v, g.w)); });
    t("einsum", [](const Given& g) { return pv::einsum("ij,kj->ik", g.m, g.m); });
    t.given_about("softmax", [](const Given& g) { return pv::clone(pv::softmax(g.m, 1)); });
    t.given_about("logsumexp", [](const Given& g) { return pv::logsumexp(g.m, 1); });
    t("sums over dims", [](const Given& g) {
        pv::Dim i, j, k;
        return pv::order(pv::sum(g.m(i, k) * g.m(j, k), k), {i, j});
    });
    t("a computation", [](const Given& g) {
        const auto c = pv::computation([](const auto& x) { return x * 2 + pv::sum(x, {0}); },
                                       pv::spec<double>({4, 6}));
        return c(g.m);
    });
    t("emap",
      [](const Given& g) { return pv::clone(pv::emap([](double x) { return x + 1; }, g.v)); });
    t("contiguous", [](const Given& g) { return pv::contiguous(pv::transpose(g.m)); });
    t.refused("to_sparse", [](const Given& g) { return pv::to_dense(pv::to_sparse(g.v)); });
    t.refused("chunked", [](const Given& g) { return pv::clone(pv::chunked(g.m, {2, 3})); });
    t("blocks", [](const Given& g) {
        double sum = 0;
        for (const auto& block : pv::blocks(g.m, {2, 3})) sum += pv::sum(block.values);
        return sum;
    });
    t("dropout", [](const Given& g) { return pv::clone(pv::dropout(g.v, 0.5, 3)); });
    t("random_like", [](const Given& g) { return pv::clone(pv::random_like(g.v, 3)); });
    t("signbit and copysign",
      [](const Given& g) { return pv::clone(pv::copysign(g.w, g.v) * pv::signbit(g.v)); });
    t("integer_pow", [](const Given& g) { return pv::clone(pv::integer_pow(g.i, 3)); });
    t("get_significand", [](const Given& g) { return pv::clone(pv::get_significand(g.w)); });
    t("complex numbers",
      [](const Given& g) { return pv::clone(pv::abs(pv::cast<std::complex<double>>(g.v))); });
    return t.tried();
}

} // namespace families
