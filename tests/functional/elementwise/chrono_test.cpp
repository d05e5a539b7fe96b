#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/chrono.hpp>
#include <purview/functional/along/sorting.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>

#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace chrono_test {

namespace {

namespace pv = purview;
using namespace std::chrono;
using Catch::Matchers::ContainsSubstring;
using Numbers = std::vector<int>;

std::int64_t floored(std::int64_t x, std::int64_t by) { return x / by - (x % by < 0 ? 1 : 0); }

/// Counted year by year and month by month from 1970.
struct Date {
    int year = 1970, month = 1, day = 1;
};
bool leaps(int y) { return y % 4 == 0 && (y % 100 != 0 || y % 400 == 0); }
int days_of(int y, int m) {
    return m == 2 ? (leaps(y) ? 29 : 28) : m == 4 || m == 6 || m == 9 || m == 11 ? 30 : 31;
}
void step(Date& date) {
    if (++date.day <= days_of(date.year, date.month)) return;
    date.day = 1;
    if (++date.month <= 12) return;
    date.month = 1;
    ++date.year;
}

template <typename D>
std::vector<sys_time<D>> random_times(unsigned seed, std::int64_t widest) {
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<std::int64_t> any(-widest, widest);
    std::vector<sys_time<D>> times;
    for (int i = 0; i < 1000; ++i) times.emplace_back(D(static_cast<typename D::rep>(any(random))));
    for (const int near : {0, 1, -1}) times.emplace_back(D(near));
    return times;
}

template <typename D>
void check_fields(std::int64_t widest) {
    const auto times = random_times<D>(7, widest);
    const auto t = pv::tensor(std::vector(times));
    const Numbers years = pv::to_vector(pv::year_of(t)), months = pv::to_vector(t | pv::month_of),
                  dates = pv::to_vector(pv::day_of(t)),
                  weekdays = pv::to_vector(pv::day_of_week(t)),
                  hours_of = pv::to_vector(pv::hour_of(t)),
                  minutes_of = pv::to_vector(pv::minute_of(t)),
                  seconds_of = pv::to_vector(pv::second_of(t)),
                  thousandths = pv::to_vector(pv::millisecond_of(t)),
                  millionths = pv::to_vector(pv::microsecond_of(t)),
                  billionths = pv::to_vector(pv::nanosecond_of(t));
    for (std::size_t i = 0; i < times.size(); ++i) {
        INFO(times[i].time_since_epoch().count());
        const auto day = floor<days>(times[i]);
        const year_month_day civil{day};
        const hh_mm_ss time{floor<nanoseconds>(times[i] - day)};
        CHECK(years[i] == static_cast<int>(civil.year()));
        CHECK(months[i] == static_cast<int>(static_cast<unsigned>(civil.month())));
        CHECK(dates[i] == static_cast<int>(static_cast<unsigned>(civil.day())));
        CHECK(weekdays[i] == static_cast<int>(weekday{day}.iso_encoding()));
        CHECK(hours_of[i] == time.hours().count());
        CHECK(minutes_of[i] == time.minutes().count());
        CHECK(seconds_of[i] == time.seconds().count());
        const auto rest = time.subseconds().count();
        CHECK(thousandths[i] == rest / 1'000'000);
        CHECK(millionths[i] == rest / 1000 % 1000);
        CHECK(billionths[i] == rest % 1000);
    }
}

} // namespace

