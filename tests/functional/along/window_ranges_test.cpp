#include <support/catch.hpp>
#include <support/lanes_oracle.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/along/window_ranges.hpp>
#include <purview/functional/reductions/distance.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/functional/statistics/percentiles.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace window_ranges_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::index_t;
using oracle::Random;
using Longs = std::vector<std::int64_t>;
using Doubles = std::vector<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Windows of a lane of n elements: in order, or in any; empty ones among them unless they are to have elements.
pv::WindowRanges random_ranges(Random& random, index_t n, bool ordered, bool any_empty) {
    pv::WindowRanges windows;
    const index_t count = n == 0 && !any_empty ? 0 : random.between(0, 12);
    index_t begin = 0;
    index_t end = 0;
    for (index_t k = 0; k < count; ++k) {
        const index_t least = any_empty ? 0 : 1;
        begin = random.between(ordered ? begin : 0, n - least);
        end = random.between(ordered ? std::max(end, begin + least) : begin + least, n);
        windows.begin.push_back(begin);
        windows.end.push_back(end);
    }
    return windows;
}

template <typename R, typename T, typename F>
oracle::Oracle<R> of_windows(const oracle::Oracle<T>& x, std::size_t axis,
                             const pv::WindowRanges& windows, F reduce) {
    return oracle::along_lanes(x, axis, [&](const std::vector<T>& lane) {
        std::vector<R> out;
        for (std::size_t i = 0; i < windows.begin.size(); ++i) {
            std::vector<R> window;
            for (index_t k = windows.begin[i]; k < windows.end[i]; ++k)
                window.push_back(static_cast<R>(lane[static_cast<std::size_t>(k)]));
            out.push_back(reduce(window));
        }
        return out;
    });
}

template <typename T>
void check_ranges(unsigned seed) {
    using R = pv::Accumulated<T>;
    using M = pv::Averaged<T>;
    Random random(seed);
    for (unsigned round = 0; round < oracle::rounds(60U); ++round) {
        const auto x = oracle::random_layout<T>(random);
        const auto axis = random.axis_of(x.naive.shape);
        const index_t n = x.naive.shape[axis];
        const bool any_empty = random.one_in(2);
        const pv::WindowRanges windows = random_ranges(random, n, random.one_in(2), any_empty);
        const auto at = static_cast<index_t>(axis);
        INFO(x.name << " axis " << axis << " windows " << windows.begin.size());
        const auto begins = pv::tensor(std::vector<index_t>(windows.begin));
        const auto ends = pv::tensor(std::vector<index_t>(windows.end));
        CHECK(oracle::agrees(pv::range_windows(x.real, begins, ends, pv::sum, at),
                             of_windows<R>(x.naive, axis, windows,
                                           [](const std::vector<R>& w) {
                                               return std::accumulate(w.begin(), w.end(), R{});
                                           }),
                             1000));
        index_t longest = 0;
        for (std::size_t i = 0; i < windows.begin.size(); ++i)
            longest = std::max(longest, windows.end[i] - windows.begin[i]);
        if (longest <= 6 || std::integral<T>) // products of more floats overflow
            CHECK(oracle::agrees(
                x.real | pv::range_windows(begins, ends, pv::product, at),
                of_windows<R>(x.naive, axis, windows,
                              [](const std::vector<R>& w) {
                                  using U = std::conditional_t<std::integral<R>, std::uint64_t, R>;
                                  U all{1};
                                  for (const R each : w) all *= static_cast<U>(each);
                                  return static_cast<R>(all);
                              }),
                1e6));
        CHECK(oracle::agrees(pv::range_windows(x.real, windows, pv::mean, at),
                             of_windows<M>(x.naive, axis, windows,
                                           [](const std::vector<M>& w) {
                                               return std::accumulate(w.begin(), w.end(), M{}) /
                                                      static_cast<M>(w.size());
                                           }),
                             1000));
        const auto size = [](const pv::Tensor<T>& w) { return w.size(); };
        CHECK(oracle::agrees(pv::range_windows(x.real, windows, size, at),
                             of_windows<std::int64_t>(x.naive, axis, windows, [](const Longs& w) {
                                 return std::int64_t{std::ssize(w)};
                             })));
        bool empty = false;
        for (std::size_t i = 0; i < windows.begin.size(); ++i)
            empty = empty || windows.begin[i] == windows.end[i];
        if (empty) {
            CHECK_THROWS_WITH(pv::range_windows(x.real, windows, pv::min, at),
                              ContainsSubstring("range_windows: window") &&
                                  ContainsSubstring("is empty"));
            continue;
        }
        CHECK(oracle::agrees(pv::range_windows(x.real, windows, pv::min, at),
                             of_windows<T>(x.naive, axis, windows, [](const std::vector<T>& w) {
                                 return T(*std::min_element(w.begin(), w.end()));
                             })));
        CHECK(oracle::agrees(
            pv::range_windows(pv::AnyTensor(x.real), windows, pv::max, at).template as<T>(),
            of_windows<T>(x.naive, axis, windows, [](const std::vector<T>& w) {
                return T(*std::max_element(w.begin(), w.end()));
            })));
    }
}

} // namespace

