#include <support/catch.hpp>
#include <support/lanes_oracle.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/along/window_ranges.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace rolling_window_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::index_t;
using oracle::Random;
using Numbers = std::vector<int>;
using Longs = std::vector<std::int64_t>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// Each window, element by element.
template <typename R, typename T, typename F>
std::vector<R> rolled(const std::vector<T>& lane, index_t width, index_t before, F reduce) {
    std::vector<R> out;
    const index_t n = std::ssize(lane);
    for (index_t i = 0; i < n; ++i) {
        std::vector<R> window;
        for (index_t k = i - before; k < i - before + width; ++k)
            window.push_back(
                static_cast<R>(lane[static_cast<std::size_t>(std::clamp<index_t>(k, 0, n - 1))]));
        out.push_back(reduce(window));
    }
    return out;
}
template <typename R>
R sum_of(const std::vector<R>& x) {
    return std::accumulate(x.begin(), x.end(), R{});
}

} // namespace

TEST_CASE("fixed_rolling_window: tech.datatype's and dtype-next's cases") {
    const auto x = pv::tensor({15, 14, 13, 12, 11, 10, 9, 8, 7, 6});
    CHECK(pv::to_vector(pv::fixed_rolling_window(x, 3, pv::min)) ==
          Numbers{14, 13, 12, 11, 10, 9, 8, 7, 6, 6});
    CHECK(pv::to_vector(pv::fixed_rolling_window(x, 3, pv::max)) ==
          Numbers{15, 15, 14, 13, 12, 11, 10, 9, 8, 7});
    CHECK(pv::to_vector(x | pv::fixed_rolling_window(3, pv::sum)) ==
          Longs{44, 42, 39, 36, 33, 30, 27, 24, 21, 19});
    const auto y = pv::arange(20);
    const auto sums = [&](pv::WindowPosition position) {
        return pv::to_vector(pv::fixed_rolling_window(y, 5, pv::sum, {position}));
    };
    CHECK(sums(pv::WindowPosition::left) ==
          Longs{0, 1, 3, 6, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85});
    CHECK(sums(pv::WindowPosition::centre) ==
          Longs{3, 6, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 89, 92});
    CHECK(sums(pv::WindowPosition::right) ==
          Longs{10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 89, 92, 94, 95});
}

TEMPLATE_TEST_CASE("fixed_rolling_window agrees with each window by itself", "", bool, std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t, float, double) {
    using T = TestType;
    using R = pv::Accumulated<T>;
    using M = pv::Averaged<T>;
    Random random(21);
    for (unsigned round = 0; round < oracle::rounds(40U); ++round) {
        const auto x = oracle::random_layout<T>(random);
        const auto axis = random.axis_of(x.naive.shape);
        const index_t n = x.naive.shape[axis];
        const index_t width = random.between(1, random.one_in(3) ? 2 * n + 5 : 12);
        const auto position = static_cast<pv::WindowPosition>(random.between(0, 2));
        const index_t before = pv::elements_before(position, width);
        INFO(x.name << " axis " << axis << " width " << width << " before " << before);
        const auto along = [&]<typename To>(To, auto f) {
            return oracle::along_lanes(x.naive, axis, [&](const std::vector<T>& lane) {
                return rolled<To>(lane, width, before, f);
            });
        };
        // The entry points of two types are tested, and all others at run time.
        using X = std::conditional_t<std::same_as<T, double> || std::same_as<T, std::int32_t>,
                                     pv::Tensor<T>, pv::AnyTensor>;
        const X real(x.real.operand());
        const auto at = static_cast<index_t>(axis);
        const pv::RollingOptions options{position};
        const double size = 50.0 * static_cast<double>(width);
        CHECK(oracle::agrees(pv::fixed_rolling_window(real, width, pv::sum, at, options),
                             along(R{}, sum_of<R>), size));
        CHECK(oracle::agrees(
            pv::fixed_rolling_window(real, width, pv::mean, at, options),
            along(M{}, [&](const std::vector<M>& w) { return sum_of(w) / static_cast<M>(width); }),
            50));
        CHECK(oracle::agrees(pv::fixed_rolling_window(real, width, pv::min, at, options),
                             along(T{}, [](const std::vector<T>& w) {
                                 return T(*std::min_element(w.begin(), w.end()));
                             })));
        CHECK(oracle::agrees(pv::fixed_rolling_window(real, width, pv::max, at, options),
                             along(T{}, [](const std::vector<T>& w) {
                                 return T(*std::max_element(w.begin(), w.end()));
                             })));
        if (width > 6) continue;
        CHECK(oracle::agrees(pv::fixed_rolling_window(real, width, pv::product, at, options),
                             along(R{},
                                   [](const std::vector<R>& w) {
                                       R all{1};
                                       for (const R each : w) all = static_cast<R>(all * each);
                                       return all;
                                   }),
                             1e6));
        const auto last = [](const pv::Tensor<T>& w) { return T(w(-1)); };
        CHECK(oracle::agrees(pv::fixed_rolling_window(x.real, width, last, at, options),
                             along(T{}, [](const std::vector<T>& w) { return T(w.back()); })));
        CHECK(oracle::agrees(pv::fixed_rolling_window(real, width, pv::argmax, at, options),
                             oracle::along_lanes(x.naive, axis, [&](const std::vector<T>& lane) {
                                 std::vector<std::int64_t> places;
                                 for (index_t i = 0; i < n; ++i) {
                                     const auto element = [&](index_t k) {
                                         return lane[static_cast<std::size_t>(
                                             std::clamp<index_t>(i - before + k, 0, n - 1))];
                                     };
                                     index_t best = 0;
                                     for (index_t k = 1; k < width; ++k)
                                         if (element(best) < element(k)) best = k;
                                     places.push_back(best);
                                 }
                                 return places;
                             })));
    }
}

