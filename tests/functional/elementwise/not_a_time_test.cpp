#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/chrono.hpp>
#include <purview/purview.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

/// What holds a NaT has the values that NumPy's datetime64 has, of two axes, views and other counts too.
namespace not_a_time_test {

namespace {

namespace pv = purview;
using namespace std::chrono;
using namespace std::chrono_literals;
using Nanoseconds = sys_time<nanoseconds>;
using ShortSeconds = duration<std::int32_t>;
using ShortTimes = sys_time<ShortSeconds>;
using Bools = std::vector<bool>;

template <typename T>
const T kNone = T::min();

constexpr Nanoseconds kMorning{sys_days(2024y / March / 28) + 9h + 500ms};
constexpr Nanoseconds kNextDay{sys_days(2024y / March / 29) + 10h};

pv::MutableTensor<Nanoseconds> times() {
    return pv::tensor(std::vector{kMorning, kNone<Nanoseconds>, kNextDay});
}
template <typename X>
std::string printed(const X& x) {
    std::ostringstream out;
    out << x;
    return out.str();
}

} // namespace

TEST_CASE("NaT: is_nat of tensors, views, run-time types and values (numpy.isnat)") {
    const auto t = times();
    CHECK(pv::to_vector(pv::is_nat(t)) == Bools{false, true, false});
    CHECK(pv::to_vector(t(pv::range(0, 3, 2)) | pv::is_nat) == Bools{false, false});
    CHECK(pv::to_vector(pv::is_nat(pv::AnyTensor(t)).as<bool>()) == Bools{false, true, false});
    CHECK(pv::is_nat(kNone<Nanoseconds>));
    CHECK(!pv::is_nat(kMorning));
    CHECK(pv::to_vector(pv::is_nat(pv::tensor(
              std::vector{duration<double>(NAN), duration<double>(1)}))) == Bools{true, false});
    using Unsigned = duration<std::uint32_t>;
    CHECK(pv::to_vector(pv::is_nat(pv::tensor(std::vector{Unsigned(0), Unsigned(5)}))) ==
          Bools{false, false});
    const auto s = pv::tensor(std::vector{kNone<ShortTimes>, ShortTimes(ShortSeconds(5))});
    CHECK(pv::to_vector(pv::is_nat(s)) == Bools{true, false});
    CHECK_THROWS_AS(pv::is_nat(pv::AnyTensor(pv::tensor({1, 2}))), pv::DtypeError);
}

TEST_CASE("NaT: comparisons are false but != (numpy datetime64)") {
    const auto t = times();
    CHECK(pv::to_vector(t == t) == Bools{true, false, true});
    CHECK(pv::to_vector(t != t) == Bools{false, true, false});
    const Nanoseconds late{sys_days(2030y / January / 1)};
    CHECK(pv::to_vector(t < late) == Bools{true, false, true});
    CHECK(pv::to_vector(t <= late) == Bools{true, false, true});
    CHECK(pv::to_vector(t > sys_days(1970y / January / 1)) == Bools{true, false, true});
    CHECK(pv::to_vector(late >= t) == Bools{true, false, true});
    const auto d = t - t;
    CHECK(pv::to_vector(d == d) == Bools{true, false, true});
    CHECK(pv::to_vector(pv::maximum(t, late)) == std::vector{late, kNone<Nanoseconds>, late});
    CHECK(pv::to_vector(pv::isin(t, t)) == Bools{true, false, true});
}

/// The six comparisons of operands of run-time type are those of the typed ones.
template <typename X, typename Y>
void check_run_time_comparisons(const X& x, const Y& y) {
    const auto holds = [](const pv::AnyTensor& got) { return pv::to_vector(got.as<bool>()); };
    const auto any = [](const auto& z) {
        if constexpr (requires { z.shape(); })
            return pv::AnyTensor(z);
        else
            return z;
    };
    const auto check = [&](const auto& a, const auto& b) {
        CHECK(holds(a == b) == pv::to_vector(x == y));
        CHECK(holds(a != b) == pv::to_vector(x != y));
        CHECK(holds(a < b) == pv::to_vector(x < y));
        CHECK(holds(a <= b) == pv::to_vector(x <= y));
        CHECK(holds(a > b) == pv::to_vector(x > y));
        CHECK(holds(a >= b) == pv::to_vector(x >= y));
    };
    check(any(x), any(y));
    if constexpr (
        requires { x.shape(); } && requires { y.shape(); }) {
        check(any(x), y);
        check(x, any(y));
    }
}

TEST_CASE("NaT: comparisons of times of run-time type are false but != (numpy datetime64)") {
    const auto compare = []<typename T>(std::type_identity<T>) {
        const auto of = [](int count) {
            if constexpr (pv::DurationElement<T>)
                return T(count);
            else
                return T(typename T::duration(count));
        };
        const auto a = pv::tensor(std::vector{of(30), kNone<T>, of(10), of(20), kNone<T>});
        const auto b = pv::tensor(std::vector{of(25), of(25), of(25), kNone<T>, kNone<T>});
        check_run_time_comparisons(a, b);
        check_run_time_comparisons(a, a);
        check_run_time_comparisons(a, of(20));
        check_run_time_comparisons(of(20), a);
        check_run_time_comparisons(a, kNone<T>);
        check_run_time_comparisons(kNone<T>, a);
        check_run_time_comparisons(pv::flip(a, 0), b);
        check_run_time_comparisons(a(pv::range(0, 5, 2)), b(pv::range(0, 5, 2)));
        check_run_time_comparisons(pv::reshape(a, {5, 1}), b);
        const pv::AnyTensor any(a);
        CHECK(pv::to_vector((any == any).as<bool>()) == Bools{true, false, true, true, false});
        CHECK(pv::to_vector((any < pv::AnyTensor(b)).as<bool>()) ==
              Bools{false, false, true, false, false});
        CHECK_FALSE(pv::equals(any, any));
        CHECK_FALSE(pv::equals(any, a));
        CHECK_FALSE(pv::equals(a, any));
        const pv::AnyTensor known(pv::tensor(std::vector{of(1), of(2)}));
        CHECK(pv::equals(known, known));
    };
    compare(std::type_identity<Nanoseconds>{});
    compare(std::type_identity<sys_days>{});
    compare(std::type_identity<local_seconds>{});
    compare(std::type_identity<nanoseconds>{});
    compare(std::type_identity<days>{});
    compare(std::type_identity<ShortSeconds>{});
    // Floats have NaN, and counts without a sign no NaT.
    using Doubles = duration<double>;
    const auto f = pv::tensor(std::vector{Doubles(NAN), Doubles(1)});
    check_run_time_comparisons(f, f);
    check_run_time_comparisons(f, Doubles(1));
    using Unsigned = duration<std::uint32_t>;
    const auto u = pv::tensor(std::vector{Unsigned(0), Unsigned(7)});
    check_run_time_comparisons(u, u);
    check_run_time_comparisons(u, Unsigned(0));
}

TEST_CASE("NaT: arithmetic gives NaT (numpy datetime64)") {
    const auto t = times();
    const auto second_is_nat = [](const auto& x) {
        return pv::to_vector(pv::is_nat(x)) == Bools{false, true, false};
    };
    CHECK(second_is_nat(t - 1s));
    CHECK(second_is_nat(t + 1h));
    CHECK(second_is_nat(t - kMorning));
    CHECK(second_is_nat(kMorning - t));
    const auto d = t - pv::clone(t);
    CHECK(second_is_nat(d));
    CHECK(second_is_nat(-d));
    CHECK(second_is_nat(d * 3));
    CHECK(second_is_nat(3 * d));
    CHECK(second_is_nat(d / 2));
    CHECK(second_is_nat(d % 7s));
    CHECK(second_is_nat(pv::abs(d)));
    CHECK(second_is_nat(d + d));
    CHECK(pv::to_vector(t - 1s)[0] == kMorning - 1s);
    // An integer cannot say that there is none.
    CHECK_THROWS_AS(pv::to_vector(d / 2ns), pv::CastError);
    CHECK(pv::to_vector(pv::is_nat(pv::diff1d(t))) == Bools{true, true});
    CHECK(pv::to_vector(pv::is_nat(t + kNone<nanoseconds>)) == Bools{true, true, true});
    const auto s = pv::tensor(std::vector{kNone<ShortTimes>, ShortTimes(ShortSeconds(5))});
    CHECK(pv::to_vector(s + ShortSeconds(1)) ==
          std::vector{kNone<ShortTimes>, ShortTimes(ShortSeconds(6))});
    CHECK(pv::to_vector(pv::is_nat(s + 1ns)) == Bools{true, false});
}

TEST_CASE("NaT: reductions are NaT, with skip_nan what is there (numpy, pandas skipna)") {
    const auto t = times();
    const Nanoseconds middle = kMorning + (kNextDay - kMorning) / 2;
    CHECK(pv::is_nat(pv::mean(t)));
    CHECK(pv::is_nat(pv::median(t)));
    CHECK(pv::is_nat(pv::min(t)));
    CHECK(pv::is_nat(pv::max(t)));
    CHECK(pv::is_nat(pv::quantile(t, .3)));
    CHECK(pv::is_nat(pv::sum(t - kMorning)));
    CHECK(pv::mean(t, pv::skip_nan) == middle);
    CHECK(pv::median(t, pv::skip_nan) == middle);
    CHECK(pv::min(t, pv::skip_nan) == kMorning);
    CHECK(pv::max(t, pv::skip_nan) == kNextDay);
    CHECK(pv::sum(t - kMorning, pv::skip_nan) == kNextDay - kMorning);
    CHECK(pv::to_vector(pv::quantile(t, {0., 1.}, pv::skip_nan)) ==
          std::vector{kMorning, kNextDay});
    CHECK_THROWS_AS(pv::mean(t, pv::throw_nan), pv::ArithmeticError);
    CHECK(pv::argmax(t) == 1);
    CHECK(pv::argmin(t) == 1);

    const pv::AnyTensor any(t);
    CHECK(pv::is_nat(pv::max(any, 0).as<Nanoseconds>().item()));
    CHECK(pv::max(any, 0, pv::skip_nan).as<Nanoseconds>().item() == kNextDay);
    CHECK(pv::min(any, 0, pv::skip_nan).as<Nanoseconds>().item() == kMorning);

    // Rows, one of NaT alone; columns.
    const auto none = kNone<Nanoseconds>;
    const auto rows = pv::tensor(std::vector{kMorning, none, kNextDay, none, none, none}, {2, 3});
    CHECK(pv::to_vector(pv::max(rows, 1, pv::skip_nan)) == std::vector{kNextDay, none});
    CHECK(pv::to_vector(pv::mean(rows, 1, pv::skip_nan)) == std::vector{middle, none});
    CHECK(pv::to_vector(pv::is_nat(pv::max(rows, 0))) == Bools{true, true, true});
    CHECK(pv::to_vector(pv::median(rows, 0, pv::skip_nan)) ==
          std::vector{kMorning, none, kNextDay});
    CHECK(pv::to_vector(pv::sum(rows - kMorning, 1, pv::skip_nan))[1] == 0ns);
}

TEST_CASE("NaT: sorted last, in groups and among distinct elements (numpy.sort, numpy.unique)") {
    const auto none = kNone<Nanoseconds>;
    const auto t = pv::tensor(std::vector{none, kNextDay, kMorning, none, kMorning});
    const std::vector sorted{kMorning, kMorning, kNextDay, none, none};
    CHECK(pv::to_vector(pv::sort(t)) == sorted);
    CHECK(pv::to_vector(pv::sort(pv::AnyTensor(t)).as<Nanoseconds>()) == sorted);
    CHECK(pv::to_vector(pv::argsort(t)) == std::vector<std::int64_t>{2, 4, 1, 0, 3});
    CHECK(pv::to_vector(pv::sort(t, pv::descending)) ==
          std::vector{kNextDay, kMorning, kMorning, none, none});
    CHECK(pv::to_vector(pv::sort(pv::AnyTensor(t), pv::descending).as<Nanoseconds>()) ==
          std::vector{kNextDay, kMorning, kMorning, none, none});
    CHECK(pv::to_vector(pv::unique(t)) == std::vector{kMorning, kNextDay, none});
    const auto all = pv::unique_all(t);
    CHECK(pv::to_vector(all.values) == std::vector{kMorning, kNextDay, none});
    CHECK(pv::to_vector(all.counts) == std::vector<std::int64_t>{2, 1, 2});
    const auto [keys, totals] = pv::group_by_reduce(t, pv::tensor({1, 2, 3, 4, 5}), pv::sum);
    CHECK(pv::to_vector(keys) == std::vector{kMorning, kNextDay, none});
    CHECK(pv::to_vector(totals) == std::vector<std::int64_t>{8, 2, 5});
    const auto [numbers, means] = pv::group_by_reduce(pv::tensor({1, 1, 1, 1, 2}), t, pv::max);
    CHECK(pv::to_vector(numbers) == std::vector{1, 2});
    CHECK(pv::to_vector(means) == std::vector{none, kMorning});
    const auto in_order = pv::sort(t);
    CHECK(pv::to_vector(pv::searchsorted(in_order, t)) == std::vector<std::int64_t>{3, 2, 0, 3, 0});
    CHECK(pv::searchsorted(in_order, none, pv::Side::right) == 5);
    const auto s = pv::tensor(
        std::vector{kNone<ShortTimes>, ShortTimes(ShortSeconds(5)), ShortTimes(ShortSeconds(-5))});
    CHECK(pv::to_vector(pv::sort(s)) == std::vector{ShortTimes(ShortSeconds(-5)),
                                                    ShortTimes(ShortSeconds(5)),
                                                    kNone<ShortTimes>});
}

TEST_CASE("NaT: units, roundings and months keep it, fields refuse it (numpy astype)") {
    const auto t = times();
    const auto second_is_nat = [](const auto& x) {
        return pv::to_vector(pv::is_nat(x)) == Bools{false, true, false};
    };
    CHECK(second_is_nat(pv::floor_time<days>(t)));
    CHECK(second_is_nat(pv::ceil_time<hours>(t)));
    CHECK(second_is_nat(pv::round_time<seconds>(t)));
    CHECK(second_is_nat(pv::floor_time<months>(t)));
    CHECK(second_is_nat(pv::round_time<years>(t)));
    CHECK(second_is_nat(pv::month_start(t)));
    CHECK(second_is_nat(pv::week_start(t)));
    CHECK(second_is_nat(pv::plus_months(t, 1)));
    const auto in_days =
        pv::tensor(std::vector{sys_days(days(3)), kNone<sys_days>, sys_days(days(4))});
    CHECK(second_is_nat(pv::floor_time<nanoseconds>(in_days)));
    CHECK(second_is_nat(in_days + 1ns));
    CHECK(pv::to_vector(pv::floor_time<days>(t))[0] == sys_days(2024y / March / 28));
    const auto least = std::numeric_limits<std::int64_t>::min();
    CHECK(pv::to_vector(pv::epoch<days>(t))[1] == least);
    CHECK(pv::to_vector(pv::epoch<months>(t))[1] == least);
    CHECK(pv::to_vector(pv::between<hours>(t, kNextDay))[1] == least);
    CHECK(pv::to_vector(pv::between<months>(t, kNextDay))[1] == least);
    CHECK_THROWS_AS(pv::to_vector(pv::year_of(t)), pv::CastError);
    CHECK_THROWS_AS(pv::to_vector(pv::hour_of(t)), pv::CastError);
    CHECK_THROWS_WITH(pv::to_vector(pv::hour_of(in_days)),
                      "hour_of: NaT has no fields: where(is_nat(t), another, t) first");
    CHECK_THROWS_AS(pv::to_vector(pv::nanosecond_of(t - kMorning)), pv::CastError);
}

TEST_CASE("Times: what a finer unit does not hold is a CastError, never wrapped (numpy 2.4)") {
    const auto far = pv::tensor(std::vector{sys_days(2500y / January / 1)});
    CHECK_THROWS_AS(pv::to_vector(pv::floor_time<nanoseconds>(far)), pv::CastError);
    CHECK_THROWS_WITH(pv::to_vector(pv::epoch<nanoseconds>(far)),
                      "2500-01-01 does not fit int64 in a unit 86400000000000 times finer");
    CHECK_THROWS_WITH(pv::to_vector(pv::Tensor<std::int64_t>(pv::scaled_counts(
                          far.operand(), 86'400'000'000'000, pv::kDType<Nanoseconds>))),
                      "2500-01-01 does not fit datetime64[ns]");
    CHECK_THROWS_AS(pv::to_vector(far + 1ns), pv::CastError);
    CHECK_THROWS_AS(pv::to_vector(far - kMorning), pv::CastError);
    CHECK(pv::to_vector(pv::floor_time<microseconds>(far))[0] == sys_days(2500y / January / 1));
}

TEST_CASE("NaT: printed, formatted, parsed") {
    const auto t = times();
    CHECK(pv::to_vector(pv::format_times(t))[1] == "NaT");
    CHECK(printed(t).find("NaT") != std::string::npos);
    CHECK(printed(t).find("1677") == std::string::npos);
    CHECK(pv::to_vector(pv::parse_times<Nanoseconds>(pv::format_times(t))) == pv::to_vector(t));
    CHECK(pv::time_text(kNone<seconds>) == "NaT");
    CHECK(pv::time_text(kNone<ShortTimes>) == "NaT");
    CHECK(pv::time_text(duration<double>(NAN)) == "NaT");
}

TEST_CASE(
    "parse_times: offsets and times as databases and prints write them (PostgreSQL, RFC 3339)") {
    const auto read = [](const std::string& text) {
        return pv::to_vector(pv::parse_times<sys_seconds>(pv::tensor(std::vector{text})))[0];
    };
    const sys_seconds nine = sys_days(2025y / February / 2) + 9h;
    for (const char* const text :
         {"2025-02-02 09:00:00+00", "2025-02-02 10:00:00+01", "2025-02-02T08:00-01",
          "2025-02-02 10:00:00 +01:00", "2025-02-02 10:00:00 +0100", "2025-02-02 09:00:00z",
          "2025-02-02t09:00:00z", "2025-02-02T09", "2025-02-02 09", "2025-02-02T09Z",
          "2025-02-02T10+01", "2025-02-02 09:00:00 Z", "2025-02-02 14:53:28+05:53:28"})
        CHECK(read(text) == nine);
    for (const char* const text :
         {"2025-02-02 09:00:00+", "2025-02-02 09:00:00+1", "2025-02-02 09:00:00 ",
          "2025-02-02 +01:00", "2025-02-02T", "2025-02-02T09:", "2025-02-02 09:00:00+00zz"})
        CHECK_THROWS_AS(read(text), pv::FormatError);
    // Prints of hours and of far years read back.
    const sys_time<hours> hour = sys_days(2024y / March / 2) + 12h;
    for (const auto& each : {hour, sys_time<hours>(sys_days(year(-44) / March / 15)),
                             sys_time<hours>(sys_days(year(12345) / March / 15))})
        CHECK(pv::to_vector(pv::parse_times<sys_time<hours>>(
                  pv::tensor(std::vector{pv::time_text(each)})))[0] == each);
}

TEST_CASE("times of two units are compared exactly, beyond what the finer unit holds") {
    const auto fine = pv::tensor({Nanoseconds(5ns), kNone<Nanoseconds>});
    const auto compared = [&](const sys_days& day) {
        const auto days = pv::tensor({day, day});
        CHECK(pv::to_vector(fine < day) == pv::to_vector(fine < days));
        CHECK(pv::to_vector(fine == day) == std::vector<bool>{false, false});
        CHECK(pv::to_vector(days != fine) == std::vector<bool>{true, true});
        CHECK(pv::to_vector(days > fine) == pv::to_vector(fine < days));
        CHECK(pv::to_vector(days >= fine) == pv::to_vector(fine <= days));
        return static_cast<bool>(pv::to_vector(fine < days)[0]);
    };
    CHECK(compared(sys_days(5000y / January / 1)));
    CHECK(compared(sys_days(2500y / January / 1)));
    CHECK_FALSE(compared(sys_days(1000y / January / 1)));
    CHECK_FALSE(compared(sys_days(1969y / December / 31)));
    CHECK(compared(sys_days(1970y / January / 2)));
    using Thirds = duration<std::int64_t, std::ratio<1, 3>>;
    using Sevenths = duration<std::int64_t, std::ratio<1, 7>>;
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const auto thirds = pv::tensor({Thirds(1), Thirds(most), Thirds(3)});
    const auto sevenths = pv::tensor({Sevenths(3), Sevenths(most), Sevenths(7)});
    CHECK(pv::to_vector(thirds < sevenths) == std::vector<bool>{true, false, false});
    CHECK(pv::to_vector(thirds == sevenths) == std::vector<bool>{false, false, true});
}

TEST_CASE("argmin and argmax of times leave NaT out where they are told to") {
    const auto none = kNone<sys_seconds>;
    const auto t = pv::tensor({none, sys_seconds(3s), none, sys_seconds(1s), none});
    CHECK(pv::argmin(t) == 0);
    CHECK(pv::argmin(t, pv::skip_nan) == 3);
    CHECK(pv::argmax(t, pv::skip_nan) == 1);
    CHECK(pv::argmin_last(t, pv::skip_nan) == 3);
    CHECK(pv::argmax_last(t) == 4);
    const pv::AnyTensor any = t;
    CHECK(pv::argmin(any, pv::skip_nan).item<std::int64_t>() == 3);
    CHECK(pv::argmax(any, pv::skip_nan).item<std::int64_t>() == 1);
    const auto rows = pv::reshape(pv::concat({t, pv::tensor({sys_seconds::max()})}, 0), {3, 2});
    CHECK(pv::to_vector(pv::argmin(rows, 1, pv::skip_nan)) == std::vector<std::int64_t>{1, 1, 1});
    CHECK(pv::to_vector(pv::argmax(rows(pv::range(1, 3)), 1, pv::skip_nan)) ==
          std::vector<std::int64_t>{1, 1});
    const auto [i, j] = pv::dims("i", "j");
    CHECK(pv::to_vector(pv::argmin(rows(i, j), j, pv::skip_nan) | pv::order(i)) ==
          std::vector<std::int64_t>{1, 1, 1});
    const auto found = pv::min_with_index(t, pv::skip_nan);
    CHECK(found.values == sys_seconds(1s));
    CHECK(found.indexes == 3);
    CHECK_THROWS_AS(pv::argmin(pv::tensor({none, none}), pv::skip_nan), pv::ShapeError);
    CHECK_THROWS_AS(pv::argmin(any, pv::throw_nan), pv::ArithmeticError);
}

} // namespace not_a_time_test
