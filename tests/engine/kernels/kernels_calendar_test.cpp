#include <support/catch.hpp>

#include "engine/kernels/table/selection.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace kernels_calendar_test {

namespace {

using namespace purview;
using namespace purview::engine;
using Counts = std::vector<std::int64_t>;

std::int64_t floored(std::int64_t x, std::int64_t by) { return x / by - (x % by < 0 ? 1 : 0); }

/// Everything near 0 and near the ends, and between.
Counts counts(std::int64_t widest, std::size_t size) {
    std::mt19937_64 random(size);
    std::uniform_int_distribution<std::int64_t> any(-widest, widest);
    Counts list{0, -1, 1, widest, -widest};
    while (list.size() < size) list.push_back(any(random) >> random() % 63);
    list.resize(size);
    return list;
}

} // namespace

TEST_CASE("Every target divides counts and rounds down") {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    for (const KernelTable* table : available_kernels())
        for (const std::int64_t divisor :
             {std::int64_t{2}, std::int64_t{3}, std::int64_t{7}, std::int64_t{60},
              std::int64_t{1000}, std::int64_t{86'400}, std::int64_t{86'400'000'000'000},
              std::int64_t{1} << 52}) {
            INFO(table->name << ", by " << divisor);
            for (const std::size_t size : {1u, 7u, 8u, 9u, 500u}) {
                Counts in = counts(kMost, size), out(size);
                in.push_back(std::numeric_limits<std::int64_t>::min());
                for (std::int64_t k = -3; k <= 3; ++k) in.push_back(divisor * k);
                for (std::int64_t k = -3; k <= 3; ++k) in.push_back(divisor * k - 1);
                out.resize(in.size());
                table->floor_quotients(in.data(), out.data(), std::ssize(in), divisor);
                bool same = true;
                for (std::size_t i = 0; i < in.size(); ++i)
                    same = same && out[i] == floored(in[i], divisor);
                CHECK(same);
                std::vector<std::int32_t> cycles(in.size());
                table->clock_fields(in.data(), cycles.data(), std::ssize(in), divisor, 24);
                for (std::size_t i = 0; i < in.size(); ++i) {
                    const std::int64_t turns = floored(in[i], divisor);
                    same = same && cycles[i] == turns - 24 * floored(turns, 24);
                }
                CHECK(same);
                table->floor_quotients(in.data(), in.data(), std::ssize(in), divisor);
                CHECK(in == out);
            }
        }
}

TEST_CASE("Every target has the same calendar") {
    using namespace std::chrono;
    for (const KernelTable* table : available_kernels()) {
        INFO(table->name);
        const Counts in = counts(11'000'000, 3001); // the years of std::chrono
        std::vector<std::int32_t> year(in.size()), month(in.size()), date(in.size()),
            week_day(in.size()), place(in.size());
        const auto fields = [&](DayField field, std::vector<std::int32_t>& out) {
            CHECK(table->calendar_fields(field, in.data(), out.data(), std::ssize(in), 1, 1));
        };
        fields(DayField::year, year);
        fields(DayField::month, month);
        fields(DayField::day, date);
        fields(DayField::day_of_week, week_day);
        fields(DayField::day_of_year, place);
        bool same = true;
        for (std::size_t i = 0; i < in.size(); ++i) {
            const sys_days day{days(in[i])};
            const year_month_day civil{day};
            same = same && year[i] == static_cast<int>(civil.year()) &&
                   month[i] == static_cast<int>(static_cast<unsigned>(civil.month())) &&
                   date[i] == static_cast<int>(static_cast<unsigned>(civil.day())) &&
                   week_day[i] == static_cast<int>(weekday{day}.iso_encoding()) &&
                   place[i] == (day - sys_days{civil.year() / January / 1}).count() + 1;
        }
        CHECK(same);
        for (const std::int64_t far : {std::int64_t{1} << 39, -(std::int64_t{1} << 39)}) {
            const Counts days_far{0, far, 0};
            std::int32_t out[3];
            CHECK_FALSE(table->calendar_fields(DayField::year, days_far.data(), out, 3, 1, 1));
            CHECK(table->calendar_fields(DayField::year, days_far.data(), out, 3, 2, 1));
            CHECK_FALSE(table->calendar_fields(DayField::year, days_far.data(), out, 3, 2, 7));
        }
    }
}

} // namespace kernels_calendar_test