TEST_CASE("fixed_rolling_window: widths of all kinds, and wider than the engine's pieces") {
    Random random(22);
    for (const index_t n : {1, 7, 900, 1024, 5000}) {
        std::vector<double> values(static_cast<std::size_t>(n));
        for (double& each : values) each = static_cast<double>(random.between(-1000, 1000)) / 7;
        const auto x = pv::tensor(std::vector<double>(values));
        for (const index_t width :
             {1, 2, 3, 4, 5, 7, 8, 12, 31, 64, 100, 127, 128, 1023, 1024, 1025, 1500, 6000}) {
            INFO("n " << n << " width " << width);
            const index_t before = width / 2;
            const auto element = [&](index_t k) {
                return values[static_cast<std::size_t>(std::clamp<index_t>(k, 0, n - 1))];
            };
            double sum = 0; // exact enough: these are multiples of 1/7 below 2^53
            for (index_t k = -before; k < width - before; ++k) sum += element(k);
            const auto sums = pv::to_vector(pv::fixed_rolling_window(x, width, pv::sum));
            const auto means = pv::to_vector(pv::fixed_rolling_window(x, width, pv::mean));
            const auto least = pv::to_vector(pv::fixed_rolling_window(x, width, pv::min));
            const auto greatest = pv::to_vector(pv::fixed_rolling_window(x, width, pv::max));
            bool right = true;
            for (index_t i = 0; i < n; ++i) {
                const auto at = static_cast<std::size_t>(i);
                right &= std::abs(sums[at] - sum) <= 1e-9 * static_cast<double>(width);
                right &= means[at] == sums[at] / static_cast<double>(width);
                const index_t from = std::max<index_t>(0, i - before);
                const index_t to = std::min(n, i - before + width);
                right &= least[at] == *std::min_element(values.begin() + from, values.begin() + to);
                right &=
                    greatest[at] == *std::max_element(values.begin() + from, values.begin() + to);
                sum += element(i + width - before) - element(i - before);
            }
            CHECK(right);
        }
    }
}