TEST_CASE("Fields of every day of eight centuries, and of some ISO weeks") {
    constexpr int kDays = 365 * 400;
    Date date;
    std::vector<sys_days> list;
    std::vector<Date> expected;
    for (int i = 0; i < kDays; ++i, step(date)) {
        list.emplace_back(days(i));
        expected.push_back(date);
    }
    const auto t = pv::tensor(std::move(list));
    const Numbers years = pv::to_vector(pv::year_of(t)), months = pv::to_vector(pv::month_of(t)),
                  dates = pv::to_vector(pv::day_of(t)), quarters = pv::to_vector(pv::quarter_of(t)),
                  places = pv::to_vector(pv::day_of_year(t)),
                  week_days = pv::to_vector(pv::day_of_week(t)),
                  weeks = pv::to_vector(pv::iso_week_of(t)),
                  week_years = pv::to_vector(pv::iso_year_of(t));
    bool same = true;
    int place = 0, week = 1, week_year = 1970; // the 1st of January 1970 is a Thursday
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const Date& now = expected[i];
        place = now.month == 1 && now.day == 1 ? 1 : place + 1;
        const int of_week = (static_cast<int>(i) + 3) % 7 + 1;
        if (of_week == 1) { // a new week: it begins a year if its Thursday is the first one
            Date thursday = now;
            for (int k = 0; k < 3; ++k) step(thursday);
            const bool first = thursday.month == 1 && thursday.day <= 7;
            week = first ? 1 : week + 1;
            week_year = thursday.year;
        }
        same = same && years[i] == now.year && months[i] == now.month && dates[i] == now.day &&
               quarters[i] == (now.month + 2) / 3 && places[i] == place &&
               week_days[i] == of_week && weeks[i] == week && week_years[i] == week_year;
    }
    CHECK(same);
    const auto some = pv::tensor(
        std::vector<sys_days>{2005y / 1 / 1, 2007y / 12 / 31, 2008y / 12 / 28, 2010y / 1 / 3});
    CHECK(pv::to_vector(pv::iso_week_of(some)) == Numbers{53, 1, 52, 53});
    CHECK(pv::to_vector(pv::iso_year_of(some)) == Numbers{2004, 2008, 2008, 2009});
}

