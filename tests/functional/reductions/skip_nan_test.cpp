#include <support/catch.hpp>
#include <support/lanes_oracle.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/along/map_axis.hpp>
#include <purview/functional/assembly/chunked.hpp>
#include <purview/functional/reductions/compensated_sum.hpp>
#include <purview/functional/reductions/distance.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace skip_nan_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::index_t;
using oracle::Random;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// Of a line without its NaNs: one number.
template <typename F>
auto non_nan_only(F f) {
    return [f](const std::vector<double>& lane) {
        std::vector<double> numbers;
        for (const double x : lane)
            if (!std::isnan(x)) numbers.push_back(x);
        return std::vector<double>{f(numbers)};
    };
}
double total(const std::vector<double>& x) {
    double sum = 0;
    for (const double each : x) sum += each;
    return sum;
}
double spread(const std::vector<double>& x) {
    const double mean = total(x) / static_cast<double>(x.size());
    double sum = 0;
    for (const double each : x) sum += (each - mean) * (each - mean);
    return sum / static_cast<double>(x.size());
}

} // namespace

TEST_CASE("skip_nan: reductions of the other elements") {
    Random random(41);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        auto x = oracle::random_layout<double>(random);
        const auto axis = random.axis_of(x.naive.shape);
        const auto at = static_cast<index_t>(axis);
        const index_t every = random.between(1, 4);
        // Some of the elements are replaced on both sides by one rule.
        const auto odd = [every](double v) {
            return std::fmod(std::abs(std::round(v * 7)), 4) < static_cast<double>(every - 1)
                       ? v
                       : kNaN;
        };
        const pv::Tensor<double> real = pv::emap(odd, x.real);
        for (double& v : x.naive.values) v = odd(v);
        INFO(x.name << " axis " << axis << " every " << every);
        const auto naive = [&](auto f) {
            return oracle::along_lanes(x.naive, axis, non_nan_only(f));
        };
        const auto keep = pv::keep_dims;
        const auto skip = pv::skip_nan;
        CHECK(oracle::agrees(pv::sum(real, at, keep, skip), naive(total), 1e4));
        CHECK(oracle::agrees(
            pv::mean(real, at, keep, skip),
            naive([](const auto& w) { return total(w) / static_cast<double>(w.size()); }), 1e2));
        CHECK(oracle::agrees(pv::variance(real, at, keep, skip), naive(spread), 1e3));
        CHECK(oracle::agrees(pv::standard_deviation(real, {at}, keep, skip),
                             naive([](const auto& w) { return std::sqrt(spread(w)); }), 1e3));
        CHECK(oracle::agrees(pv::min(real, at, keep, skip), naive([](const auto& w) {
                                 return w.empty() ? kNaN : *std::min_element(w.begin(), w.end());
                             })));
        CHECK(oracle::agrees(pv::max(real, at, keep, skip), naive([](const auto& w) {
                                 return w.empty() ? kNaN : *std::max_element(w.begin(), w.end());
                             })));
        std::vector<double> numbers;
        for (const double v : x.naive.values)
            if (!std::isnan(v)) numbers.push_back(v);
        CHECK(oracle::near(pv::sum(real, skip), total(numbers), 1e5));
        if (!numbers.empty()) {
            const double least = *std::min_element(numbers.begin(), numbers.end());
            const auto first = std::find(x.naive.values.begin(), x.naive.values.end(), least);
            CHECK(pv::argmin(real, skip) == first - x.naive.values.begin());
        }
    }
}

TEST_CASE("skip_nan: what is left, infinities, other types, stages, dims, errors") {
    const auto x = pv::tensor({{kNaN, 2., 3.}, {kNaN, kNaN, kNaN}, {kInf, kNaN, kInf}});
    CHECK(std::isnan(pv::sum(x)));
    CHECK(std::isnan(pv::sum(x, pv::keep_nan)));
    CHECK(pv::to_vector(pv::sum(x, 1, pv::skip_nan)) == std::vector{5., 0., kInf});
    CHECK(pv::to_vector(pv::product(x, 1, pv::skip_nan)) == std::vector{6., 1., kInf});
    CHECK(pv::to_vector(x | pv::count_true(1, pv::skip_nan)) == std::vector<std::int64_t>{2, 0, 2});
    const auto least = pv::to_vector(x | pv::min({1}, pv::skip_nan));
    CHECK(least[0] == 2.);
    CHECK(std::isnan(least[1]));
    CHECK(least[2] == kInf);
    CHECK(std::isnan(double(pv::mean(x, 1, pv::skip_nan)(1))));
    CHECK(std::isnan(double(pv::variance(x, 1, pv::skip_nan)(1))));
    CHECK(std::isnan(double(pv::variance(x, 1, pv::skip_nan)(2))));
    CHECK(pv::argmin(x(2, pv::all), pv::skip_nan) == 0);
    CHECK(pv::argmin_last(x(2, pv::all), pv::skip_nan) == 2);
    CHECK(pv::argmax(pv::tensor({kNaN, -kInf}), pv::skip_nan) == 1);
    CHECK_THROWS_WITH(pv::argmin(x, 1, pv::skip_nan),
                      ContainsSubstring("argmin") && ContainsSubstring("NaN"));
    CHECK_THROWS_AS(pv::min(pv::zeros({0}), pv::skip_nan), pv::ShapeError);
    CHECK(pv::sum(pv::tensor({1, 2}), pv::skip_nan) == 3);
    CHECK((pv::tensor({1.f, 2.f}) | pv::sum(pv::skip_nan)) == 3.f);
    CHECK(pv::to_vector(pv::magnitude(x(pv::range(0, 2)), 1, pv::skip_nan)) ==
          std::vector{std::sqrt(13.), 0.});
    CHECK(pv::magnitude_squared(x(0, pv::all), pv::skip_nan) == 13);
    CHECK(pv::compensated_sum(pv::tensor({1e100, kNaN, 1., -1e100}), pv::skip_nan) == 1);
    const pv::AnyTensor any = pv::mean(pv::AnyTensor(x), 1, pv::skip_nan);
    CHECK(any.as<double>()(0) == 2.5);
    const auto [i, j] = pv::dims("i", "j");
    const pv::Tensor<double> rows = pv::sum(x(i, j), j, pv::skip_nan) | pv::order(i);
    CHECK(pv::to_vector(rows) == std::vector{5., 0., kInf});
    CHECK(std::abs(pv::sample_variance(pv::tensor({1., kNaN, 3.}), pv::skip_nan) - 2) < 1e-15);
}