TEST_CASE("fixed_rolling_window: a NaN, an infinity or a large number is gone when its window is") {
    for (const index_t width : {3, 100, 2000}) {
        auto x = pv::clone(pv::full({9000}, 0.1));
        const double clean = pv::to_vector(pv::fixed_rolling_window(x, width, pv::sum))[8000];
        for (const double odd : {kNaN, kInf, -kInf, 1e300}) {
            x(4000) = odd;
            const auto sums =
                pv::fixed_rolling_window(x, width, pv::sum, {pv::WindowPosition::left});
            const auto means =
                pv::fixed_rolling_window(x, width, pv::mean, {pv::WindowPosition::left});
            const auto least =
                pv::fixed_rolling_window(x, width, pv::min, {pv::WindowPosition::left});
            for (index_t i = 0; i < 9000; ++i) {
                const bool inside = i >= 4000 && i < 4000 + width;
                const double sum = sums(i);
                if (!inside) {
                    if (std::abs(sum - clean) > 1e-9 ||
                        !(std::abs(double(means(i)) - 0.1) < 1e-12) || double(least(i)) != 0.1)
                        FAIL("width " << width << " at " << i << ": " << sum);
                } else if (std::isnan(odd)) {
                    if (!std::isnan(sum) || !std::isnan(double(means(i))) ||
                        !std::isnan(double(least(i))))
                        FAIL("width " << width << " at " << i);
                } else if (std::isinf(odd) && (sum != odd || double(means(i)) != odd)) {
                    FAIL("width " << width << " at " << i);
                }
            }
        }
    }
}

TEST_CASE("fixed_rolling_window: edges, dims, other types, errors") {
    const auto x = pv::tensor({1., 2., 3., 4.});
    const auto sums = [&](pv::PadMode edge) {
        return pv::to_vector(
            pv::fixed_rolling_window(x, 3, pv::sum, {pv::WindowPosition::centre, edge}));
    };
    CHECK(sums(pv::PadMode::constant) == std::vector{3., 6., 9., 7.});
    CHECK(sums(pv::PadMode::wrap) == std::vector{7., 6., 9., 8.});
    CHECK(sums(pv::PadMode::reflect) == std::vector{5., 6., 9., 10.});
    const auto [i, j] = pv::dims("i", "j");
    const auto m = pv::tensor({{3, 1, 2}, {0, 5, 4}, {7, 7, 7}});
    const pv::Tensor<int> down = pv::fixed_rolling_window(m(i, j), 2, pv::max, i) | pv::order(i, j);
    CHECK(pv::to_vector(down) == Numbers{3, 1, 2, 3, 5, 4, 7, 7, 7});
    CHECK(pv::to_vector(m | pv::fixed_rolling_window(2, pv::max, 0)) == pv::to_vector(down));

    const auto words = pv::tensor({"a", "b", "c"});
    CHECK(pv::to_vector(pv::fixed_rolling_window(words, 2, pv::sum)) ==
          std::vector<std::string>{"aa", "ab", "bc"});
    CHECK_THROWS_AS(pv::fixed_rolling_window(words, 2, pv::sum,
                                             {pv::WindowPosition::left, pv::PadMode::constant}),
                    pv::DtypeError);
    CHECK(pv::fixed_rolling_window(pv::zeros({0}), 3, pv::min).shape() == pv::Shape{0});
    CHECK(pv::fixed_rolling_window(pv::zeros({0, 4}), 3, pv::mean, 0).shape() == pv::Shape{0, 4});
    const auto scalar = pv::reshape(pv::tensor({2.0}), {});
    CHECK(pv::fixed_rolling_window(scalar, 3, pv::sum).item() == 6.0);
    CHECK(pv::fixed_rolling_window(scalar, 3, pv::variance).item() == 0.0);
    CHECK_THROWS_WITH(pv::fixed_rolling_window(x, 0, pv::sum),
                      ContainsSubstring("fixed_rolling_window") && ContainsSubstring("0"));
    CHECK_THROWS_AS(pv::fixed_rolling_window(x, -3, pv::min), pv::ShapeError);
    CHECK_THROWS_AS(pv::fixed_rolling_window(x, 3, pv::min, 1), pv::IndexError);
    CHECK_THROWS_AS(pv::fixed_rolling_window(x, INT64_MAX, pv::variance), pv::ShapeError);
    CHECK(double(pv::fixed_rolling_window(x, 3, pv::sample_variance)(1)) == 1.0);
    CHECK(pv::to_vector(
              pv::fixed_rolling_window(pv::tensor({true, false, true, true}), 2, pv::all_of)) ==
          std::vector<bool>{true, false, false, true});
}

TEST_CASE("fixed_rolling_window does not depend on the number of threads") {
    const auto x = pv::linspace(3.0, -2.0, 400'000) * pv::linspace(-1.0, 1.0, 400'000);
    pv::set_threads(1);
    const auto alone = pv::to_vector(pv::fixed_rolling_window(x, 77, pv::sum));
    pv::set_threads(3);
    CHECK(pv::to_vector(pv::fixed_rolling_window(x, 77, pv::sum)) == alone);
    pv::set_threads(0);
}

