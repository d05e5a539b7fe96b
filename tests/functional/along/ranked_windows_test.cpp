#include <support/catch.hpp>
#include <support/oracle.hpp>
#include <support/random_choice.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/progress.hpp>
#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/along/window_ranges.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/functional/statistics/percentiles.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ranked_windows_test {

namespace {

namespace pv = purview;
using oracle::Random;
using pv::index_t;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// Numbers with ties, infinities and NaN, in any order, ascending or descending.
std::vector<double> numbers(Random& random, index_t n, bool any_nan) {
    std::vector<double> x;
    for (index_t i = 0; i < n; ++i) {
        const index_t kind = random.between(0, 19);
        x.push_back(kind == 0              ? kInf
                    : kind == 1            ? -kInf
                    : kind == 2 && any_nan ? kNaN
                                           : static_cast<double>(random.between(-9, 9)) / 4);
    }
    const index_t order = random.between(0, 2);
    const auto known = std::ranges::partition(x, [](double each) { return !std::isnan(each); });
    if (order == 1) std::sort(x.begin(), known.begin());
    if (order == 2) std::sort(x.begin(), known.begin(), std::greater<>());
    if (order == 0)
        for (std::size_t i = x.size(); i > 1; --i)
            std::swap(x[i - 1],
                      x[static_cast<std::size_t>(random.between(0, static_cast<index_t>(i) - 1))]);
    return x;
}

/// numpy.quantile(…, method="linear"), of sorted elements; numpy.nanquantile with `skips`.
double quantile_of(std::vector<double> x, double q, bool skips) {
    if (const auto nan = std::erase_if(x, [](double each) { return std::isnan(each); });
        x.empty() || (nan > 0 && !skips))
        return kNaN;
    std::ranges::sort(x);
    const double place = q * static_cast<double>(x.size() - 1);
    const auto low = static_cast<std::size_t>(place);
    const double share = place - std::floor(place);
    if (share == 0 || x[low] == x[low + 1]) return x[low];
    if (!std::isfinite(x[low + 1] - x[low])) return x[low] + x[low + 1];
    return x[low] + share * (x[low + 1] - x[low]);
}

void check_close(const pv::Tensor<double>& found, const std::vector<double>& expected) {
    REQUIRE(found.size() == std::ssize(expected));
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double f = found(static_cast<index_t>(i));
        INFO(i << ": " << f << " and " << expected[i]);
        CHECK((f == expected[i] || (std::isnan(f) && std::isnan(expected[i])) ||
               std::abs(f - expected[i]) < 1e-12));
    }
}

std::vector<double> of_windows(const std::vector<double>& x, const pv::WindowRanges& windows,
                               double q, bool skips) {
    std::vector<double> results;
    for (std::size_t i = 0; i < windows.begin.size(); ++i)
        results.push_back(
            quantile_of({x.begin() + windows.begin[i], x.begin() + windows.end[i]}, q, skips));
    return results;
}

} // namespace

TEST_CASE("expanding medians and quantiles: numpy.median of each sorted prefix") {
    Random random(51);
    for (unsigned round = 0; round < oracle::rounds(60U); ++round) {
        const index_t n = random.between(0, 300);
        const std::vector<double> values = numbers(random, n, random.one_in(2));
        const auto x = pv::tensor(values);
        pv::WindowRanges prefixes;
        for (index_t i = 0; i < n; ++i) {
            prefixes.begin.push_back(0);
            prefixes.end.push_back(i + 1);
        }
        check_close(pv::expanding_window(x, pv::median), of_windows(values, prefixes, 0.5, false));
        check_close(pv::expanding_window(x, pv::median(pv::skip_nan)),
                    of_windows(values, prefixes, 0.5, true));
        check_close(x | pv::expanding_window(pv::quantile(0.3, pv::skip_nan)),
                    of_windows(values, prefixes, 0.3, true));
        check_close(pv::expanding_window(pv::AnyTensor(x), pv::percentile(90.)).as<double>(),
                    of_windows(values, prefixes, 0.9, false));
    }
}