TEST_CASE("range_windows agrees with each window by itself") {
    check_ranges<std::int16_t>(31);
    check_ranges<float>(32);
    check_ranges<double>(33);
    check_ranges<bool>(34);
}

TEST_CASE("range_windows: vectors, empty windows, NaN, dims, other types") {
    const std::vector<double> x{1, 2, 4, 8};
    const std::vector<int> begins{0, 1, 2, 0};
    const std::vector<unsigned char> ends{1, 3, 2, 4};
    CHECK(pv::to_vector(pv::range_windows(x, begins, ends, pv::sum)) == Doubles{1, 6, 0, 15});
    CHECK(pv::to_vector(x | pv::range_windows(begins, ends, pv::product)) == Doubles{1, 8, 1, 64});
    const auto means = pv::to_vector(pv::range_windows(x, begins, ends, pv::mean));
    CHECK(means[1] == 3);
    CHECK(std::isnan(means[2]));
    const auto spread = [](const pv::Tensor<double>& w) {
        return w.empty() ? -1.0 : pv::max(w) - pv::min(w);
    };
    CHECK(pv::to_vector(pv::range_windows(x, begins, ends, spread)) == Doubles{0, 2, -1, 7});
    CHECK(std::isnan(double(pv::range_windows(x, begins, ends, pv::median)(2))));

    const auto gaps = pv::tensor({1., kNaN, 4., kNaN});
    const pv::WindowRanges windows{{0, 1, 3, 2}, {4, 3, 4, 2}};
    CHECK(pv::to_vector(pv::range_windows(gaps, windows, pv::sum(pv::skip_nan))) ==
          Doubles{5, 4, 0, 0});
    const auto least = pv::to_vector(pv::range_windows(gaps, windows, pv::min(pv::skip_nan)));
    CHECK(least[0] == 1);
    CHECK(least[1] == 4);
    CHECK(std::isnan(least[2]));
    CHECK(std::isnan(least[3]));
    CHECK_THROWS_AS(pv::range_windows(gaps, windows, pv::sum(pv::throw_nan)), pv::ArithmeticError);

    const pv::Dim i("i");
    const auto m = pv::tensor({{1, 2, 3}, {4, 5, 6}});
    const pv::WindowRanges two{{0, 1}, {2, 3}};
    CHECK(pv::to_vector(pv::range_windows(m(i, pv::all), two, pv::sum, 0) | pv::order(i)) ==
          Longs{3, 5, 9, 11});
    CHECK_THROWS_AS(pv::range_windows(m(i, pv::all), two, pv::sum, i), pv::DimError);
    CHECK(pv::to_vector(pv::range_windows(m, two, pv::sum)) == Longs{3, 5, 9, 11});
    const auto words = pv::tensor({"a", "b", "c"});
    CHECK(pv::to_vector(pv::range_windows(words, two, pv::sum)) ==
          std::vector<std::string>{"ab", "bc"});
    CHECK(pv::range_windows(m, pv::WindowRanges{}, pv::sum).shape() == pv::Shape{2, 0});
    CHECK(pv::range_windows(pv::zeros({0, 2}), pv::WindowRanges{{0, 0, 2}, {1, 2, 2}}, pv::sum)
              .shape() == pv::Shape{0, 3});
    CHECK(pv::to_vector(pv::range_windows(pv::zeros({0}), pv::WindowRanges{{0}, {0}}, pv::sum)) ==
          Doubles{0});
}

