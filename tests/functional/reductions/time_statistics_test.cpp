#include <support/catch.hpp>

#include <purview/base/errors.hpp>
#include <purview/chrono.hpp>
#include <purview/functional/along/differences.hpp>
#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/functional/statistics/group_by.hpp>
#include <purview/functional/statistics/percentiles.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/literal.hpp>
#include <purview/tensor/views.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace time_statistics_test {

namespace {

namespace pv = purview;
using namespace std::chrono;
using namespace std::chrono_literals;
using Days = std::vector<sys_days>;

sys_days date_at(int y, unsigned m, unsigned d) {
    return sys_days(year(y) / month(m) / std::chrono::day(d));
}

template <typename T>
std::vector<T> random_times(unsigned seed, std::size_t n, std::int64_t reach) {
    using Duration = typename pv::TimeType<T>::Duration;
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<std::int64_t> count(-reach, reach);
    std::vector<T> times;
    for (std::size_t i = 0; i < n; ++i)
        times.push_back(T(Duration(static_cast<typename Duration::rep>(count(random)))));
    return times;
}

template <typename T>
std::int64_t count_of(const T& time) {
    return std::int64_t{pv::TimeType<T>::count(time)};
}

/// The nearest count, in the middle the lesser, of `sum / parts`.
std::int64_t nearest(long double sum, long double parts) {
    return static_cast<std::int64_t>(std::ceil(sum / parts - 0.5L));
}

/// Each figure beside one in long double, which is exact for counts of this size.
template <typename T>
void check_figures(std::int64_t reach) {
    for (const std::size_t n : std::vector<std::size_t>{1, 2, 3, 10, 101, 5000}) {
        const auto times = random_times<T>(static_cast<unsigned>(n), n, reach);
        const auto t = pv::tensor(std::vector<T>(times));
        INFO("n " << n);
        long double sum = 0;
        std::vector<std::int64_t> counts;
        for (const T& time : times) {
            counts.push_back(count_of(time));
            sum += static_cast<long double>(counts.back());
        }
        std::ranges::sort(counts);
        STATIC_REQUIRE(std::same_as<decltype(pv::mean(t)), T>);
        CHECK(count_of(pv::mean(t)) == nearest(sum, static_cast<long double>(n)));
        CHECK(count_of(pv::min(t)) == counts.front());
        CHECK(count_of(pv::max(t)) == counts.back());
        const auto lower = static_cast<long double>(counts[(n - 1) / 2]);
        const auto upper = static_cast<long double>(counts[n / 2]);
        CHECK(count_of(pv::median(t)) == nearest(lower + upper, 2));
        for (const double q : {0.0, 0.25, 0.625, 1.0}) { // exact in binary
            const long double place = static_cast<long double>(n - 1) * static_cast<long double>(q);
            const auto low = static_cast<std::size_t>(place);
            const std::size_t high = std::min(low + 1, n - 1);
            const long double share = place - static_cast<long double>(low);
            const auto a = static_cast<long double>(counts[low]);
            const auto b = static_cast<long double>(counts[high]);
            CHECK(count_of(pv::quantile(t, q)) == nearest(a + share * (b - a), 1));
            CHECK(count_of(pv::percentile(t, 100 * q)) == count_of(pv::quantile(t, q)));
        }
        const auto five = pv::quartiles(t);
        CHECK(five.shape() == pv::Shape{5});
        CHECK(count_of(five.read(0)) == counts.front());
        CHECK(five.read(2) == pv::median(t));
        CHECK(count_of(pv::quantile(t, 0.3, pv::QuantileMethod::lower)) ==
              counts[static_cast<std::size_t>(static_cast<double>(n - 1) * 0.3)]);
    }
}

} // namespace