TEST_CASE("skip_nan: a sum that leaves the range, beside the moments without NaN") {
    const double expected = pv::standard_deviation(pv::tensor({1e308, 1.5e308, 1e308}));
    CHECK(expected > 1e307);
    CHECK(pv::standard_deviation(pv::tensor({kNaN, 1e308, 1.5e308, 1e308}), pv::skip_nan) ==
          expected);
    const auto x =
        pv::tensor({{1e308, 1.5e308, 1e308, kNaN}, {kNaN, 1, 1, 1}, {kNaN, kNaN, kNaN, kNaN}});
    const auto check = [&](const auto& rows) {
        CHECK(std::abs(rows(0) / expected - 1) < 1e-15);
        CHECK(rows(1) == 0);
        CHECK(std::isnan(rows(2)));
    };
    check(pv::standard_deviation(x, {1}, pv::skip_nan));
    check(pv::standard_deviation(pv::chunked(x, {1, 4}), {1}, pv::skip_nan));
}

TEST_CASE("compensated_sum is off by a rounding where sum is off by more") {
    const auto x = pv::tensor({1.0, 1e100, 1.0, -1e100});
    CHECK(pv::compensated_sum(x) == 2.0);
    auto y = pv::clone(pv::full({100'003}, 0.1f));
    CHECK(std::abs(pv::compensated_sum(y) - static_cast<float>(0.1f * 100003.0)) <= 0.001f);
    CHECK(pv::compensated_sum(pv::tensor({kInf, 1.0})) == kInf);
    CHECK(std::isnan(pv::compensated_sum(pv::tensor({kInf, -kInf}))));
    CHECK(std::isnan(pv::compensated_sum(pv::tensor({kNaN, 1.0}))));
    CHECK(pv::compensated_sum(pv::tensor({1, 2, 3})) == 6);
    CHECK(pv::compensated_sum(pv::zeros({0})) == 0.0);
    CHECK(pv::compensated_sum(pv::tensor({1e308, 1e308})) == kInf);
    Random random(42);
    for (int round = 0; round < oracle::rounds(40); ++round) {
        const auto t = oracle::random_layout<double>(random);
        const auto axis = static_cast<index_t>(random.axis_of(t.naive.shape));
        const auto exact = pv::to_vector(
            pv::cast<double>(pv::sum(pv::cast<std::int64_t>(pv::rint(t.real * 7)), axis)));
        const auto sums = pv::to_vector(pv::compensated_sum(pv::rint(t.real * 7), axis));
        CHECK(sums == exact);
    }
    CHECK(pv::compensated_sum(pv::AnyTensor(x)).item<double>() == 2.0);
}

TEST_CASE("magnitude and distance, of everything and along axes; equals") {
    const auto x = pv::tensor({{3., 4.}, {5., 12.}});
    CHECK(pv::magnitude_squared(x) == 194.);
    CHECK(pv::to_vector(pv::magnitude(x, 1)) == std::vector{5., 13.});
    CHECK(pv::to_vector(x | pv::magnitude({-1}, pv::keep_dims)) == std::vector{5., 13.});
    CHECK(pv::magnitude(pv::tensor({3, 4})) == 5.0);
    CHECK(pv::magnitude(pv::tensor<std::uint8_t>({200, 200})) == std::sqrt(80000.));
    CHECK(pv::distance(x, x) == 0.);
    CHECK(pv::distance(pv::tensor<std::uint8_t>({1, 1}), pv::tensor<std::uint8_t>({4, 5})) == 5.);
    CHECK(pv::distance_squared(pv::tensor({1.f}), pv::tensor({4.f})) == 9.f);
    CHECK(pv::to_vector(pv::distance(x, pv::tensor({0., 0.}), 1)) == std::vector{5., 13.});
    CHECK(pv::distance(pv::AnyTensor(x), x) == 0.);
    CHECK_THROWS_AS(pv::distance(x, pv::zeros({3})), pv::ShapeError);
    CHECK(pv::magnitude(pv::zeros({0})) == 0.);
    CHECK(pv::magnitude(pv::AnyTensor(x)).item<double>() == std::sqrt(194.));
    const auto [i, j] = pv::dims("i", "j");
    const pv::Tensor<double> rows = pv::distance(x(i, j), x(i, j), j) | pv::order(i);
    CHECK(pv::to_vector(rows) == std::vector{0., 0.});

    CHECK(pv::equals(x, x));
    CHECK_FALSE(pv::equals(x, x + 1e-9));
    CHECK(pv::equals(x, x + 1e-9, 1e-6));
    CHECK_FALSE(pv::equals(x, x(pv::all, pv::range(0, 1))));
    CHECK_FALSE(pv::equals(pv::tensor({kNaN}), pv::tensor({kNaN})));
    CHECK(pv::equals(pv::tensor({"a"}), pv::tensor({"a"})));
    CHECK(pv::equals(pv::tensor({1, 2}), pv::tensor({1., 2.})));
    CHECK(pv::equals(pv::AnyTensor(x), x));
    CHECK(pv::equals(pv::zeros({0}), pv::zeros({0})));
}

TEST_CASE("reduce_axis and map_axis give functions each lane") {
    Random random(43);
    const auto span = [](const pv::Tensor<int>& lane) { return pv::max(lane) - pv::min(lane); };
    const auto turned = [](const pv::Tensor<int>& lane) { return pv::flip(lane) * 0.5; };
    const auto odd = [](const pv::Tensor<int>& lane) {
        return pv::Tensor<int>(lane(pv::range(1, std::nullopt, 2)));
    };
    for (int round = 0; round < oracle::rounds(30); ++round) {
        const auto x = oracle::random_layout<int>(random);
        const auto axis = random.axis_of(x.naive.shape);
        const auto at = static_cast<index_t>(axis);
        INFO(x.name << " axis " << axis);
        const auto spans = oracle::along_lanes(x.naive, axis, [](const std::vector<int>& lane) {
            const auto [a, b] = std::minmax_element(lane.begin(), lane.end());
            return std::vector{*b - *a};
        });
        CHECK(pv::to_vector(pv::reduce_axis(span, x.real, at)) == spans.values);
        CHECK(oracle::agrees(pv::map_axis(turned, x.real, at),
                             oracle::along_lanes(x.naive, axis, [](const std::vector<int>& lane) {
                                 std::vector<double> out;
                                 for (auto it = lane.rbegin(); it != lane.rend(); ++it)
                                     out.push_back(*it * 0.5);
                                 return out;
                             })));
        CHECK(oracle::agrees(pv::map_axis(odd, x.real, at),
                             oracle::along_lanes(x.naive, axis, [](const std::vector<int>& lane) {
                                 std::vector<int> out;
                                 for (std::size_t i = 1; i < lane.size(); i += 2)
                                     out.push_back(lane[i]);
                                 return out;
                             })));
    }
    const auto m = pv::tensor({{3, 1, 2}, {0, 5, 4}});
    CHECK(pv::to_vector(m | pv::reduce_axis(span)) == std::vector{2, 5});
    CHECK(pv::to_vector(m | pv::reduce_axis(span, 0)) == std::vector{3, 4, 2});
    CHECK((m | pv::map_axis(odd)).shape() == pv::Shape{2, 1});
    const auto [i, j] = pv::dims("i", "j");
    const pv::Tensor<int> spans = pv::reduce_axis(span, m(i, j), j) | pv::order(i);
    CHECK(pv::to_vector(spans) == std::vector{2, 5});
    const pv::Tensor<double> flipped = pv::map_axis(turned, m(i, j), i) | pv::order(i, j);
    CHECK(pv::to_vector(flipped) == std::vector{0., 2.5, 2., 1.5, 0.5, 1.});
    CHECK_THROWS_AS(pv::map_axis(odd, m(i, j), i), pv::ShapeError);
    const auto words = [](const pv::Tensor<int>& lane) { return std::to_string(int(lane(0))); };
    CHECK(pv::to_vector(pv::reduce_axis(words, m)) == std::vector<std::string>{"3", "0"});
    int calls = 0;
    const auto ragged = [&](const pv::Tensor<int>& lane) {
        return pv::Tensor<int>(lane(pv::range(0, ++calls)));
    };
    CHECK_THROWS_WITH(pv::map_axis(ragged, m), ContainsSubstring("map_axis"));
    const auto square = [](const pv::Tensor<int>&) { return pv::ones<int>({2, 2}); };
    CHECK_THROWS_AS(pv::map_axis(square, m), pv::ShapeError);
    CHECK(pv::reduce_axis(words, pv::zeros<int>({0, 3})).shape() == pv::Shape{0});
    CHECK_THROWS_AS(pv::reduce_axis(span, m, 2), pv::IndexError);
}

} // namespace skip_nan_test
