#include "support/source_path.hpp"
#include <support/catch.hpp>
#include <support/reads_of_chunks.hpp>
#include <support/settings.hpp>

#include <purview/chrono.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <complex>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// The section "How often each function reads" of docs/chunked_operations.md is what is measured here.
// tools/check_catalogue.py sees to it that each function of the catalogue is there, and here.

namespace reads_of_chunks_test {

namespace pv = purview;
using pv::index_t;
using reads_of_chunks::Given;
using reads_of_chunks::Measured;
using reads_of_chunks::Numbers;
struct Point {
    double x, y;
    bool operator==(const Point&) const = default;
};
using Seconds = std::chrono::sys_seconds;
using Milliseconds = std::chrono::sys_time<std::chrono::milliseconds>;

// A list of functions behind their names; what a call does with what is given.
#define READS_OF(...) #__VA_ARGS__, __VA_ARGS__
#define READS_BY(...) [=]([[maybe_unused]] const Given& g) { return __VA_ARGS__; }

void over_everything_and_axes(Measured& t) {
    t.all_over(READS_OF(
        pv::sum, pv::product, pv::mean, pv::min, pv::max, pv::count_true, pv::variance,
        pv::standard_deviation, pv::sample_variance, pv::sample_standard_deviation, pv::exact_sum,
        pv::magnitude, pv::standard_error, pv::skewness, pv::kurtosis, pv::sample_skewness,
        pv::sample_kurtosis, pv::quadratic_mean, pv::argmin, pv::argmax, pv::argmin_last,
        pv::argmax_last, pv::compensated_sum, pv::logsumexp, pv::magnitude_squared,
        pv::geometric_mean, pv::harmonic_mean, pv::median, pv::quartiles, pv::most_frequent,
        pv::first, pv::last, pv::max_with_index, pv::min_with_index));
    t.over("any_of", [](Numbers x, auto... a) { pv::any_of(x < 0, a...); });
    t.over("all_of", [](Numbers x, auto... a) { pv::all_of(x >= 0, a...); });
    t.over("moment", [](Numbers x, auto... a) { pv::moment(x, 5, a...); });
    t.over("percentile", [](Numbers x, auto... a) { pv::percentile(x, 30, a...); });
    t.over("quantile", [](Numbers x, auto... a) { pv::quantile(x, std::vector{.1, .5}, a...); });
    t.along("norm", [](Numbers x, index_t a) { pv::norm(x, 3, a); });
    t.call("norm", READS_BY(pv::norm(g.m.chunks, 2, {0, 1})));
    for (const auto& x : {&Given::v, &Given::m}) {
        t.call("outlier_fences", READS_BY(pv::outlier_fences((g.*x).chunks)));
        t.call("is_outlier", READS_BY(pv::is_outlier((g.*x).chunks)));
        t.call("normalize", READS_BY(pv::normalize((g.*x).chunks)));
        t.call("histogram", READS_BY(pv::histogram((g.*x).chunks, 10)));
        t.call("histogram_density", READS_BY(pv::histogram_density((g.*x).chunks, 10)));
        using enum pv::Statistic;
        t.call("descriptive_statistics",
               READS_BY(pv::descriptive_statistics((g.*x).chunks,
                                                   {mean, median, geometric_mean, harmonic_mean})));
    }
    t.pair("weighted_histogram", [](Numbers x, Numbers y) {
        pv::weighted_histogram(x, y, {10, 0., 1000.});
    });
    t.over("reduce", [](Numbers x, auto... a) {
        pv::reduce(x, std::vector<index_t>{a...}, pv::sum, pv::max);
    });
    t.all_along(READS_OF(pv::softmax));
    t.along("reduce_axis", [](Numbers x, index_t a) {
        pv::reduce_axis([](const auto& lane) { return static_cast<double>(pv::sum(lane)); }, x, a);
    });
}

void loops(Measured& t) {
    const auto step = [](const auto& u) { return u + pv::roll(u, 1, 0); };
    const auto cell = [](auto sum, auto row) { return std::pair(sum + pv::sum(row), sum); };
    const auto least = [](auto u) { return pv::min(u); };
    const auto most = [](auto u) { return pv::max(u); };
    for (const auto& x : {&Given::v, &Given::m}) {
        t.call("iterate", READS_BY(pv::iterate(step, (g.*x).chunks, 3)));
        t.call("iterate_while", READS_BY(pv::iterate_while(step, (g.*x).chunks,
                                                           [](auto u) { return pv::sum(u) < 0; })));
        t.call("scan_over", READS_BY(pv::scan_over(cell, 0., (g.*x).chunks)));
        t.call("choose", READS_BY(pv::choose(true, least, most, (g.*x).chunks)));
    }
}

void of_two(Measured& t) {
    t.all_pairs_over(READS_OF(pv::covariance, pv::sample_covariance, pv::pearson, pv::spearman,
                              pv::kendall, pv::linear_regression, pv::distance,
                              pv::distance_squared));
    t.pair("equals", [](Numbers x, Numbers y) { pv::equals(x, y, 1.); });
    t.pair("allclose", [](Numbers x, Numbers y) { pv::allclose(x, y); });
    t.pair("dot",
           [](Numbers x, Numbers y) { pv::dot(x | pv::reshape({-1}), y | pv::reshape({-1})); });
    const auto narrow = [](const auto& x) { return pv::reshape(x.chunks, {4096, 8}); };
    t.call("matmul", READS_BY(pv::matmul(narrow(g.v) | pv::transpose, narrow(g.w))));
    t.call("matmul", READS_BY(pv::matmul(g.m.chunks, g.n.memory(0, pv::all))));
    t.call("einsum", READS_BY(pv::einsum("ij,ik->jk", narrow(g.v), narrow(g.w))));
    const auto rows = [](const Given& g) { return pv::reshape(g.v.chunks, {2, -1}); };
    t.call("covariance_matrix", READS_BY(pv::covariance_matrix(rows(g))), 120 << 10);
    t.call("sample_covariance_matrix", READS_BY(pv::sample_covariance_matrix(rows(g))), 120 << 10);
    t.call("correlation_matrix", READS_BY(pv::correlation_matrix(rows(g))), 120 << 10);
    t.call("kron", READS_BY(pv::kron(g.m.chunks, pv::tensor({{1., 2.}}))));
}

void along_an_axis(Measured& t) {
    t.all_along(READS_OF(pv::cumsum, pv::cumprod, pv::cummin, pv::cummax, pv::forward_fill,
                         pv::backward_fill, pv::sort, pv::argsort, pv::ranks));
    t.along("scan", [](Numbers x, index_t a) {
        pv::scan(
            x, [](double s, double e) { return s / 2 + e; }, 0., a);
    });
    t.along("ewma", [](Numbers x, index_t a) { pv::ewma(x, {.span = 5}, a); });
    t.along("fixed_rolling_window",
            [](Numbers x, index_t a) { pv::fixed_rolling_window(x, 9, pv::mean, a); });
    const auto taps = pv::tensor({1., 2., -1.});
    t.along("convolve1d", [=](Numbers x, index_t a) { pv::convolve1d(x, taps, a); });
    t.along("correlate1d", [=](Numbers x, index_t a) { pv::correlate1d(x, taps, a); });
    t.along("gaussian1d", [](Numbers x, index_t a) { pv::gaussian1d(x, 1.5, a); });
    t.along("expanding_window", [](Numbers x, index_t a) { pv::expanding_window(x, pv::mean, a); });
    t.along("expanding_window",
            [](Numbers x, index_t a) { pv::expanding_window(x, pv::median, a); });
    t.along("variable_rolling_window", [](Numbers x, index_t a) {
        pv::variable_rolling_window(x, pv::arange(static_cast<double>(x.extent(a))), 2., pv::sum,
                                    a);
    });
    t.along("range_windows", [](Numbers x, index_t a) {
        pv::range_windows(x, pv::tensor({0, 5}), pv::tensor({10, 50}), pv::sum, a);
    });
    t.along("map_axis", [](Numbers x, index_t a) {
        pv::map_axis([](const auto& lane) { return pv::clone(lane * 2); }, x, a);
    });
    t.along("argpartition", [](Numbers x, index_t a) { pv::argpartition(x, 5, a); });
    t.along("topk", [](Numbers x, index_t a) { pv::topk(x, 5, a); });
    t.along("arg_min_n", [](Numbers x, index_t a) { pv::arg_min_n(x, 5, a); });
    t.along("arg_max_n", [](Numbers x, index_t a) { pv::arg_max_n(x, 5, a); });
    const auto before = [](double a, double b) { return b < a; };
    t.along("sort", [=](Numbers x, index_t a) { pv::sort(x, a, before); });
    t.along("argsort", [=](Numbers x, index_t a) { pv::argsort(x, a, before); });
    t.call("lexsort", READS_BY(pv::lexsort({g.k.chunks, g.v.chunks})));
    t.call("fill_range", READS_BY(pv::fill_range(g.sorted.chunks, 0.3)));
}

void indexes_and_searches(Measured& t) {
    const auto large = [](double e) { return e > 500; };
    for (const auto& x : {&Given::v, &Given::m}) {
        t.call("argfilter", READS_BY(pv::argfilter((g.*x).chunks > 1000)));
        t.call("argfilter", READS_BY(pv::argfilter(large, (g.*x).chunks)));
        t.call("flatnonzero", READS_BY(pv::flatnonzero((g.*x).chunks)));
        t.call("argwhere", READS_BY(pv::argwhere((g.*x).chunks > 1000)));
        t.call("index_set", READS_BY(pv::index_set((g.*x).chunks > 1000)));
        t.call("arggroup", READS_BY(pv::arggroup((g.*x).chunks)));
        t.call("arggroup_by", READS_BY(pv::arggroup_by(large, (g.*x).chunks)));
        t.call("group_by", READS_BY(pv::group_by((g.*x).chunks)));
        t.call("argpartition_by", READS_BY(pv::argpartition_by(large, (g.*x).chunks)));
        t.call("arglast_every", READS_BY(pv::arglast_every(
                                    [](double a, double b) { return a >= b; }, (g.*x).chunks)));
        t.call("index_of", READS_BY(pv::index_of((g.*x).chunks, -1.)));
        t.call("last_index_of", READS_BY(pv::last_index_of((g.*x).chunks, -1.)));
        t.call("searchsorted", READS_BY(pv::searchsorted(g.sorted.chunks, (g.*x).chunks)));
        t.call("interp", READS_BY(pv::interp((g.*x).chunks, g.sorted.chunks, g.w.chunks)));
        t.call("digitize", READS_BY(pv::digitize((g.*x).chunks, g.sorted.chunks)));
        t.call("unique", READS_BY(pv::unique((g.*x).chunks)));
        t.call("unique_all", READS_BY(pv::unique_all((g.*x).chunks)));
        t.call("isin", READS_BY(pv::isin((g.*x).chunks, g.w.chunks)));
    }
    t.call("binary_search", READS_BY(pv::binary_search(g.sorted.chunks, 77.)));
    t.call("arg_compare", READS_BY(pv::arg_compare(g.v.chunks)));
    t.call("choice", READS_BY(pv::choice(g.v.memory, 5, 3, {.weights = g.v.chunks})));
    t.call("unravel_index", READS_BY(pv::unravel_index(pv::AnyTensor(g.k.chunks), {1000, 10})));
    t.call("index_union", READS_BY(pv::index_union(g.k.chunks, g.l.chunks)));
    t.call("index_intersection", READS_BY(pv::index_intersection(g.k.chunks, g.l.chunks)));
    t.call("index_difference", READS_BY(pv::index_difference(g.k.chunks, g.l.chunks)));
    t.call("as_of", READS_BY(pv::as_of(g.sorted.chunks, g.sorted.memory)));
    t.call("as_of", READS_BY(pv::as_of(g.sorted.memory, g.sorted.chunks)));
    t.call("join", READS_BY(pv::join(g.l.chunks, g.k.chunks)));
    t.call("join", READS_BY(pv::join({g.k.chunks, g.v.chunks}, {g.l.chunks, g.w.chunks})));
    t.call("bincount", READS_BY(pv::bincount(g.k.chunks, g.v.chunks)));
    for (const auto& key : {&Given::k, &Given::l}) {
        const auto by = [=](const Given& g) { return (g.*key).chunks; };
        t.call("group_by_reduce", READS_BY(pv::group_by_reduce(by(g), g.v.chunks, pv::sum)));
        t.call("group_by_reduce", READS_BY(pv::group_by_reduce(by(g), g.v.chunks, pv::median)));
        t.call("unordered_group_by_reduce",
               READS_BY(pv::unordered_group_by_reduce(by(g), g.v.chunks, pv::sum)));
    }
}

void copies(Measured& t) {
    t.call("clone", READS_BY(pv::clone(g.m.chunks)));
    t.call("clone", READS_BY(pv::clone(g.m.chunks | pv::transpose)));
    t.call("contiguous", READS_BY(pv::contiguous(g.m.chunks)));
    t.call("to_dense", READS_BY(pv::to_dense(g.m.chunks)));
    t.call("to_sparse", READS_BY(pv::to_sparse(g.m.chunks, 0.)));
    t.call("to_vector", READS_BY(pv::to_vector(g.m.chunks)));
    t.call("to_nested", READS_BY(pv::to_nested<2>(g.m.chunks)));
    t.call("copy", READS_BY(pv::copy(g.m.chunks, pv::empty<double>({512, 64}))));
    t.call("blocks", [](const Given& g) {
        for (const auto& block : pv::blocks(g.m.chunks, {64, 32})) pv::sum(block.values);
    });
    t.call("colorize", READS_BY(pv::colorize(g.m.chunks, pv::gradients::viridis)));
    t.call("fill", READS_BY(pv::fill(g.n.chunks, 3.)));
    t.call("zeros_like ones_like", READS_BY(pv::zeros_like(g.m.chunks), pv::ones_like(g.m.chunks)));
    t.call("full_like empty_like",
           READS_BY(pv::full_like(g.m.chunks, 1.), pv::empty_like(g.m.chunks)));
    t.call("random_like", READS_BY(pv::clone(pv::random_like(g.m.chunks, 5))));
    const pv::Dim i, j, k, rows;
    t.call("cat", READS_BY(pv::cat({g.m.chunks(i, j), g.n.chunks(i, j)}, i, k)));
    const auto x = pv::zeros<double>({1009});
    t.call("assign", READS_BY(pv::assign(x(g.k.chunks(rows)), g.v.chunks(rows))));
    t.call("add_to", READS_BY(pv::add_to(x(g.k.chunks(rows)), g.v.chunks(rows))));
    t.call("minimum_at", READS_BY(pv::minimum_at(x(g.k.chunks(rows)), g.v.chunks(rows))));
    t.call("maximum_at", READS_BY(pv::maximum_at(x(g.k.chunks(rows)), g.v.chunks(rows))));
}

void functions_of_elements(Measured& t) {
    const auto number = [](const Given& g) { return std::tuple(g.m.chunks); };
    const auto two = [](const Given& g) { return std::tuple(g.m.chunks, g.n.chunks); };
    const auto integer = [](const Given& g) { return std::tuple(g.k.chunks); };
    const auto integers = [](const Given& g) { return std::tuple(g.k.chunks, g.l.chunks); };
    t.all_lazy(number,
               READS_OF(pv::exp, pv::exp2, pv::log, pv::log2, pv::log10, pv::expm1, pv::log1p,
                        pv::cbrt, pv::sin, pv::cos, pv::tan, pv::asin, pv::acos, pv::atan, pv::sinh,
                        pv::cosh, pv::tanh, pv::asinh, pv::acosh, pv::atanh, pv::erf, pv::erfc,
                        pv::logistic, pv::sqrt, pv::reciprocal, pv::to_degrees, pv::to_radians,
                        pv::floor, pv::ceil, pv::round, pv::rint, pv::trunc, pv::next_up,
                        pv::next_down, pv::ulp, pv::signbit, pv::get_significand, pv::abs, pv::sq,
                        pv::signum, pv::relu, pv::identity, pv::is_nan, pv::is_infinite,
                        pv::is_finite, pv::is_zero, pv::is_pos, pv::is_neg, pv::is_integral,
                        pv::nan_to_num, pv::to_text));
    t.all_lazy(two, READS_OF(pv::pow, pv::hypot, pv::logaddexp, pv::atan2, pv::ieee_remainder,
                             pv::nextafter, pv::copysign, pv::minimum, pv::maximum, pv::mod,
                             pv::floor_divide, pv::close_to, pv::isclose));
    t.all_lazy(integer, READS_OF(pv::is_even, pv::is_odd));
    t.all_lazy(integers, READS_OF(pv::unsigned_shift_right, pv::bit_and_not, pv::bit_set,
                                  pv::bit_clear, pv::bit_flip, pv::bit_test));
    t.lazy("integer_pow", READS_BY(pv::integer_pow(g.k.chunks, 2)));
    t.lazy("quot rem", READS_BY(pv::quot(g.k.chunks, 2) + pv::rem(g.k.chunks, 3)));
    t.lazy("clamp", READS_BY(pv::clamp(g.m.chunks, 1, 2)));
    t.lazy("where", READS_BY(pv::where(g.m.chunks > 3, g.n.chunks, 0.)));
    t.lazy("cast unchecked_cast",
           READS_BY(pv::cast<int>(g.m.chunks) + pv::unchecked_cast<int>(g.n.chunks)));
    t.lazy("emap", READS_BY(pv::emap([](double x) { return x * x; }, g.m.chunks)));
    t.lazy("dropout", READS_BY(pv::dropout(g.m.chunks, .5, 3)));
    const auto complex = [](const Given& g) {
        return std::tuple(pv::cast<std::complex<double>>(g.m.chunks));
    };
    t.all_lazy(complex, READS_OF(pv::real, pv::imag, pv::conj, pv::angle));
    const auto text = [](const Given& g) { return std::tuple(pv::to_text(g.k.chunks)); };
    t.all_lazy(text, READS_OF(pv::to_lower, pv::to_upper, pv::trim, pv::text_length));
    const auto part = [](const Given& g) { return std::tuple(pv::to_text(g.k.chunks), "1"); };
    t.all_lazy(part, READS_OF(pv::find_text, pv::contains, pv::starts_with, pv::ends_with));
    t.lazy("substring", READS_BY(pv::substring(pv::to_text(g.k.chunks), 1)));
    t.lazy("replace_all", READS_BY(pv::replace_all(pv::to_text(g.k.chunks), "1", "2")));
    t.lazy("parse", READS_BY(pv::parse<double>(pv::to_text(g.k.chunks))));
    t.lazy("structs column",
           READS_BY(pv::column(pv::structs<Point>(g.m.chunks, g.n.chunks), &Point::x)));
    t.lazy("small_vectors components",
           READS_BY(pv::components(pv::small_vectors<2>(pv::reshape(g.v.chunks * 2, {-1, 2})))));
    const auto time = [](const Given& g) {
        return std::tuple(pv::from_ticks<Milliseconds>(g.k.chunks));
    };
    t.all_lazy(time, READS_OF(pv::year_of, pv::quarter_of, pv::month_of, pv::day_of,
                              pv::day_of_year, pv::day_of_week, pv::iso_week_of, pv::iso_year_of,
                              pv::hour_of, pv::minute_of, pv::second_of, pv::millisecond_of,
                              pv::microsecond_of, pv::nanosecond_of, pv::is_nat, pv::ticks,
                              pv::week_start, pv::month_start, pv::year_start, pv::format_times));
    using std::chrono::hours;
    const auto times = [](const Given& g) { return pv::from_ticks<Seconds>(g.k.chunks); };
    t.lazy("from_ticks epoch", READS_BY(pv::epoch<hours>(times(g))));
    t.lazy("floor_time", READS_BY(pv::floor_time<hours>(times(g))));
    t.lazy("ceil_time", READS_BY(pv::ceil_time<hours>(times(g))));
    t.lazy("round_time", READS_BY(pv::round_time<hours>(times(g))));
    t.lazy("between", READS_BY(pv::between<hours>(times(g), times(g))));
    t.lazy("parse_times", READS_BY(pv::parse_times<Seconds>(pv::format_times(times(g)))));
    t.lazy("plus_months",
           READS_BY(pv::plus_months(pv::floor_time<std::chrono::days>(times(g)), 2)));
    t.lazy("dates", READS_BY(pv::dates(g.k.chunks, 1, 2)));
}

void views(Measured& t) {
    t.lazy("transpose", READS_BY(pv::transpose(g.m.chunks)));
    t.lazy("swap_axes move_axis", READS_BY(pv::move_axis(pv::swap_axes(g.m.chunks, 0, 1), 0, 1)));
    t.lazy("insert_axis squeeze", READS_BY(pv::squeeze(pv::insert_axis(g.m.chunks, 0), 0)));
    t.lazy("select", READS_BY(g.m.chunks | pv::select(pv::range(0, 500), pv::all)));
    t.lazy("flip rot90", READS_BY(pv::rot90(pv::flip(g.m.chunks))));
    t.lazy("split", READS_BY(pv::split(g.m.chunks, 0, {400, 112})[0]));
    t.lazy("chunk", READS_BY(pv::chunk(g.m.chunks, 2)[0]));
    t.lazy("rows", READS_BY(pv::rows(g.m.chunks)[0]));
    t.lazy("columns", READS_BY(pv::columns(g.m.chunks)[0]));
    t.lazy("slice slice_right",
           READS_BY(pv::slice(g.m.chunks, 1)[0] + pv::sum(pv::slice_right(g.n.memory, 1)[0])));
    t.lazy("broadcast", READS_BY(pv::broadcast(g.m.chunks, {2, 512, 64})));
    t.lazy("concat", READS_BY(pv::concat(g.m.chunks, g.n.chunks, 1)));
    t.lazy("stack", READS_BY(pv::stack({g.m.chunks, g.n.chunks}, 1)));
    t.lazy("chunked", READS_BY(pv::chunked(g.m.chunks * 2, {64, 32})));
    t.lazy("triu tril", READS_BY(pv::triu(g.m.chunks) + pv::tril(g.n.chunks)));
    t.lazy("diag diagonal", READS_BY(pv::diag(g.m.chunks) + pv::diagonal(g.n.chunks)));
    t.lazy("outer meshgrid", READS_BY(pv::outer(g.m.chunks(pv::all, 3), g.n.chunks(5, pv::all))));
    t.lazy("downsample", READS_BY(pv::downsample(g.v.chunks, 100)));
    const pv::Dim i, j, k, chosen;
    k.set_size(2);
    t.lazy("order", READS_BY(pv::order(g.m.chunks(i, j), {j, i})));
    t.lazy("unbind", READS_BY(pv::order(pv::unbind(g.m.chunks(i, j), j)[0], {i})));
    t.lazy("expand", READS_BY(g.m.chunks(i, j) | pv::expand(k) | pv::order(i, j)));
    t.lazy("rearrange", READS_BY(pv::rearrange("a (b c) -> c a b", g.m.chunks, {{"b", 2}})));
    // The neighbours of elements lie in the next chunk.
    t.lazy("pad", READS_BY(pv::pad(g.m.chunks, 2, pv::PadMode::reflect)));
    t.lazy("tile", READS_BY(pv::tile(g.m.chunks, {2, 1})));
    t.lazy("repeat", READS_BY(pv::repeat(g.m.chunks, 3, 0)));
    t.lazy("roll", READS_BY(pv::roll(g.m.chunks, 3, 0)));
    t.lazy("rotate", READS_BY(pv::rotate(g.m.chunks, {3, 5})));
    t.lazy("sliding_window", READS_BY(pv::sliding_window(g.m.chunks, 0, 3, 1)));
    t.lazy("diff1d", READS_BY(pv::diff1d(g.v.chunks)));
    t.lazy("gradient1d", READS_BY(pv::gradient1d(g.v.chunks)));
    // In an order of their own.
    t.lazy("reshape", READS_BY(pv::reshape(g.m.chunks | pv::transpose, {512, 64})), true);
    t.lazy("take", READS_BY(pv::take(g.v.chunks, g.l.memory, 0)), true);
    t.lazy("take_along_axis",
           READS_BY(pv::take_along_axis(g.m.chunks, pv::argsort(g.n.memory, 0), 0)), true);
    t.lazy("sample choice", READS_BY(pv::sample(g.m.chunks, 5, 3) + pv::choice(g.n.chunks, 5, 3)),
           true);
    t.lazy("index", READS_BY(pv::index(g.m.chunks(i, j), i, g.k.chunks(chosen))), true);
    t.lazy(
        "complex_view",
        READS_BY(pv::complex_view(
            {5}, [](index_t) { return 0; },
            std::pair(pv::Tensor<double>(g.v.chunks), [](index_t at) { return pv::Shape{at}; }))),
        true);
}

TEST_CASE("each function reads chunks as often as the page says") {
    const oracle::Threads one(1); // the most often: threads share what is cached
    Measured t;
    loops(t);
    over_everything_and_axes(t);
    of_two(t);
    along_an_axis(t);
    indexes_and_searches(t);
    copies(t);
    functions_of_elements(t);
    views(t);
    const auto page = reads_of_chunks::table_of_page(source_path("docs/chunked_operations.md"));
    for (const auto& [name, found] : t.table()) {
        // Others are lazy functions of elements, which the page names by their pages.
        const auto said = page.find(name);
        const std::set<std::string> expected =
            said != page.end() ? said->second : std::set<std::string>{"lazy, 1"};
        CAPTURE(name);
        CHECK(found == expected);
    }
    for (const auto& [name, said] : page) {
        CAPTURE(name, said);
        CHECK(t.table().contains(name));
    }
}

#undef READS_OF
#undef READS_BY

} // namespace reads_of_chunks_test