TEST_CASE("mean, median, extremes and quantiles of times are times") {
    check_figures<sys_days>(30'000);
    check_figures<sys_time<nanoseconds>>(std::int64_t{1} << 57);
    check_figures<seconds>(1000);
    check_figures<duration<std::int32_t, std::milli>>(1'000'000);
    check_figures<local_time<milliseconds>>(1'000'000'000);
}

TEST_CASE("figures of times along axes and dims, of windows and groups") {
    const Days days_of{date_at(2020, 1, 1), date_at(2020, 1, 3),   date_at(2020, 2, 29),
                       date_at(2020, 3, 1), date_at(2019, 12, 31), date_at(2020, 1, 2)};
    const auto t = pv::reshape(pv::tensor(Days(days_of)), {2, 3});
    CHECK(pv::to_vector(pv::mean(t, 0)) ==
          Days{date_at(2020, 1, 31), date_at(2020, 1, 1), date_at(2020, 1, 31)});
    CHECK(pv::to_vector(pv::mean(t + days(0), 1)) ==
          Days{date_at(2020, 1, 21), date_at(2020, 1, 21)});
    CHECK(pv::to_vector(pv::median(t, 1)) == Days{date_at(2020, 1, 3), date_at(2020, 1, 2)});
    CHECK(pv::max(t, 1, pv::keep_dims).shape() == pv::Shape{2, 1});
    CHECK(pv::percentile(t, {0, 50, 100}, 1).shape() == pv::Shape{3, 2});
    CHECK(pv::to_vector(pv::percentile(t, {0, 50, 100}, 1))[5] == date_at(2020, 3, 1));
    const pv::Dim i("i");
    const pv::Dim j("j");
    CHECK(pv::to_vector(pv::mean(t(i, j), i) | pv::order(j)) == pv::to_vector(pv::mean(t, 0)));
    CHECK(pv::to_vector(pv::median(t(i, j), j) | pv::order(i)) == pv::to_vector(pv::median(t, 1)));
    CHECK(pv::mean(days_of) == date_at(2020, 1, 21));
    CHECK(pv::mean(t, pv::skip_nan) == date_at(2020, 1, 21));
    CHECK(pv::median(t, pv::throw_nan) == date_at(2020, 1, 2));
    const auto [keys, means] =
        pv::group_by_reduce(pv::tensor({1, 0, 1, 0, 1, 0}), pv::tensor(Days(days_of)), pv::mean);
    CHECK(pv::to_vector(means) == Days{date_at(2020, 1, 22), date_at(2020, 1, 20)});
    CHECK(pv::to_vector(pv::fixed_rolling_window(pv::tensor(Days(days_of)), 2, pv::mean,
                                                 {pv::WindowPosition::trailing}))[1] ==
          date_at(2020, 1, 2));

    const auto none = pv::tensor(Days{});
    CHECK_THROWS_AS(pv::mean(none), pv::ShapeError);
    CHECK_THROWS_AS(pv::median(none), pv::ShapeError);
    CHECK(pv::mean(pv::reshape(none, {0, 3}), 1).shape() == pv::Shape{0});
    CHECK_THROWS_AS(pv::mean(pv::reshape(none, {0, 3}), 0), pv::ShapeError);
    CHECK_THROWS_AS(pv::quantile(t, 1.5), pv::Error);
    using Time = decltype(t)::value_type;
    CHECK(pv::mean(pv::AnyTensor(t)).item<Time>() == pv::mean(t));
    CHECK(pv::median(pv::AnyTensor(t)).item<Time>() == pv::median(t));
    CHECK_THROWS_AS(pv::diff1d(pv::AnyTensor(t)), pv::DtypeError);
    const auto ends = pv::tensor({sys_seconds::min() + 1s, sys_seconds::max()});
    CHECK(pv::mean(ends) == sys_seconds(seconds(0)));
    CHECK(pv::median(ends) == sys_seconds(seconds(0)));
    CHECK(pv::quantile(ends, 1) == sys_seconds::max());
}

TEST_CASE("diff1d of times gives durations") {
    const auto times = random_times<sys_seconds>(3, 60, 1'000'000);
    const auto t = pv::tensor(std::vector(times));
    const auto steps = pv::diff1d(t);
    STATIC_REQUIRE(std::same_as<decltype(steps)::value_type, seconds>);
    const auto twice = pv::to_vector(t | pv::diff1d(0, 2));
    const auto once = pv::to_vector(steps);
    REQUIRE(once.size() == 59);
    REQUIRE(twice.size() == 58);
    for (std::size_t i = 0; i < once.size(); ++i) {
        CHECK(once[i] == times[i + 1] - times[i]);
        if (i > 0) CHECK(twice[i - 1] == once[i] - once[i - 1]);
    }
    const auto table = pv::reshape(t, {6, 10});
    const auto down = pv::to_vector(pv::diff1d(table, 0));
    for (std::size_t i = 0; i < down.size(); ++i) CHECK(down[i] == times[i + 10] - times[i]);
    const pv::Dim i("i");
    CHECK(pv::to_vector(pv::diff1d(table(i, pv::all), 0) | pv::order(i)) ==
          pv::to_vector(pv::diff1d(table, 1)));
    CHECK(pv::to_vector(pv::diff1d(pv::transpose(table) + hours(1), 1)) ==
          pv::to_vector(pv::transpose(pv::diff1d(table, 0))));
    CHECK(pv::to_vector(pv::diff1d(Days{date_at(2020, 2, 28), date_at(2020, 3, 1)})) ==
          std::vector{days(2)});
    const auto lengths = pv::tensor({seconds(3), seconds(10)});
    CHECK(pv::to_vector(pv::diff1d(lengths)) == std::vector{seconds(7)});
    CHECK(pv::to_vector(pv::diff1d(lengths, 0, 0)) == std::vector{seconds(3), seconds(10)});
    CHECK(pv::diff1d(pv::tensor(Days{})).size() == 0);
    CHECK_THROWS_AS(pv::diff1d(t, 0, 0), pv::ShapeError);
    CHECK_THROWS_AS(pv::diff1d(t, 0, -1), pv::ShapeError);
    CHECK_THROWS_AS(pv::diff1d(t(i), i), pv::DimError);
}

} // namespace time_statistics_test
