#include "named_support.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <vector>

namespace every_function_test {

namespace {

using pv::index_t;
using Elements = std::vector<double>;

/// Elements of what a function returns, as doubles: of a tensor, a number or a bool.
template <typename R>
Elements elements_of(const R& result) {
    if constexpr (pv::TensorLike<R>)
        return pv::to_vector(pv::cast<double>(pv::Tensor<typename R::value_type>(result)));
    else
        return {static_cast<double>(result)};
}

/// Equal but for rounding: sums over dims may be added in another order.
bool alike(const Elements& a, const Elements& b) {
    return std::ranges::equal(a, b, [](double x, double y) {
        return x == y || (std::isnan(x) && std::isnan(y)) ||
               std::abs(x - y) <= 1e-14 * std::max(std::abs(x), std::abs(y));
    });
}

// What is compared is compiled for each type of results, of which there are few, and not for each function.

/// A function's result for a bound Dim, and for one behind another axis, beside its results for the tensors at each index.
template <typename Bound, typename Turned, typename Plain>
void check_results(const Bound& bound, const Turned& behind, const pv::Dim& i, const pv::Dim& j,
                   const Plain& first, const Plain& second) {
    STATIC_REQUIRE(!pv::StageLike<Bound>);
    const auto made = pv::order(bound, i);
    CHECK(alike(elements_of(made(0, pv::ellipsis)), elements_of(first)));
    CHECK(alike(elements_of(made(1, pv::ellipsis)), elements_of(second)));
    const auto turned = pv::order(behind, j);
    CHECK(turned.shape() == made.shape());
    CHECK(alike(elements_of(turned), elements_of(made)));
}

pv::Tensor<double> batch() {
    return pv::tensor(Elements{3., -1., 2.5, 4.,   4., -7., 0.5, 8., 1.,  1., 6., -2.,
                               9., 5.,  11., 0.25, 3., 2.,  -3., 4., 12., 7., 2., 1.},
                      {2, 3, 4});
}

/// What each function is asked for: made in one place, and not once more by each of them.
struct Batches {
    pv::Dim i{"i"};
    // The Dim behind another one, and without positional axes in front of it.
    pv::Dim j{"j"};
    pv::Tensor<double> x = batch();
    pv::Tensor<double> turned = pv::transpose(x, {1, 0, 2});
    decltype(x(i)) bound = x(i);
    decltype(turned(pv::all, j)) behind = turned(pv::all, j);
    pv::Tensor<double> first = x(0, pv::ellipsis);
    pv::Tensor<double> second = x(1, pv::ellipsis);
};

/// Whether a function of a tensor with a bound Dim does for each of its indexes what it does for plain tensors.
template <typename F>
void check_batches(const char* name, const F& function) {
    INFO(name);
    const Batches given;
    check_results(function(given.bound), function(given.behind), given.i, given.j,
                  function(given.first), function(given.second));
}

pv::Tensor<double> rows() {
    return pv::tensor(Elements{3., -1., 2.5, 4., 4., -7., 0.5, 8., 1., 1., 6., -2.}, {3, 4});
}

template <typename Made, typename Plain>
void check_along(const Made& made, const Plain& plain, const pv::Dim& i, const pv::Dim& j,
                 bool stays) {
    STATIC_REQUIRE(!pv::StageLike<Made>);
    CHECK(
        alike(elements_of(stays ? pv::order(made, j, i) : pv::order(made, j)), elements_of(plain)));
}

/// Whether a Dim stands where an axis does: what a function does along a Dim is what it does along the axis, which goes
/// or becomes the first one.
template <typename AlongAxis, typename AlongDim>
void check_dim_as_axis(const char* name, const AlongAxis& plain, const AlongDim& over,
                       bool stays = false) {
    INFO(name);
    const pv::Tensor<double> x = rows();
    const auto [i, j] = pv::dims("i", "j");
    check_along(over(x(i, j), i), plain(pv::Tensor<double>(pv::transpose(x))), i, j, stays);
}

/// Whether a function of a handle that converts to a number works on it, and is no stage.
template <typename F>
void check_of_number(const char* name, const F& function) {
    INFO(name);
    const pv::Tensor<double> rank0 = pv::const_tensor(2.5, {});
    const pv::Dim i("i");
    const auto handle = pv::tensor({1., 2.5, 3.})(i) | pv::order(i);
    const auto number = handle(1);
    const auto made = function(number);
    STATIC_REQUIRE(!pv::StageLike<decltype(made)>);
    CHECK(elements_of(made) == elements_of(function(rank0)));
}

/// Whether there is no such call.
template <typename F, typename... A>
consteval bool is_refused() {
    return !std::invocable<F, const A&...>;
}

} // namespace

#define ON(call) #call, [](const auto& x) { return call; }

TEST_CASE("every function batches over a bound Dim") {
    SECTION("views") {
        check_batches(ON(pv::transpose(x, {1, 0})));
        check_batches(ON(pv::transpose(x)));
        check_batches(ON(pv::swap_axes(x, 0, 1)));
        check_batches(ON(pv::move_axis(x, -1, 0)));
        check_batches(ON(pv::reshape(x, {2, -1})));
        check_batches(ON(pv::reshape(x, {-1})));
        check_batches(ON(pv::insert_axis(x, 1)));
        check_batches(ON(pv::squeeze(pv::insert_axis(x, 1))));
        check_batches(ON(pv::squeeze(pv::insert_axis(x, 1), {1})));
        check_batches(ON(pv::flip(x)));
        check_batches(ON(pv::flip(x, {0})));
        check_batches(ON(pv::rotate(x, {0, 1})));
        check_batches(ON(pv::diagonal(x)));
        check_batches(ON(pv::diagonal(x, 1)));
        check_batches(ON(pv::diagonal(x, -1, 1, 0)));
        check_batches(ON(pv::broadcast(x, {6, 8})));
        check_batches(ON(pv::broadcast(x, {2, 3, 4})));
        check_batches(ON(pv::sliding_window(x, 1, 2)));
        check_batches(ON(pv::sliding_window(x, 0, 2, 1)));
        check_batches(ON(pv::tile(x, {2})));
        check_batches(ON(pv::tile(x, {2, 1})));
        check_batches(ON(pv::tile(x, {3, 1, 2})));
        check_batches(ON(pv::tile(x, {0, 2})));
        check_batches(ON(pv::tile(x, {})));
        check_batches(ON(pv::repeat(x, 2, 1)));
        check_batches(ON(pv::roll(x, 1, 0)));
        check_batches(ON(pv::downsample(x, 2)));
        check_batches(ON(pv::downsample(x, 2, 0)));
        check_batches(ON(x(1, pv::all)));
        check_batches(ON(x(pv::all, pv::range(1, 3))));
        check_batches(ON(x(pv::new_axis, pv::indexes({2, 0}))));
        check_batches(ON(x | pv::select(pv::all, 1)));
        check_batches(ON(pv::rearrange("a (b c) -> c a b", x, {{"c", 2}})));
    }
    SECTION("joining") {
        check_batches(ON(pv::concat(x, x)));
        check_batches(ON(pv::concat(x, x, 1)));
        check_batches(ON(pv::concat(x, pv::cast<float>(x), x, x, -1)));
        check_batches(ON(pv::concat({x, x}, 1)));
        check_batches(ON(pv::concat(std::vector{x, x})));
        check_batches(ON(pv::stack({x, x})));
        check_batches(ON(pv::stack({x, x}, 1)));
        check_batches(ON(pv::stack(std::vector{x, x}, -1)));
        check_batches(ON(pv::stack(x, x)));
        check_batches(ON(pv::stack(x, pv::cast<float>(x), x, -1)));
        check_batches(ON(pv::pad(x, 1)));
        check_batches(ON(pv::pad(x, {{0, 1}, {2, 0}}, pv::PadMode::edge)));
        check_batches(ON(pv::triu(x)));
        check_batches(ON(pv::tril(x, -1)));
        check_batches(ON(pv::diag(x)));
        check_batches(ON(pv::diag(x, 1)));
        check_batches(ON(pv::diag(x, -1)));
        check_batches(ON(pv::diag(x(0, pv::all))));
        check_batches(ON(pv::diag(x(0, pv::all), 2)));
        check_batches(ON(pv::diag(x(0, pv::all), -1)));
        check_batches(ON(pv::where(x > 0., x, 1.)));
    }
    SECTION("reductions") {
        check_batches(ON(pv::sum(x)));
        check_batches(ON(pv::sum(x, 0)));
        check_batches(ON(pv::sum(x, -1, pv::keep_dims)));
        check_batches(ON(pv::product(x, {0, 1})));
        check_batches(ON(pv::mean(x, 1)));
        check_batches(ON(pv::min(x, 0)));
        check_batches(ON(pv::max(x)));
        check_batches(ON(pv::any_of(x, 1)));
        check_batches(ON(pv::all_of(x, 1)));
        check_batches(ON(pv::count_true(x, 1)));
        check_batches(ON(pv::argmin(x)));
        check_batches(ON(pv::argmax(x, 1)));
        check_batches(ON(pv::argmax(x, {1, 0})));
        check_batches(ON(pv::argmin(x, {1, 0}, pv::skip_nan)));
        check_batches(ON(pv::argmin_last(x, 0)));
        check_batches(ON(pv::argmax_last(x, {1, 0})));
        check_batches(ON(pv::variance(x, 0)));
        check_batches(ON(pv::sample_standard_deviation(x)));
        check_batches(ON(pv::compensated_sum(x, 0)));
        check_batches(ON(pv::exact_sum(x, 0)));
        check_batches(ON(pv::magnitude(x, 1)));
        check_batches(ON(pv::skewness(x, 1)));
        check_batches(ON(pv::moment(x, 3, 1)));
        check_batches(ON(pv::moment(x, 2)));
        check_batches(ON(pv::median(x, 0)));
        check_batches(ON(pv::median(x)));
        check_batches(ON(pv::percentile(x, 30)));
        check_batches(ON(pv::percentile(x, {30., 60.}, 1)));
        check_batches(ON(pv::quantile(x, 1)));
        check_batches(ON(pv::quantile(x, 0.25, 0)));
        check_batches(ON(pv::quartiles(x)));
        check_batches(ON(pv::quartiles(x, 1)));
        check_batches(ON(pv::most_frequent(x, 1)));
        check_batches(ON(pv::softmax(x, 1)));
        check_batches(ON(pv::softmax(x, {0, 1})));
        check_batches(ON(pv::reduce_axis([](const auto& lane) { return pv::sum(lane); }, x, 0)));
        check_batches(
            ON(pv::descriptive_statistics(x, {pv::Statistic::mean}, 1)[pv::Statistic::mean]));
    }
    SECTION("along an axis") {
        check_batches(ON(pv::map_axis([](const auto& lane) { return pv::flip(lane); }, x, 0)));
        check_batches(ON(pv::cumsum(x)));
        check_batches(ON(pv::cumprod(x, 0)));
        check_batches(ON(pv::cummin(x, 1)));
        check_batches(ON(pv::cummax(x, 0)));
        check_batches(ON(pv::fixed_rolling_window(x, 2, pv::mean)));
        check_batches(ON(pv::fixed_rolling_window(x, 3, pv::max, 0)));
        check_batches(
            ON(pv::variable_rolling_window(x, pv::tensor({1., 2., 3., 7.}), 2., pv::sum)));
        check_batches(ON(pv::expanding_window(x, pv::mean, 0)));
        check_batches(ON(pv::convolve1d(x, pv::tensor({1., 2.}))));
        check_batches(ON(pv::correlate1d(x, pv::tensor({1., 2.}), 0)));
        check_batches(ON(pv::gaussian1d(x, 1)));
        check_batches(ON(pv::gaussian1d(x, 0.5, 0)));
        check_batches(ON(pv::diff1d(x)));
        check_batches(ON(pv::diff1d(x, 0)));
        check_batches(ON(pv::gradient1d(x)));
        check_batches(ON(pv::gradient1d(x, 2, 0)));
        check_batches(ON(pv::argsort(x)));
        check_batches(ON(pv::sort(x, 0, pv::descending)));
        check_batches(ON(pv::argpartition(x, 1)));
        check_batches(ON(pv::argpartition(x, 1, 0)));
        check_batches(ON(pv::arg_min_n(x, 2)));
        check_batches(ON(pv::arg_max_n(x, 2, 0)));
        check_batches(ON(pv::ranks(x, 0)));
    }
    SECTION("elements and products") {
        check_batches(ON(pv::matmul(x, pv::transpose(x))));
        check_batches(ON(pv::dot(x(0, pv::all), x(1, pv::all))));
        check_batches(ON(pv::distance(x, x * 2., 1)));
        check_batches(ON(pv::covariance(x, pv::sq(x), 1)));
        check_batches(ON(pv::pearson(x, pv::sq(x), 1)));
        check_batches(ON(pv::is_outlier(x)));
        check_batches(ON(pv::clamp(x, 0., 1.)));
        check_batches(ON(pv::take(x, pv::tensor({2, 0}), 1)));
        check_batches(ON(pv::take_along_axis(x, pv::argsort(x), 1)));
        check_batches(ON(pv::normalize(x(0, pv::all))));
        check_batches(ON(pv::einsum("ab,ab->b", x, x)));
        check_batches(ON(pv::einsum("ab->ba", x)));
    }
}

#define ALONG(call, stays) \
#call, [](const auto& x) { const index_t k = 1; return call; },                                 \
        [](const auto& x, const pv::Dim& k) { return call; }, stays

TEST_CASE("a Dim stands where an axis does") {
    check_dim_as_axis(ALONG(pv::sum(x, k), false));
    check_dim_as_axis(ALONG(pv::mean(x, k), false));
    check_dim_as_axis(ALONG(pv::product(x, k), false));
    check_dim_as_axis(ALONG(pv::min(x, k), false));
    check_dim_as_axis(ALONG(pv::argmax(x, k), false));
    check_dim_as_axis(ALONG(pv::argmin_last(x, k), false));
    check_dim_as_axis(ALONG(pv::variance(x, k), false));
    check_dim_as_axis(ALONG(pv::median(x, k), false));
    check_dim_as_axis(ALONG(pv::quantile(x, 0.5, k), false));
    check_dim_as_axis(ALONG(pv::percentile(x, 50, k), false));
    check_dim_as_axis(ALONG(pv::moment(x, 2, k), false));
    check_dim_as_axis(ALONG(pv::magnitude(x, k), false));
    check_dim_as_axis(ALONG(pv::distance(x, x * 2., k), false));
    check_dim_as_axis(ALONG(pv::covariance(x, x * x, k), false));
    check_dim_as_axis(ALONG(pv::most_frequent(x, k), false));
    check_dim_as_axis(
        ALONG(pv::reduce_axis([](const auto& lane) { return pv::sum(lane); }, x, k), false));
    check_dim_as_axis(ALONG(pv::softmax(x, k), true));
    check_dim_as_axis(ALONG(pv::cumsum(x, k), true));
    check_dim_as_axis(ALONG(pv::cummax(x, k), true));
    check_dim_as_axis(ALONG(pv::sort(x, k), true));
    check_dim_as_axis(ALONG(pv::argsort(x, k, pv::descending), true));
    check_dim_as_axis(ALONG(pv::argpartition(x, 1, k), true));
    check_dim_as_axis(ALONG(pv::ranks(x, k), true));
    check_dim_as_axis(ALONG(pv::roll(x, 1, k), true));
    check_dim_as_axis(ALONG(pv::gaussian1d(x, 1., k), true));
    check_dim_as_axis(ALONG(pv::gradient1d(x, 1., k), true));
    check_dim_as_axis(ALONG(pv::fixed_rolling_window(x, 2, pv::mean, k), true));
    check_dim_as_axis(ALONG(pv::expanding_window(x, pv::mean, k), true));
    check_dim_as_axis(
        ALONG(pv::map_axis([](const auto& lane) { return pv::flip(lane); }, x, k), true));
}

TEST_CASE("a handle that converts to a number is a tensor, and never the argument of a stage") {
    check_of_number(ON(pv::sum(x)));
    check_of_number(ON(pv::median(x)));
    check_of_number(ON(pv::percentile(x, 50)));
    check_of_number(ON(pv::quantile(x, 1)));
    check_of_number(ON(pv::moment(x, 2)));
    check_of_number(ON(pv::is_outlier(x)));
    check_of_number(ON(pv::is_outlier(x, 2.)));
    check_of_number(ON(pv::outlier_fences(x).upper));
    check_of_number(ON(pv::outlier_fences(x, 2.).lower));
    check_of_number(ON(pv::tile(x, {2})));
    check_of_number(ON(pv::broadcast(x, {2, 2})));
    check_of_number(ON(pv::reshape(x, {1, 1})));
    check_of_number(ON(pv::insert_axis(x, 0)));
    check_of_number(ON(pv::flip(x)));
    check_of_number(ON(pv::squeeze(x)));
    check_of_number(ON(pv::transpose(x)));
    check_of_number(ON(pv::pad(x, 2)));
    check_of_number(ON(pv::cumsum(x)));
    check_of_number(ON(pv::sort(x)));
    check_of_number(ON(pv::gaussian1d(x, 1)));
    check_of_number(ON(pv::random_like(x, 7)));
    check_of_number(ON(pv::dropout(x, 0.5, 7)));
    check_of_number(ON(pv::pow(x, 2)));
    check_of_number(ON(pv::minimum(x, 2)));
    check_of_number(ON(pv::clamp(x, 0, 1)));
    check_of_number(ON(pv::stack(x, x)));
    check_of_number(ON(pv::where(x > 1., x, x)));
    check_of_number(ON(pv::histogram(x, 3).edges));
    const pv::Dim i("i");
    const auto number = (pv::tensor({1., 2.5, 3.})(i) | pv::order(i))(1);
    STATIC_REQUIRE(!pv::StageLike<decltype(pv::diag(number))>);
    CHECK(message_of<pv::ShapeError>([&] { static_cast<void>(pv::diag(number)); }) ==
          "diag: shape [] is neither a vector nor a matrix");
    CHECK(message_of<pv::Error>([&] { static_cast<void>(pv::diagonal(number, 1)); }) ==
          message_of<pv::Error>(
              [&] { static_cast<void>(pv::diagonal(pv::const_tensor(2.5, {}), 1)); }));
    CHECK(double(pv::roll(number, 1)) == 2.5);
    CHECK(pv::repeat(number, 2).shape() == pv::Shape{2});
    // Without an axis there is no such function, and no stage either: it is refused.
    STATIC_REQUIRE(is_refused<decltype(pv::dropout), decltype(number), int>());
    STATIC_REQUIRE(is_refused<decltype(pv::pad), decltype(number)>());
    STATIC_REQUIRE(is_refused<decltype(pv::slice), decltype(number)>());
    STATIC_REQUIRE(is_refused<decltype(pv::gaussian1d), decltype(number)>());
    STATIC_REQUIRE(is_refused<decltype(pv::quantile), decltype(number)>());
}

} // namespace every_function_test