TEST_CASE("expanding_window: scans, means, and functions of each beginning") {
    const auto x = pv::tensor({4, 2, 6, 1});
    CHECK(pv::to_vector(pv::expanding_window(x, pv::sum)) == Longs{4, 6, 12, 13});
    CHECK(pv::to_vector(pv::expanding_window(x, pv::min)) == Numbers{4, 2, 2, 1});
    CHECK(pv::to_vector(x | pv::expanding_window(pv::mean)) == std::vector{4., 3., 4., 3.25});
    CHECK(
        pv::to_vector(pv::expanding_window(x, pv::variance)) ==
        std::vector{0., 1., double(pv::variance(pv::tensor({4, 2, 6}))), double(pv::variance(x))});
    const auto span = [](const pv::Tensor<int>& w) { return pv::max(w) - pv::min(w); };
    const auto m = pv::tensor({{4, 2}, {6, 1}});
    CHECK(pv::to_vector(pv::expanding_window(m, span, 0)) == Numbers{0, 0, 2, 1});
    CHECK(pv::expanding_window(pv::zeros({2, 0}), pv::variance).shape() == pv::Shape{2, 0});
}

TEST_CASE("variable_rolling_window agrees with a look at every key") {
    Random random(23);
    for (unsigned round = 0; round < oracle::rounds(200U); ++round) {
        const index_t n = random.between(0, 60);
        std::vector<int> keys;
        std::vector<double> values;
        int key = 0;
        for (index_t k = 0; k < n; ++k) {
            keys.push_back(key += static_cast<int>(random.between(0, 4)));
            values.push_back(static_cast<double>(random.between(-9, 9)));
        }
        const int width = static_cast<int>(random.between(1, 15));
        const auto position = static_cast<pv::WindowPosition>(random.between(0, 2));
        const bool together = random.one_in(3);
        const pv::VariableOptions options{.position = position,
                                          .ties = together ? pv::WindowTies::together
                                                           : pv::WindowTies::in_order};
        const auto x = pv::tensor(std::vector<double>(values));
        const auto k = pv::tensor(std::vector<int>(keys));
        const auto real = [&](const auto& reducer) {
            return pv::to_vector(pv::variable_rolling_window(x, k, width, reducer, options));
        };
        const auto naive = [&](auto reduce) {
            std::vector<double> out;
            for (std::size_t at = 0; at < keys.size(); ++at) {
                std::vector<double> window;
                for (std::size_t other = 0; other < keys.size(); ++other) {
                    const int d = keys[other] - keys[at];
                    const bool in = position == pv::WindowPosition::left
                                        ? d <= 0 && d > -width && (together || other <= at)
                                    : position == pv::WindowPosition::right
                                        ? d >= 0 && d < width && (together || other >= at)
                                        : 2 * std::abs(d) <= width;
                    if (in) window.push_back(values[other]);
                }
                out.push_back(reduce(window));
            }
            return out;
        };
        INFO("round " << round << " width " << width);
        CHECK(real(pv::sum) == naive([](const auto& w) { return sum_of(w); }));
        CHECK(real(pv::mean) ==
              naive([](const auto& w) { return sum_of(w) / static_cast<double>(w.size()); }));
        CHECK(real(pv::min) ==
              naive([](const auto& w) { return *std::min_element(w.begin(), w.end()); }));
        CHECK(real(pv::max) ==
              naive([](const auto& w) { return *std::max_element(w.begin(), w.end()); }));
        const auto count = [](const pv::Tensor<double>& w) {
            return static_cast<double>(w.size());
        };
        CHECK(real(count) == naive([](const auto& w) { return static_cast<double>(w.size()); }));
    }
    const auto x = pv::tensor({1., 2., 3.});
    CHECK_THROWS_WITH(pv::variable_rolling_window(x, pv::tensor({1, 3, 2}), 2, pv::sum),
                      ContainsSubstring("index 2"));
    CHECK_THROWS_WITH(pv::variable_rolling_window(x, pv::tensor({1, 3}), 2, pv::sum),
                      ContainsSubstring("2 keys"));
    CHECK_THROWS_AS(pv::variable_rolling_window(x, pv::tensor({1, 2, 3}), 0, pv::sum), pv::Error);
    CHECK_THROWS_AS(pv::fixed_rolling_window(x, (index_t{1} << 61) + 10, pv::sum), pv::ShapeError);
    CHECK_THROWS_AS(pv::variable_rolling_window(x, pv::tensor({kNaN, 2., 3.}), 1.0, pv::sum),
                    pv::Error);
}

