#include <purview/base/errors.hpp>
#include <purview/dtype/time_text.hpp>
#include <purview/evaluation/calendar.hpp>
#include <purview/expression/library_function.hpp>

#include "engine/kernels/table/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace purview::inline v0_1 {
namespace {

using engine::DayField;

constexpr std::int64_t kSecondsOfADay = 86'400;
constexpr std::int64_t kGreatestDivisor = std::int64_t{1} << 52;
/// The greatest numerator or denominator of a tick's length: nothing below overflows then.
constexpr std::int64_t kGreatestTick = 1'000'000'000;
/// Counts that are divided at a time.
constexpr index_t kInstants = 512;

static_assert(static_cast<int>(CalendarField::iso_year) == static_cast<int>(DayField::iso_year) &&
              static_cast<int>(CalendarField::day_of_week) ==
                  static_cast<int>(DayField::day_of_week));

/// In the order of `CalendarField`.
constexpr const char* kFieldWords[] = {
    "year_of",     "quarter_of",     "month_of",       "day_of",       "day_of_year",
    "day_of_week", "iso_week_of",    "iso_year_of",    "hour_of",      "minute_of",
    "second_of",   "millisecond_of", "microsecond_of", "nanosecond_of"};
/// In the order of `Quotient`.
constexpr const char* kQuotientWords[] = {"floor_quotient", "quotient", "ceil_quotient",
                                          "round_quotient"};
const char* word_of(CalendarField field) { return kFieldWords[static_cast<std::size_t>(field)]; }

void quotients(const std::int64_t* in, std::int64_t* out, index_t count, std::int64_t divisor) {
    if (divisor == 1)
        std::copy_n(in, count, out);
    else
        engine::kernels().floor_quotients(in, out, count, divisor);
}

/// Whether there is a NaT, the lowest count. (SSE2 lacks comparisons of 64 bits: of that count alone
/// the sign changes when 1 is subtracted.)
bool has_nat(const std::int64_t* counts, index_t count) {
    std::uint64_t found = 0;
    for (index_t i = 0; i < count; ++i) {
        const auto x = static_cast<std::uint64_t>(counts[i]);
        found |= x & ~(x - 1);
    }
    return found >> 63 != 0;
}

/// Throws `CastError` if there is a NaT: no field says that there is none.
void refuse_nat(std::string_view what, const std::int64_t* counts, index_t count) {
    if (has_nat(counts, count))
        throw CastError(
            fmt::format("{}: NaT has no fields: where(is_nat(t), another, t) first", what));
}

class DayFieldFunction final : public LibraryFunction {
public:
    /// The day of a count is `count * days_per_tick / ticks_per_day`, rounded down. One of the two
    /// is 1.
    DayFieldFunction(DayField field, std::int64_t ticks_per_day, std::int64_t days_per_tick)
        : LibraryFunction(FunctionName(word_of(static_cast<CalendarField>(field)), ticks_per_day,
                                       days_per_tick)),
          field_(field),
          ticks_per_day_(ticks_per_day),
          days_per_tick_(days_per_tick) {}

    void apply(index_t count, void* out, const void* const* operands) const override {
        const auto* const in = static_cast<const std::int64_t*>(operands[0]);
        refuse_nat(name(), in, count);
        if (!engine::kernels().calendar_fields(field_, in, static_cast<std::int32_t*>(out), count,
                                               ticks_per_day_, days_per_tick_))
            throw_far_day();
    }

private:
    DayField field_;
    std::int64_t ticks_per_day_;
    std::int64_t days_per_tick_;
};

class ClockFieldFunction final : public LibraryFunction {
public:
    /// The field of a count is `count / divisor`, rounded down, modulo `modulus`, times `factor`.
    /// `divisor` or `factor` is 1.
    ClockFieldFunction(CalendarField field, std::int64_t divisor, std::int64_t modulus,
                       std::int32_t factor)
        : LibraryFunction(FunctionName(word_of(field), divisor, modulus, factor)),
          divisor_(divisor),
          modulus_(modulus),
          factor_(factor) {}

    void apply(index_t count, void* out, const void* const* operands) const override {
        const auto* const in = static_cast<const std::int64_t*>(operands[0]);
        auto* const fields = static_cast<std::int32_t*>(out);
        refuse_nat(name(), in, count);
        if (modulus_ == 1) {
            std::fill_n(fields, count, 0);
            return;
        }
        engine::kernels().clock_fields(in, fields, count, divisor_, modulus_);
        if (factor_ != 1)
            for (index_t i = 0; i < count; ++i) fields[i] *= factor_;
    }

private:
    std::int64_t divisor_;
    std::int64_t modulus_;
    std::int32_t factor_;
};

class QuotientFunction final : public LibraryFunction {
public:
    QuotientFunction(Quotient rounding, std::int64_t divisor, bool keeps_nat)
        : LibraryFunction(
              FunctionName(kQuotientWords[static_cast<std::size_t>(rounding)], divisor, keeps_nat)),
          rounding_(rounding),
          divisor_(divisor),
          keeps_nat_(keeps_nat) {}