TEST_CASE("Fields of times in every unit agree with std::chrono's") {
    constexpr std::int64_t kYears = 30'000; // what std::chrono has
    check_fields<days>(kYears * 365);
    check_fields<weeks>(kYears * 52);
    check_fields<hours>(kYears * 365 * 24);
    check_fields<minutes>(kYears * 365 * 1440);
    check_fields<seconds>(kYears * 365 * 86'400);
    check_fields<milliseconds>(kYears * 365 * 86'400'000);
    check_fields<microseconds>(std::numeric_limits<std::int64_t>::max() / 10);
    check_fields<nanoseconds>(std::numeric_limits<std::int64_t>::max() / 2);
    check_fields<duration<std::int64_t, std::ratio<1, 100>>>(kYears * 365 * 8'640'000);
    check_fields<duration<std::int64_t, std::ratio<1800>>>(kYears * 365 * 48);
    check_fields<duration<std::int32_t, std::ratio<60>>>(std::numeric_limits<std::int32_t>::max());
}

TEST_CASE("Days that no calendar has are refused when they are read") {
    const std::int64_t far = std::int64_t{1} << 39;
    const auto t =
        pv::tensor(std::vector<sys_days>{sys_days(days(far - 1)), sys_days(days(1 - far))});
    CHECK(pv::to_vector(pv::year_of(t)) == Numbers{1505182264, -1505178325});
    CHECK(pv::to_vector(pv::day_of_week(t)).size() == 2);
    for (const std::int64_t day : {far, -far, std::numeric_limits<std::int64_t>::min()}) {
        const auto bad = pv::year_of(pv::tensor(std::vector<sys_days>{sys_days(days(day))}));
        CHECK_THROWS_AS(pv::to_vector(bad), pv::CastError);
    }
    // The whole range of a clock, above NaT.
    const auto ends = pv::tensor(std::vector<sys_time<nanoseconds>>{
        sys_time<nanoseconds>::min() + 1ns, sys_time<nanoseconds>::max()});
    CHECK(pv::to_vector(pv::year_of(ends)) == Numbers{1677, 2262});
    CHECK(pv::to_vector(pv::nanosecond_of(ends)) == Numbers{193, 807});
    const auto wide =
        pv::tensor(std::vector<sys_seconds>{sys_seconds::min() + 1s, sys_seconds::max()});
    CHECK(pv::to_vector(pv::second_of(wide)) == Numbers{53, 7});
    CHECK(pv::to_vector(pv::hour_of(wide)) == Numbers{8, 15});
}

TEST_CASE("ticks and from_ticks are views") {
    auto t = pv::tensor(std::vector<sys_days>{2024y / 2 / 29, 1970y / 1 / 1, 1969y / 12 / 31});
    const auto numbers = pv::ticks(t);
    STATIC_REQUIRE(std::same_as<decltype(numbers), const pv::MutableTensor<std::int64_t>>);
    CHECK(pv::to_vector(numbers) == std::vector<std::int64_t>{19782, 0, -1});
    CHECK(pv::shares_storage(numbers, t));
    numbers(1) = std::int64_t{365};
    CHECK(sys_days(t(1)) == 1971y / 1 / 1);
    const auto back = numbers | pv::from_ticks<sys_days>;
    STATIC_REQUIRE(std::same_as<decltype(back), const pv::MutableTensor<sys_days>>);
    back(2) = sys_days(2000y / 1 / 1);
    CHECK(std::int64_t(numbers(2)) == 10957);
    // Of what is computed, lazy.
    const auto later = pv::ticks(t + days(1));
    CHECK(later.is_read_only());
    CHECK(pv::to_vector(later) == std::vector<std::int64_t>{19783, 366, 10958});
    CHECK(pv::to_vector(pv::ticks(pv::flip(t)(pv::range(0, 2)))) ==
          std::vector<std::int64_t>{10957, 365});
    const auto parts = pv::tensor(std::vector<duration<double>>{duration<double>(1.5)});
    CHECK(pv::ticks(parts)(0) == 1.5);
    pv::Dim i;
    CHECK(pv::to_vector(pv::ticks(t(i)) | pv::order(i)) == pv::to_vector(numbers));
}

TEST_CASE("Days, times and durations add up and compare") {
    const auto t = pv::tensor(std::vector<sys_days>{2024y / 2 / 28, 2023y / 2 / 28});
    CHECK(pv::to_vector(pv::month_of(t + days(1))) == Numbers{2, 3});
    CHECK(pv::to_vector(pv::day_of(t - weeks(4))) == Numbers{31, 31});
    CHECK(pv::to_vector(pv::ticks(t - t(pv::all))) == std::vector<std::int64_t>{0, 0});
    const auto at = t + pv::tensor(std::vector<minutes>{minutes(61), minutes(-1)});
    CHECK(pv::to_vector(pv::hour_of(at)) == Numbers{1, 23});
    CHECK(pv::to_vector(pv::minute_of(at)) == Numbers{1, 59});
    CHECK(pv::to_vector(t < sys_days(2024y / 1 / 1)) == std::vector<bool>{false, true});
    CHECK(pv::to_vector(pv::argsort(t)) == std::vector<std::int64_t>{1, 0});
    CHECK(pv::to_vector(pv::hour_of(
              pv::tensor(std::vector<minutes>{minutes(1501), minutes(-1)}))) == Numbers{1, 23});
}

TEST_CASE("between ticks whole units towards zero") {
    const auto a = pv::tensor(
        std::vector<sys_seconds>{sys_days(2024y / 1 / 1) + 23h, sys_days(2024y / 1 / 3)});
    const auto b = pv::tensor(std::vector<sys_days>{2024y / 1 / 3, 2024y / 1 / 1});
    CHECK(pv::to_vector(pv::between<days>(a, b)) == std::vector<std::int64_t>{1, -2});
    CHECK(pv::to_vector(pv::between<hours>(a, b)) == std::vector<std::int64_t>{25, -48});
    CHECK(pv::to_vector(pv::between<milliseconds>(a, b)) ==
          std::vector<std::int64_t>{90'000'000, -172'800'000});
    CHECK(pv::to_vector(pv::between<weeks>(b, sys_days(2023y / 12 / 24))) ==
          std::vector<std::int64_t>{-1, -1});
    CHECK(pv::to_vector(pv::between<days>(sys_days(2024y / 1 / 1), b)) ==
          std::vector<std::int64_t>{2, 0});
    const auto spans = pv::tensor(std::vector<minutes>{minutes(-119), minutes(119)});
    CHECK(pv::to_vector(pv::between<hours>(minutes(0), spans)) == std::vector<std::int64_t>{-1, 1});
    std::mt19937_64 random(3);
    std::vector<sys_time<nanoseconds>> x, y;
    for (int i = 0; i < 777; ++i) {
        x.emplace_back(nanoseconds(static_cast<std::int64_t>(random()) / 4));
        y.emplace_back(nanoseconds(static_cast<std::int64_t>(random()) / 4));
    }
    const auto whole =
        pv::to_vector(pv::between<seconds>(pv::tensor(std::vector(x)), pv::tensor(std::vector(y))));
    for (std::size_t i = 0; i < x.size(); ++i)
        CHECK(whole[i] == duration_cast<seconds>(y[i] - x[i]).count());
}

TEST_CASE("epoch and floor_time round down") {
    const auto t = pv::tensor(std::vector<sys_time<milliseconds>>{
        sys_time<milliseconds>(milliseconds(-1)), sys_time<milliseconds>(milliseconds(86'400'000)),
        sys_time<milliseconds>(milliseconds(1'700'000'000'123))});
    CHECK(pv::to_vector(t | pv::epoch<seconds>) ==
          std::vector<std::int64_t>{-1, 86'400, 1'700'000'000});
    CHECK(pv::to_vector(t | pv::epoch<days>) == std::vector<std::int64_t>{-1, 1, 19'675});
    CHECK(pv::to_vector(t | pv::epoch<milliseconds>) == pv::to_vector(pv::ticks(t)));
    CHECK(pv::to_vector(t | pv::epoch<microseconds>) ==
          std::vector<std::int64_t>{-1000, 86'400'000'000, 1'700'000'000'123'000});
    const auto dates = t | pv::floor_time<days>;
    STATIC_REQUIRE(std::same_as<decltype(dates)::value_type, sys_days>);
    CHECK(pv::to_vector(dates) ==
          std::vector<sys_days>{1969y / 12 / 31, 1970y / 1 / 2, 2023y / 11 / 14});
    const auto random =
        random_times<microseconds>(11, std::numeric_limits<std::int64_t>::max() - 1);
    const auto floors = pv::to_vector(pv::tensor(std::vector(random)) | pv::epoch<minutes>);
    for (std::size_t i = 0; i < random.size(); ++i)
        CHECK(floors[i] == floored(random[i].time_since_epoch().count(), 60'000'000));
    CHECK(pv::to_vector(pv::tensor(std::vector<seconds>{seconds(-61)}) |
                        pv::floor_time<minutes>)[0] == minutes(-2));
}

TEST_CASE("dates makes days of years, months and days") {
    const auto all_days = pv::tensor(random_times<days>(5, 4'000'000));
    const auto made =
        pv::dates(pv::year_of(all_days), pv::month_of(all_days), pv::day_of(all_days));
    CHECK(pv::to_vector(made) == pv::to_vector(all_days));
    CHECK(pv::to_vector(pv::dates(pv::tensor({2023, 2024}), 2, 29)) ==
          std::vector<sys_days>{2023y / 3 / 1, 2024y / 2 / 29});
    CHECK(pv::to_vector(pv::dates(2023, pv::tensor({0, 13, -11, 25}), 1)) ==
          std::vector<sys_days>{2022y / 12 / 1, 2024y / 1 / 1, 2022y / 1 / 1, 2025y / 1 / 1});
    CHECK(pv::dates(pv::tensor({2024}), pv::arange(1, 13)(pv::all, pv::new_axis), 1).shape() ==
          pv::Shape{12, 1});
}

TEST_CASE("times print and format in ISO 8601, and have NumPy's names") {
    const auto text = [](const auto& tensor) {
        std::ostringstream out;
        out << tensor;
        return out.str();
    };
    const auto days_of_2020 = pv::tensor({sys_days(2020y / 2 / 29), sys_days(1969y / 12 / 31)});
    CHECK(text(days_of_2020) == "#purview.tensor<datetime64[D]>[2]\n[2020-02-29 1969-12-31]");
    const auto seconds_of = pv::tensor({sys_seconds(seconds(-1))});
    CHECK(text(seconds_of) == "#purview.tensor<datetime64[s]>[1]\n[1969-12-31T23:59:59]");
    CHECK(text(pv::tensor({sys_time<milliseconds>(milliseconds(1250))})) ==
          "#purview.tensor<datetime64[ms]>[1]\n[1970-01-01T00:00:01.250]");
    CHECK(text(pv::tensor({seconds(90), seconds(-5)})) ==
          "#purview.tensor<timedelta64[s]>[2]\n[90s -5s]");
    CHECK(text(pv::tensor({duration<double>(1.5)})) == "#purview.tensor<duration>[1]\n[1.5s]");
    CHECK(text(pv::tensor({steady_clock::time_point(nanoseconds(7))})) ==
          "#purview.tensor<time_point>[1]\n[7ns]");
    CHECK(pv::time_text(sys_time<minutes>(minutes(61))) == "1970-01-01T01:01");
    CHECK(pv::time_text(local_days(days(0))) == "1970-01-01");
    CHECK(pv::time_text(sys_days(year(-1) / 1 / 1)) == "-0001-01-01");
    CHECK(pv::time_text(sys_days(year(12345) / 6 / 7)) == "+12345-06-07");
    CHECK(text(pv::tensor({2024y, year(-44)})) == "#purview.tensor<year>[2]\n[2024 -0044]");
    CHECK(text(pv::AnyTensor(pv::tensor({2024y / 3}))) ==
          "#purview.tensor<year_month>[1]\n[2024-03]");
    CHECK(text(pv::tensor({March, December})) == "#purview.tensor<month>[2]\n[03 12]");
    CHECK(text(pv::tensor({5d})) == "#purview.tensor<day>[1]\n[05]");
    CHECK(text(pv::tensor({Monday, Sunday, weekday(9)})) ==
          "#purview.tensor<weekday>[3]\n[Mon Sun 9]");
    CHECK(text(pv::tensor({March / 5})) == "#purview.tensor<month_day>[1]\n[03-05]");
    const auto civil = pv::tensor({2024y / 3 / 5});
    CHECK(text(civil) == "#purview.tensor<year_month_day>[1]\n[2024-03-05]");
    CHECK(text(civil(0)) == "2024-03-05");
    // Every day of 1200 years, beside a count by months.
    Date date;
    const auto first = sys_days(1970y / 1 / 1);
    for (int n = 0; n < 440'000; ++n, step(date)) {
        if (n % 97 != 0 && date.month != 2) continue;
        const sys_days day = first + days(n);
        char expected[32];
        std::snprintf(expected, sizeof expected, "%04d-%02d-%02d", date.year, date.month, date.day);
        if (pv::time_text(day) != expected) FAIL(pv::time_text(day) << " is not " << expected);
    }
}

TEST_CASE("times are read from ISO 8601") {
    const auto read = [](const char* text) {
        return pv::parse_times<sys_time<milliseconds>>(pv::tensor({std::string(text)})).read(0);
    };
    CHECK(read("2020-02-29") == sys_days(2020y / 2 / 29));
    CHECK(read("2020-02-29T12:30") == sys_days(2020y / 2 / 29) + 12h + 30min);
    CHECK(read("1969-12-31 23:59:59.25Z") == sys_days(1969y / 12 / 31) + 24h - 750ms);
    CHECK(read("2020-02-29T00:10:00+01:30") == sys_days(2020y / 2 / 28) + 22h + 40min);
    for (const char* wrong :
         {"", "2020", "2020-13-01", "2021-02-29", "2020-02-29T", "2020-02-29T24:00", "2020-02-29x",
          "2020-2-9", "2020-02-29T12:30:00.", "2020-02-29T12:30:00.0001"})
        CHECK_THROWS_AS(read(wrong), pv::FormatError);
    CHECK_THROWS_WITH(read("2021-02-29"), ContainsSubstring("2021-02-29"));
    CHECK_THROWS_AS(
        pv::parse_times<sys_days>(pv::tensor({std::string("2020-01-01T01:00")})).read(0),
        pv::FormatError);
    CHECK_THROWS_AS(
        pv::parse_times<sys_time<nanoseconds>>(pv::tensor({std::string("9999-01-01")})).read(0),
        pv::CastError);
    const auto times = random_times<milliseconds>(3, 60'000'000'000'000);
    const auto t = pv::tensor(std::vector(times));
    CHECK(pv::to_vector(t | pv::format_times | pv::parse_times<sys_time<milliseconds>>) == times);
}

TEST_CASE("months later stay in their month; starts of weeks, months and years; ranges") {
    const auto day = [](int y, int m, int d) { return sys_days(year(y) / m / d); };
    const auto ends = pv::tensor({day(2020, 1, 31), day(2019, 1, 31), day(2020, 12, 31)});
    CHECK(pv::to_vector(pv::plus_months(ends, 1)) ==
          std::vector{day(2020, 2, 29), day(2019, 2, 28), day(2021, 1, 31)});
    CHECK(pv::to_vector(pv::plus_months(ends, -2)) ==
          std::vector{day(2019, 11, 30), day(2018, 11, 30), day(2020, 10, 31)});
    CHECK(pv::to_vector(pv::plus_months(ends, pv::tensor({0, 1, 14}))) ==
          std::vector{day(2020, 1, 31), day(2019, 2, 28), day(2022, 2, 28)});
    const auto noon = pv::tensor({sys_seconds(day(2020, 3, 31) + 12h)});
    CHECK(pv::plus_months(noon, 1).read(0) == day(2020, 4, 30) + 12h);
    const auto times = random_times<seconds>(4, 40'000'000'000);
    for (const auto& time : times) {
        const auto of = std::chrono::floor<days>(time);
        const year_month_day civil(of);
        for (const int n : {0, 1, -1, 7, -30, 1201}) {
            const year_month_day wanted(civil + months(n));
            const sys_days expected =
                wanted.ok()
                    ? sys_days(wanted)
                    : sys_days(year_month_day_last(wanted.year(), month_day_last(wanted.month())));
            if (pv::months_later(time, n) != expected + (time - of)) FAIL("months_later " << n);
        }
    }
    const auto t = pv::tensor(std::vector(times));
    const auto months_start = pv::to_vector(pv::month_start(t));
    const auto weeks_start = pv::to_vector(t | pv::week_start);
    const auto years_start = pv::to_vector(pv::year_start(t));
    bool right = true;
    for (std::size_t i = 0; i < times.size(); ++i) {
        const auto of = std::chrono::floor<days>(times[i]);
        const year_month_day civil(of);
        right = right && months_start[i] == sys_days(civil.year() / civil.month() / 1) &&
                years_start[i] == sys_days(civil.year() / 1 / 1) &&
                weekday(weeks_start[i]) == Monday && weeks_start[i] <= of &&
                of - weeks_start[i] < days(7);
    }
    CHECK(right);
    CHECK(pv::to_vector(pv::time_range(day(2020, 2, 28), day(2020, 3, 2), days(1))) ==
          std::vector{day(2020, 2, 28), day(2020, 2, 29), day(2020, 3, 1)});
    const auto hours_of = pv::time_range(day(2020, 1, 1), day(2020, 1, 2), 6h);
    CHECK(hours_of.size() == 4);
    CHECK(hours_of.read(3) == day(2020, 1, 1) + 18h);
    CHECK(pv::time_range(day(2020, 1, 2), day(2020, 1, 1), days(1)).size() == 0);
    CHECK_THROWS_AS(pv::time_range(day(2020, 1, 2), day(2020, 1, 1), days(0)), pv::ShapeError);
}

TEST_CASE("numbers times durations, and counts of other integers") {
    const auto n = pv::arange(3);
    CHECK(pv::to_vector(n * 2s) == std::vector{0s, 2s, 4s});
    CHECK(pv::to_vector(2s * n) == std::vector{0s, 2s, 4s});
    CHECK(pv::to_vector(pv::tensor({0.5, 2.}) * 3s)[0] == duration<double>(1.5));
    CHECK(pv::to_vector(n * days(1) + sys_days(2020y / 2 / 28))[2] == sys_days(2020y / 3 / 1));
    CHECK(pv::to_vector(sys_seconds(5s) + n * minutes(1))[1] == sys_seconds(65s));
    CHECK(pv::to_vector(2 * pv::tensor(std::vector{1s, 2s})) == std::vector{2s, 4s});
    const std::vector<std::uint8_t> counts{1, 200};
    CHECK(pv::to_vector(pv::from_ticks<seconds>(counts)) == std::vector{1s, 200s});
    CHECK(pv::to_vector(pv::tensor(counts) | pv::from_ticks<sys_days>)[1] == sys_days(days(200)));
    const auto large = pv::tensor({std::numeric_limits<std::uint64_t>::max()});
    CHECK_THROWS_AS(pv::to_vector(pv::from_ticks<seconds>(large)), pv::CastError);
}

} // namespace chrono_test