TEST_CASE("medians of ranges and of keys: numpy.median of each sorted window") {
    Random random(52);
    for (unsigned round = 0; round < oracle::rounds(60U); ++round) {
        const index_t n = random.between(1, 300);
        const std::vector<double> values = numbers(random, n, random.one_in(2));
        const auto x = pv::tensor(values);
        pv::WindowRanges windows;
        const bool ascend = random.one_in(2);
        for (index_t i = random.between(0, 60); i-- > 0;) {
            const index_t least = ascend && !windows.end.empty() ? windows.begin.back() : 0;
            const index_t begin = std::min(n, least + random.between(0, 20));
            const index_t from =
                ascend && !windows.end.empty() ? std::max(begin, windows.end.back()) : begin;
            windows.begin.push_back(begin);
            windows.end.push_back(random.one_in(9) ? begin
                                                   : std::min(n, from + random.between(0, 30)));
        }
        for (const bool skips : {false, true}) {
            const auto expected = of_windows(values, windows, 0.5, skips);
            if (skips)
                check_close(pv::range_windows(x, windows, pv::median(pv::skip_nan)), expected);
            else
                check_close(pv::range_windows(x, windows, pv::median), expected);
        }
        const double width = static_cast<double>(random.between(1, 400));
        pv::WindowRanges trailing;
        for (index_t i = 0; i < n; ++i) {
            trailing.begin.push_back(std::max(index_t{0}, i + 1 - static_cast<index_t>(width)));
            trailing.end.push_back(i + 1);
        }
        check_close(pv::variable_rolling_window(x, pv::arange(0., static_cast<double>(n)), width,
                                                pv::median),
                    of_windows(values, trailing, 0.5, false));
    }
}

TEST_CASE("fixed windows so wide that ranks are known have the medians of each window") {
    Random random(53);
    const index_t n = 9'500;
    std::vector<double> values = numbers(random, n, false);
    values[4000] = kNaN;
    const auto x = pv::tensor(values);
    const index_t width = 8'192;
    for (const index_t step : {1, 97}) {
        const auto one = [](const pv::Tensor<double>& w) -> double { return pv::median(w); };
        const auto known = [](const pv::Tensor<double>& w) -> double {
            return pv::median(w, pv::skip_nan);
        };
        const pv::RollingOptions options{.step = step * 20};
        check_close(pv::fixed_rolling_window(x, width, pv::median, options),
                    pv::to_vector(pv::fixed_rolling_window(x, width, one, options)));
        check_close(pv::fixed_rolling_window(x, width, pv::median(pv::skip_nan), options),
                    pv::to_vector(pv::fixed_rolling_window(x, width, known, options)));
    }
}

TEST_CASE("expanding reductions of lanes along axes, of other types, and their errors") {
    const auto m = pv::tensor<std::int32_t>({{4, 2, 9}, {6, 1, 9}, {5, 5, 5}});
    CHECK(pv::to_vector(pv::expanding_window(m, pv::median, 0)) ==
          std::vector<double>{4, 2, 9, 5, 1.5, 9, 5, 2, 9});
    CHECK(pv::to_vector(pv::expanding_window(pv::tensor({1.f, 4.f, 2.f}), pv::median)) ==
          std::vector<float>{1, 2.5, 2});
    CHECK(pv::to_vector(pv::expanding_window(pv::AnyTensor(m), pv::median).as<double>())[3] == 6);
    CHECK(pv::to_vector(
              pv::range_windows(m, pv::tensor({0, 0}), pv::tensor({0, 3}), pv::median, 0))[3] == 5);
    CHECK_THROWS_AS(pv::expanding_window(pv::tensor({1., 2.}), pv::quantile(2.)), pv::Error);
    CHECK_THROWS_AS(pv::expanding_window(pv::tensor({1., kNaN}), pv::median(pv::throw_nan)),
                    pv::ArithmeticError);
}

TEST_CASE("an expanding median of many elements takes O(log n) for each, and can be ended") {
    const index_t n = 1 << 20;
    const auto x = pv::clone((pv::arange(0., static_cast<double>(n)) * 7919.) % 1048573.);
    const auto found = pv::expanding_window(x, pv::median);
    CHECK(found(n - 1) == pv::median(x));
    CHECK(found(99'999) == pv::median(x(pv::range(0, 100'000))));
    int calls = 0;
    const auto ending = pv::on_progress([&](const pv::Progress&) { return ++calls < 3; },
                                        {.after_seconds = 0, .every_seconds = 0});
    CHECK_THROWS_AS(pv::expanding_window(x, pv::median), pv::Cancelled);
}

} // namespace ranked_windows_test
