#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/chrono.hpp>
#include <purview/functional/argsort.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace {

namespace pv = purview;
using namespace std::chrono;
using Catch::Matchers::Contains;
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
    // The whole range of a clock.
    const auto ends = pv::tensor(std::vector<sys_time<nanoseconds>>{sys_time<nanoseconds>::min(),
                                                                    sys_time<nanoseconds>::max()});
    CHECK(pv::to_vector(pv::year_of(ends)) == Numbers{1677, 2262});
    CHECK(pv::to_vector(pv::nanosecond_of(ends)) == Numbers{192, 807});
    const auto wide = pv::tensor(std::vector<sys_seconds>{sys_seconds::min(), sys_seconds::max()});
    CHECK(pv::to_vector(pv::second_of(wide)) == Numbers{52, 7});
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