TEST_CASE("keys may be further apart than their type reaches") {
    const auto keys = pv::tensor({INT64_MIN, std::int64_t{0}, INT64_MAX - 1, INT64_MAX});
    const auto x = pv::tensor({1, 2, 4, 8});
    const auto sums = [&](auto width, pv::WindowPosition position) {
        return pv::to_vector(pv::variable_rolling_window(x, keys, width, pv::sum, position));
    };
    CHECK(sums(std::int64_t{5}, pv::WindowPosition::left) == Longs{1, 2, 4, 12});
    CHECK(sums(INT64_MAX, pv::WindowPosition::right) == Longs{1, 6, 12, 8});
    CHECK(sums(INT64_MAX, pv::WindowPosition::centre) == Longs{1, 2, 12, 12});
    CHECK(sums(5.0, pv::WindowPosition::left) == Longs{1, 2, 4, 12});
}

TEST_CASE("infinite keys are near their equals alone") {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const auto keys = pv::tensor({-kInfinity, 0., kInfinity, kInfinity});
    const auto sums = [&](const pv::VariableOptions& options) {
        return pv::to_vector(pv::variable_rolling_window(pv::tensor({1., 2., 3., 4.}), keys, 10.0,
                                                         pv::sum, options));
    };
    using Sums = std::vector<double>;
    for (const auto position :
         {pv::WindowPosition::left, pv::WindowPosition::centre, pv::WindowPosition::right})
        CHECK(sums({.position = position, .ties = pv::WindowTies::together}) == Sums{1, 2, 7, 7});
    CHECK(sums({pv::WindowPosition::left}) == Sums{1, 2, 3, 7});
    CHECK(sums({pv::WindowPosition::centre}) == Sums{1, 2, 7, 7});
    CHECK(sums({pv::WindowPosition::right}) == Sums{1, 2, 7, 4});
}

TEST_CASE("rows of one key see those before them: pandas rolling('5min')") {
    // pandas: Series([1, 2, 4, 8, 16, 32], DatetimeIndex of minutes 0, 0, 2, 2, 2, 7).rolling("5min").sum()
    const auto x = pv::tensor({1., 2., 4., 8., 16., 32.});
    const auto minutes = pv::tensor({0, 0, 2, 2, 2, 7});
    const auto sums = [&](const pv::VariableOptions& options) {
        return pv::to_vector(pv::variable_rolling_window(x, minutes, 5, pv::sum, options));
    };
    using Sums = std::vector<double>;
    CHECK(sums({}) == Sums{1, 3, 7, 15, 31, 32});
    CHECK(sums({pv::WindowPosition::leading}) == Sums{31, 30, 28, 24, 16, 32});
    CHECK(sums({pv::WindowPosition::centre}) == Sums{31, 31, 31, 31, 31, 32});
    CHECK(sums({.ties = pv::WindowTies::together}) == Sums{3, 3, 31, 31, 31, 32});
    CHECK(sums({.position = pv::WindowPosition::leading, .ties = pv::WindowTies::together}) ==
          Sums{31, 31, 28, 28, 28, 32});
    CHECK(sums({pv::WindowPosition::trailing, 2}) == Sums{1, 7, 31});
    const auto products = [](const pv::Tensor<double>& w) { return pv::product(w); };
    CHECK(pv::to_vector(x | pv::variable_rolling_window(minutes, 5, products)) ==
          Sums{1, 2, 8, 64, 1024, 32});
    const auto rows = pv::tensor({{1, 2, 4, 8, 16, 32}, {6, 5, 4, 3, 2, 1}});
    CHECK(pv::to_vector(pv::variable_rolling_window(rows, minutes, 5, pv::max, 1)) ==
          std::vector<int>{1, 2, 4, 8, 16, 32, 6, 6, 6, 6, 6, 1});
}

} // namespace rolling_window_test