    void apply(index_t count, void* out, const void* const* operands) const override {
        const auto* const in = static_cast<const std::int64_t*>(operands[0]);
        auto* const to = static_cast<std::int64_t*>(out);
        if (divisor_ == 1) return quotients(in, to, count, divisor_);
        // Rounds down, then mends what is to be rounded up or stays NaT.
        const bool is_exact = rounding_ == Quotient::down;
        std::array<std::int64_t, kInstants> counts;
        for (index_t begin = 0; begin < count; begin += kInstants) {
            const index_t n = std::min(kInstants, count - begin);
            const bool nat = keeps_nat_ && has_nat(in + begin, n);
            if (is_exact && !nat) {
                quotients(in + begin, to + begin, n, divisor_);
                continue;
            }
            std::copy_n(in + begin, n, counts.data());
            quotients(counts.data(), to + begin, n, divisor_);
            for (index_t i = 0; i < n && !is_exact; ++i) {
                const std::int64_t x = counts[static_cast<std::size_t>(i)];
                std::int64_t& quotient = to[begin + i];
                using U = std::uint64_t; // the product may overflow, the remainder fits
                const auto rest = static_cast<std::int64_t>(
                    static_cast<U>(x) - static_cast<U>(quotient) * static_cast<U>(divisor_));
                quotient += rounds_up(x, quotient, rest) ? 1 : 0;
            }
            for (index_t i = 0; i < n && nat; ++i)
                if (counts[static_cast<std::size_t>(i)] == INT64_MIN) to[begin + i] = INT64_MIN;
        }
    }

private:
    bool rounds_up(std::int64_t x, std::int64_t quotient, std::int64_t rest) const {
        switch (rounding_) {
        case Quotient::down: return false;
        case Quotient::towards_zero: return x < 0 && rest > 0;
        case Quotient::up: return rest > 0;
        case Quotient::nearest: break;
        }
        return 2 * rest > divisor_ || (2 * rest == divisor_ && quotient % 2 != 0);
    }

    Quotient rounding_;
    std::int64_t divisor_;
    bool keeps_nat_;
};

[[noreturn]] void throw_uneven(TickLength tick) {
    throw Error(fmt::format(
        "calendar: ticks of {}/{} seconds fit neither into what is asked for nor around it",
        tick.numerator, tick.denominator));
}

/// A unit of a field takes `seconds / per_second` seconds; after `modulus` units the field begins
/// again.
struct ClockField {
    std::int64_t seconds;
    std::int64_t per_second;
    std::int64_t modulus;
};
ClockField clock_field(CalendarField field) {
    switch (field) {
    case CalendarField::hour: return {3600, 1, 24};
    case CalendarField::minute: return {60, 1, 60};
    case CalendarField::second: return {1, 1, 60};
    case CalendarField::millisecond: return {1, 1000, 1000};
    case CalendarField::microsecond: return {1, 1'000'000, 1000};
    default: return {1, 1'000'000'000, 1000};
    }
}

} // namespace

std::shared_ptr<const BlockFunction> calendar_function(CalendarField field, TickLength tick) {
    const auto fits = [](std::int64_t x) { return x >= 1 && x <= kGreatestTick; };
    if (!fits(tick.numerator) || !fits(tick.denominator)) throw_uneven(tick);
    if (field <= CalendarField::iso_year) {
        const std::int64_t day = kSecondsOfADay * tick.denominator;
        if (day % tick.numerator == 0)
            return std::make_shared<DayFieldFunction>(static_cast<DayField>(field),
                                                      day / tick.numerator, 1);
        if (tick.numerator % day == 0)
            return std::make_shared<DayFieldFunction>(static_cast<DayField>(field), 1,
                                                      tick.numerator / day);
        throw_uneven(tick);
    }
    // A unit of the field takes seconds / per_second seconds, a tick numerator / denominator
    // seconds.
    const ClockField clock = clock_field(field);
    const std::int64_t ticks = clock.seconds * tick.denominator;
    const std::int64_t each = clock.per_second * tick.numerator;
    if (ticks % each == 0)
        return std::make_shared<ClockFieldFunction>(field, ticks / each, clock.modulus, 1);
    if (each % (ticks * clock.modulus) == 0) // whole cycles: always 0
        return std::make_shared<ClockFieldFunction>(field, 1, 1, 1);
    if (each % ticks == 0 && clock.modulus % (each / ticks) == 0)
        return std::make_shared<ClockFieldFunction>(field, 1, clock.modulus / (each / ticks),
                                                    static_cast<std::int32_t>(each / ticks));
    throw_uneven(tick);
}

std::shared_ptr<const BlockFunction> quotient_function(Quotient rounding, std::int64_t divisor,
                                                       bool keeps_nat) {
    if (divisor < 1 || divisor > kGreatestDivisor)
        throw Error(fmt::format("quotient: {} is not in [1, 2^52]", divisor));
    return std::make_shared<QuotientFunction>(rounding, divisor, keeps_nat);
}

} // namespace purview
