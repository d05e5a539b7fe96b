#include <support/results_elsewhere.hpp>

#include <purview/chrono.hpp>
#include <purview/purview.hpp>

#include <complex>
#include <functional>
#include <tuple>
#include <vector>

// Places, groups and copies lie where their sources lie; numbers and sets are of this process.

namespace places_elsewhere_test {

namespace {

using namespace elsewhere;
using purview::clone;

} // namespace

TEST_CASE("places and groups lie where their sources lie") {
    using namespace pv;
    check({
        both("searchsorted", [](const auto& s) { return searchsorted(s.up, s.v); }),
        both("digitize", [](const auto& s) { return digitize(s.v, s.up); }),
        both("interp", [](const auto& s) { return interp(s.v, s.up, s.w); }),
        both("isin", [](const auto& s) { return isin(s.x, s.v); }),
        both("isin of int64", [](const auto& s) { return isin(s.i, s.k); }),
        both("unique", [](const auto& s) { return unique(s.x); }),
        both("unique of int64", [](const auto& s) { return unique(s.k); }),
        typed("unique_all", [](const auto& s) { return unique_all(s.x).inverse; }),
        typed("unique_all counts", [](const auto& s) { return unique_all(s.k).counts; }),
        typed("unique_all firsts", [](const auto& s) { return unique_all(s.k).first_indexes; }),
        both("lexsort",
             [](const auto& s) {
                 return lexsort({s.k, s.v});
             }),
        both("bincount", [](const auto& s) { return bincount(s.k); }),
        both("bincount of weights", [](const auto& s) { return bincount(s.k, s.v); }),
        both("as_of", [](const auto& s) { return as_of(s.up, s.up); }),
        both("histogram", [](const auto& s) { return histogram(s.x, 4).counts; }),
        both("histogram edges", [](const auto& s) { return histogram(s.x, 4).edges; }),
        both("weighted_histogram",
             [](const auto& s) { return weighted_histogram(s.v, s.w, 3).heights; }),
        both("histogram_density", [](const auto& s) { return histogram_density(s.v, 3).heights; }),
        both("argfilter", [](const auto& s) { return argfilter(s.b); }),
        both("flatnonzero", [](const auto& s) { return flatnonzero(s.x); }),
        both("argwhere", [](const auto& s) { return argwhere(s.b); }),
        both("filter", [](const auto& s) { return clone(s.x(s.b)); }),
        typed("argfilter by a function",
              [](const auto& s) { return argfilter([](double x) { return x > 0; }, s.v); }),
        typed("group_by_reduce keys",
              [](const auto& s) { return std::get<0>(group_by_reduce(s.k, s.v, sum)); }),
        typed("group_by_reduce sum",
              [](const auto& s) { return std::get<1>(group_by_reduce(s.k, s.v, sum)); }),
        typed("group_by_reduce median",
              [](const auto& s) { return std::get<1>(group_by_reduce(s.k, s.v, median)); }),
        typed("unordered_group_by_reduce",
              [](const auto& s) { return std::get<1>(unordered_group_by_reduce(s.k, s.v, mean)); }),
        typed("group_by_reduce of floats",
              [](const auto& s) { return std::get<0>(group_by_reduce(s.w, s.v, max)); }),
        // A table of groups.
        typed(
            "arggroup", [](const auto& s) { return arggroup(s.k).indexes(0); }, true),
        typed("group_by_reduce of numbers",
              [](const auto& s) {
                  return std::get<1>(group_by_reduce(s.n, s.gaps, mean(skip_nan)));
              }),
        typed("group_by_reduce of two keys",
              [](const auto& s) {
                  return std::get<1>(group_by_reduce(std::tuple(s.k, s.m), std::tuple(s.v, max)));
              }),
        typed("group_by_reduce of a function",
              [](const auto& s) {
                  return std::get<1>(group_by_reduce(
                      s.k, s.v, [](const Tensor<double>& x) { return sum(x) / 2; }));
              }),
        both("as_of by keys",
             [](const auto& s) {
                 return as_of(s.up, s.up,
                              {.left_by = {AnyTensor(s.k)}, .right_by = {AnyTensor(s.k)}});
             }),
        both("join", [](const auto& s) { return join(AnyTensor(s.k), AnyTensor(s.m)).right; }),
        both("interp with a period",
             [](const auto& s) { return interp(s.v, s.up, s.w, {.period = 5.0}); }),
        both("digitize down", [](const auto& s) { return digitize(s.v, flip(s.up)); }),
        typed("histogram over a dim",
              [](const auto& s) {
                  const Dim i("i");
                  return order(histogram(s.x(i, all), {3, -8.0, 9.0}).counts, i);
              }),
        typed("covariance_matrix under a dim",
              [](const auto& s) {
                  const Dim i("i");
                  return order(covariance_matrix(reshape(s.x, {2, 2, 5})(i, all, all)), i);
              }),
        typed("choice by weights",
              [](const auto& s) { return choice(s.v, 3, 5, {.weights = pv::abs(s.w) + 1.0}); }),
        both("elements of a list", [](const auto& s) { return clone(s.v(s.k)); }),
        both("unravel_index",
             [](const auto& s) {
                 return unravel_index(s.k, {2, 2})[1];
             }),
    });
}

TEST_CASE("copies lie where their sources lie") {
    using namespace pv;
    check({
        both("clone", [](const auto& s) { return clone(s.x); }),
        both("clone of a view", [](const auto& s) { return clone(transpose(s.i)); }),
        both("clone of a cast", [](const auto& s) { return clone(cast<float>(s.x)); }),
        both("clone of take", [](const auto& s) { return clone(take(s.x, s.n(0, all), 0)); }),
        both("clone of take_along_axis",
             [](const auto& s) { return clone(take_along_axis(s.x, s.n, 0)); }),
        both("clone of concat",
             [](const auto& s) {
                 return clone(concat({s.x, s.y}, 1));
             }),
        both("clone of pad",
             [](const auto& s) {
                 return clone(pad(s.x, {{1, 1}, {0, 2}}));
             }),
        both("clone of where", [](const auto& s) { return clone(where(s.b, s.x, s.y)); }),
        both("clone of tile",
             [](const auto& s) {
                 return clone(tile(s.x, {2, 1}));
             }),
        both("clone of triu", [](const auto& s) { return clone(triu(s.x)); }),
        both("clone of diag", [](const auto& s) { return clone(diag(s.v)); }),
        both("zeros_like", [](const auto& s) { return zeros_like(s.x); }),
        both("ones_like", [](const auto& s) { return ones_like(s.i); }),
        both("full_like", [](const auto& s) { return full_like(s.f, 3); }),
        typed("to_dense", [](const auto& s) { return to_dense(s.x); }),
        both("sample", [](const auto& s) { return sample(s.x, 2, 5); }),
        both("dropout", [](const auto& s) { return clone(dropout(s.x, 0.5, 7)); }),
        typed("add_to",
              [](const auto& s) {
                  const auto to = zeros_like(s.v);
                  add_to(take(to, s.k, 0), s.v);
                  return to;
              }),
        typed("maximum_at",
              [](const auto& s) {
                  const auto to = zeros_like(s.v);
                  maximum_at(take(to, s.k, 0), s.v);
                  return to;
              }),
        typed("fill",
              [](const auto& s) {
                  const auto to = clone(s.x);
                  fill(to(all, 1), 7.0);
                  return to;
              }),
        typed("+=",
              [](const auto& s) {
                  const auto to = clone(s.x);
                  to += s.y;
                  return to;
              }),
        both("contiguous", [](const auto& s) { return contiguous(s.x); }),
        typed(
            "to_sparse", [](const auto& s) { return to_sparse(s.x); }, true),
        typed("colorize", [](const auto& s) { return clone(colorize(s.x, gradients::viridis)); }),
    });
}

TEST_CASE("times, float16 and complex numbers that lie elsewhere") {
    using namespace pv;
    check({
        both("sort of times", [](const auto& s) { return sort(s.t); }),
        both("argsort of times", [](const auto& s) { return argsort(s.t); }),
        both("max of times", [](const auto& s) { return max(s.t, 0); }),
        both("median of times", [](const auto& s) { return median(s.t, 0); }),
        both("mean of times", [](const auto& s) { return mean(s.t, 0); }),
        both("unique of times", [](const auto& s) { return unique(s.t); }),
        both("clone of times", [](const auto& s) { return clone(s.t); }),
        both("searchsorted of times", [](const auto& s) { return searchsorted(s.late, s.t); }),
        both("as_of of times", [](const auto& s) { return as_of(s.late, s.late); }),
        both("isin of times", [](const auto& s) { return isin(s.t, s.t); }),
        typed("days", [](const auto& s) { return clone(day_of_week(s.t)); }),
    });
    const auto halves = [](const auto& s) { return cast<pv::Half>(s.x); };
    check({
        typed("sum of float16", [=](const auto& s) { return sum(halves(s), 0); }),
        typed("clone of float16", [=](const auto& s) { return clone(halves(s)); }),
        typed("max of float16", [=](const auto& s) { return max(halves(s), 1); }),
        typed("texts", [](const auto& s) { return clone(to_text(s.i)); }),
        typed("sort of texts", [](const auto& s) { return sort(to_text(s.i), 1); }),
        typed("argsort of texts", [](const auto& s) { return argsort(to_text(s.i), 1); }),
        typed("unique of texts", [](const auto& s) { return unique(to_text(s.k)); }),
        typed("max of texts", [](const auto& s) { return max(to_text(s.i), 1); }),
    });
}

TEST_CASE("complex and sparse sources beside what lies elsewhere") {
    using namespace pv;
    using Complex = std::complex<double>;
    const Tensor<double> sparse = sparse_tensor<double>({4, 5}, {2, 7, 8, 19}, {1., 2., 3., 4.});
    const Tensor<Complex> complex = full<Complex>({4, 5}, Complex(1, 2));
    const auto dense = [](const auto& x) { return AnyTensor(to_dense(x)); };
    check({
        typed("sum of sparse ones", [=](const auto& s) { return dense(sum(sparse * s.x, 1)); }),
        typed("sum of both", [=](const auto& s) { return dense(sum(sparse + s.x, 0)); }),
        typed("clone of both", [=](const auto& s) { return dense(clone(sparse * s.x)); }),
        typed("max of both", [=](const auto& s) { return dense(max(sparse + s.x, 0)); }),
        typed("median of both", [=](const auto& s) { return median(to_dense(sparse) + s.x, 0); }),
        typed("matmul of both",
              [=](const auto& s) { return dense(matmul(transpose(sparse), s.x)); }),
        typed("sum of complex numbers", [=](const auto& s) { return sum(complex * s.x, 0); }),
        typed("clone of complex numbers", [=](const auto& s) { return clone(complex * s.x); }),
        typed("mean of complex numbers", [=](const auto& s) { return mean(complex + s.x, 1); }),
        typed("moduli", [=](const auto& s) { return clone(pv::abs(complex * s.x)); }),
        typed(
            "to_sparse", [=](const auto& s) { return dense(to_sparse(s.x)); }, true),
    });
}

TEST_CASE("nothing that lies elsewhere") {
    using namespace pv;
    const auto none = [](const auto& x) { return x(range(0, 0), all); };
    check({
        both("sum", [=](const auto& s) { return sum(none(s.x), 0); }),
        both("mean", [=](const auto& s) { return mean(none(s.x), 1); }),
        both("median", [=](const auto& s) { return median(none(s.x), 0); }),
        both("cumsum", [=](const auto& s) { return cumsum(none(s.x), 0); }),
        both("sort", [=](const auto& s) { return sort(none(s.x), 1); }),
        both("argsort", [=](const auto& s) { return argsort(none(s.x), 0); }),
        both("unique", [=](const auto& s) { return unique(none(s.x)); }),
        both("argfilter", [=](const auto& s) { return argfilter(none(s.b)); }),
        both("clone", [=](const auto& s) { return clone(none(s.x)); }),
        both("searchsorted", [=](const auto& s) { return searchsorted(s.up, none(s.x)); }),
        both("histogram", [=](const auto& s) { return histogram(none(s.x), 3).counts; }),
        both("matmul", [=](const auto& s) { return matmul(none(s.x), s.a); }),
        typed("einsum", [=](const auto& s) { return einsum("ij,jk->ik", none(s.x), s.a); }),
        typed(
            "group_by_reduce",
            [=](const auto& s) { return std::get<1>(group_by_reduce(none(s.i), none(s.x), sum)); }),
    });
}

TEST_CASE("numbers, sets and computations of what lies elsewhere are of this process") {
    using namespace pv;
    const Arguments<Typed> here = arguments();
    const Arguments<Typed> there = away_of(here);
    const auto numbers = [](const auto& s) {
        std::vector<double> all{
            sum(s.x),      mean(s.i),          variance(s.f),        median(s.x),
            norm(s.x),     norm(s.x, 1),       pearson(s.x, s.y),    spearman(s.v, s.w),
            dot(s.v, s.w), most_frequent(s.x), sum(s.gaps, skip_nan)};
        const auto add = [&](auto... value) { (all.push_back(static_cast<double>(value)), ...); };
        add(argmax(s.x), all_of(s.b), count_true(s.b), s.x(1, 2), *index_of(s.v, s.v(3)));
        add(binary_search(s.up, s.up(4)).position, searchsorted(s.up, 12.0));
        add(equals(s.x, s.x), allclose(s.x, s.y), arglast_every(std::greater<>(), s.v));
        add(linear_regression(s.x, s.y).slope, max_with_index(s.x).indexes);
        for (const double each : s.x) add(each);
        for (const auto index : to_vector(index_set(s.b).reader())) add(index);
        for (const auto index : to_vector(index_union(s.k, s.k + 2))) add(index);
        for (const auto& [key, set] : group_by(s.k)) add(key, set.size());
        const auto twice =
            computation([](Symbol<double> x) { return x * 2.0 + sum(x); }, spec<double>({7}));
        for (const double each : twice(s.v)) add(each);
        return all;
    };
    // Sums there are in another order.
    check_same(tensor(numbers(there)), tensor(numbers(here)));
    CHECK(elsewhere::printed(there.x) == to_string(here.x));
}

} // namespace places_elsewhere_test