TEST_CASE("range_windows: what it refuses") {
    const auto x = pv::tensor({1., 2., 3.});
    const auto fails = [&](index_t begin, index_t end) {
        CHECK_THROWS_AS(pv::range_windows(x, pv::WindowRanges{{0, begin}, {1, end}}, pv::sum),
                        pv::IndexError);
        CHECK_THROWS_WITH(pv::range_windows(x, pv::WindowRanges{{0, begin}, {1, end}}, pv::sum),
                          ContainsSubstring("range_windows: window 1") &&
                              ContainsSubstring("size 3"));
    };
    fails(-1, 2);
    fails(2, 1);
    fails(2, 4);
    fails(std::numeric_limits<index_t>::min(), std::numeric_limits<index_t>::max());
    CHECK_THROWS_AS(pv::range_windows(x, pv::tensor({0, 1}), pv::tensor({1}), pv::sum),
                    pv::ShapeError);
    CHECK_THROWS_AS(pv::range_windows(x, pv::tensor({0.}), pv::tensor({1.}), pv::sum),
                    pv::DtypeError);
    CHECK_THROWS_AS(pv::range_windows(x, pv::tensor({{0}}), pv::tensor({{1}}), pv::sum),
                    pv::ShapeError);
    CHECK_THROWS_AS(pv::range_windows(x, pv::tensor({0}), pv::tensor({1}), pv::sum, 1),
                    pv::IndexError);
    CHECK_THROWS_AS(
        pv::range_windows(pv::reshape(pv::tensor({2.}), {}), pv::WindowRanges{{0}, {1}}, pv::sum),
        pv::IndexError);
}

TEST_CASE("windows a step apart are every so many of all") {
    Random random(24);
    for (unsigned round = 0; round < oracle::rounds(80U); ++round) {
        const auto x = oracle::random_layout<double>(random);
        const auto axis = static_cast<index_t>(random.axis_of(x.naive.shape));
        const index_t n = x.naive.shape[static_cast<std::size_t>(axis)];
        const index_t width = random.between(1, 9);
        const index_t step = random.between(1, n + 3);
        const auto position = static_cast<pv::WindowPosition>(random.between(0, 2));
        INFO(x.name << " axis " << axis << " width " << width << " step " << step);
        const auto last = [](const pv::Tensor<double>& w) { return double(w(-1)); };
        const auto check = [&](const auto& reducer) {
            std::vector<pv::TensorIndex> chosen(x.naive.shape.size(), pv::TensorIndex(pv::all));
            chosen[static_cast<std::size_t>(axis)] = pv::range(0, n, step);
            const auto every = [&](const auto& results) {
                return pv::AnyTensor(
                    pv::Tensor<typename std::decay_t<decltype(results)>::value_type>(
                        pv::select_operand(results.operand(), chosen)));
            };
            const pv::RollingOptions options{position, pv::PadMode::edge, step};
            CHECK(pv::equals(
                pv::AnyTensor(pv::fixed_rolling_window(x.real, width, reducer, axis, options)),
                every(pv::fixed_rolling_window(x.real, width, reducer, axis, {position})), 1e-9));
            const auto keys = pv::arange(n);
            // Sums of the same elements, which may be joined in another order.
            CHECK(pv::equals(
                pv::AnyTensor(pv::variable_rolling_window(x.real, keys, width, reducer, axis,
                                                          {position, step})),
                every(pv::variable_rolling_window(x.real, keys, width, reducer, axis, position)),
                1e-9));
        };
        check(pv::sum);
        check(pv::mean);
        check(pv::max);
        check(pv::variance);
        check(last);
        check(pv::mean(pv::skip_nan));
    }
    const auto x = pv::tensor({1., 2., 3., 4.});
    CHECK(pv::to_vector(x | pv::fixed_rolling_window(2, pv::sum,
                                                     {.position = pv::WindowPosition::leading,
                                                      .step = 2})) == Doubles{3, 7});
    CHECK(pv::to_vector(pv::fixed_rolling_window(
              x, 1, [](const pv::Tensor<double>& w) { return double(w(0)); },
              {.step = std::numeric_limits<index_t>::max()})) == Doubles{1});
    for (const index_t wrong : {0, -1}) {
        CHECK_THROWS_AS(pv::fixed_rolling_window(x, 2, pv::sum, {.step = wrong}), pv::ShapeError);
        CHECK_THROWS_AS(
            pv::variable_rolling_window(x, x, 2, pv::sum, {pv::WindowPosition::left, wrong}),
            pv::ShapeError);
    }
    const pv::Dim i("i");
    CHECK_THROWS_AS(pv::fixed_rolling_window(x(i), 2, pv::sum, i, {.step = 2}), pv::DimError);
    CHECK_THROWS_AS(
        pv::variable_rolling_window(x(i), x, 2, pv::sum, i, {pv::WindowPosition::left, 2}),
        pv::DimError);
    CHECK_THROWS_AS(pv::variable_rolling_window(x, pv::tensor({1, 2, 3}), 2, pv::sum,
                                                {pv::WindowPosition::left, 2}),
                    pv::ShapeError);
    const auto scalar = pv::reshape(pv::tensor({2.}), {});
    CHECK(pv::fixed_rolling_window(scalar, 3, pv::sum, {.step = 4}).item() == 6);
}

TEST_CASE("windows by pandas's names") {
    const auto x = pv::tensor({0., 1., 2., 3., 4.});
    // pandas: s.rolling(3, min_periods=1).sum() and .rolling(FixedForwardWindowIndexer(window_size=3), min_periods=1).sum()
    CHECK(pv::to_vector(pv::variable_rolling_window(x, pv::arange(5), 3, pv::sum,
                                                    pv::WindowPosition::trailing)) ==
          Doubles{0, 1, 3, 6, 9});
    CHECK(pv::to_vector(pv::variable_rolling_window(x, pv::arange(5), 3, pv::sum,
                                                    pv::WindowPosition::leading)) ==
          Doubles{3, 6, 9, 7, 4});
    CHECK(pv::to_vector(pv::fixed_rolling_window(x, 3, pv::sum, {pv::WindowPosition::trailing})) ==
          Doubles{0, 1, 3, 6, 9});
    CHECK(pv::to_vector(pv::fixed_rolling_window(x, 3, pv::sum, {pv::WindowPosition::center})) ==
          Doubles{1, 3, 6, 9, 11});
}

TEST_CASE("variable_rolling_window by a comparison agrees with a look at every key") {
    Random random(25);
    for (unsigned round = 0; round < oracle::rounds(150U); ++round) {
        const index_t n = random.between(0, 50);
        const bool falling = random.one_in(2);
        std::vector<double> keys;
        Doubles values;
        double key = 1;
        for (index_t k = 0; k < n; ++k) {
            keys.push_back(key);
            if (!random.one_in(3)) key *= falling ? 0.9 : 1.1;
            values.push_back(static_cast<double>(random.between(-9, 9)));
        }
        const double factor = 1 + static_cast<double>(random.between(0, 6)) / 10;
        const auto near = [factor](double a, double b) {
            return b <= factor * a && a <= factor * b;
        };
        const auto position = static_cast<pv::WindowPosition>(random.between(0, 2));
        const auto naive = [&](auto reduce) {
            Doubles out;
            for (std::size_t i = 0; i < keys.size(); ++i) {
                Doubles window;
                for (std::size_t other = 0; other < keys.size(); ++other) {
                    const bool before = other < i && position != pv::WindowPosition::right;
                    const bool behind = other > i && position != pv::WindowPosition::left;
                    if (other == i || ((before || behind) &&
                                       near(keys[std::min(i, other)], keys[std::max(i, other)])))
                        window.push_back(values[other]);
                }
                out.push_back(reduce(window));
            }
            return out;
        };
        const auto x = pv::tensor(Doubles(values));
        const auto k = pv::tensor(std::vector<double>(keys));
        INFO("round " << round << " factor " << factor << " falling " << falling);
        const auto total = [](const Doubles& w) {
            return std::accumulate(w.begin(), w.end(), 0.0);
        };
        CHECK(pv::to_vector(pv::variable_rolling_window(x, k, near, pv::sum, position)) ==
              naive(total));
        CHECK(pv::to_vector(x | pv::variable_rolling_window(
                                    k, near, [](const pv::Tensor<double>& w) { return pv::sum(w); },
                                    position)) == naive(total));
    }
    const std::vector<std::string> names{"anna", "anne", "bert", "bob", "carl"};
    const auto one_letter = [](const std::string& a, const std::string& b) { return a[0] == b[0]; };
    CHECK(pv::to_vector(pv::variable_rolling_window(pv::tensor({1, 2, 3, 4, 5}), names, one_letter,
                                                    pv::sum, pv::WindowPosition::centre)) ==
          Longs{3, 3, 7, 7, 5});
    CHECK_THROWS_AS(pv::variable_rolling_window(pv::tensor({1, 2}), names, one_letter, pv::sum),
                    pv::ShapeError);
}

} // namespace window_ranges_test
