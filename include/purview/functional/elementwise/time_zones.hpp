#pragma once

#include <purview/base/config.hpp>
#include <purview/base/refused.hpp>
#include <purview/dtype/time_element.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/functional/elementwise/time_ticks.hpp>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <string>
#include <string_view>

namespace purview::inline v0_1 {

/// Throws `Error` naming `what`: there is no time zone with this name.
[[noreturn]] PURVIEW_EXPORT void throw_no_zone(const char* what, std::string_view name);
/// Throws `Error`: a local time occurs twice in its zone, or never.
[[noreturn]] PURVIEW_EXPORT void throw_ambiguous_time(const std::string& time, bool twice);

/// Whether the standard library has time zones, `std::chrono::locate_zone`: libstdc++ has from version 13 on.
#if PURVIEW_HAS_TIME_ZONES
inline constexpr bool kHasTimeZones = true;

inline const std::chrono::time_zone* zone_named(const char* what, std::string_view name) {
    const std::chrono::tzdb& all_zones = std::chrono::get_tzdb();
    const auto is_named = [name](const auto& zone) { return zone.name() == name; };
    if (!std::ranges::any_of(all_zones.zones, is_named) &&
        !std::ranges::any_of(all_zones.links, is_named))
        throw_no_zone(what, name);
    return all_zones.locate_zone(name);
}
#else
inline constexpr bool kHasTimeZones = false;
#endif

/// `to_zone(t, "Europe/Berlin")`: the local time in a zone at time points of the system clock, as
/// `std::chrono::local_time` in seconds or a finer unit. Fields, `floor_time` and printing then
/// refer to the zone. Lazy.
///
/// Needs a standard library with time zones (`kHasTimeZones`); rejected at compile time with
/// another. Throws `Error` for an unknown zone.
struct ToZoneFunction : ElementwiseFunction {
    using ElementwiseFunction::operator();
#if PURVIEW_HAS_TIME_ZONES
    template <array_like X>
        requires(DateElement<ElementOrVoid<TensorOf<X>>>&& requires {
            typename OperandElement<TensorOf<X>>::clock::time_point;
        })
    auto operator()(X&& t, std::string_view zone) const {
        const std::chrono::time_zone* const found = zone_named("to_zone", zone);
        return map_elements(
            FunctionName("to_zone", found->name()),
            [found](const OperandElement<TensorOf<X>>& time) { return found->to_local(time); },
            lasting_tensor(std::forward<X>(t)));
    }
#else
# define PURVIEW_NO_ZONES                                                                    \
  "to_zone: time zones need std::chrono::locate_zone, which this standard library does not " \
  "have: compile with g++ 13 or later, or add the offset, t + 1h"
    template <TensorLike X>
    PURVIEW_REFUSED(PURVIEW_NO_ZONES, operator()(const X&, std::string_view) const);
# undef PURVIEW_NO_ZONES
#endif
};
inline constexpr ToZoneFunction to_zone;

/// `from_zone(t, "Europe/Berlin")`: the time points of the system clock at which the zone shows the
/// given local times; `from_zone(t, zone, std::chrono::choose::earliest)` if a local time may occur
/// twice or never. Lazy.
///
/// Needs what `to_zone` needs. Throws `Error` for an unknown zone; without a choice, reading throws
/// `Error` for a local time that occurs twice or never.
struct FromZoneFunction : ElementwiseFunction {
    using ElementwiseFunction::operator();
#if PURVIEW_HAS_TIME_ZONES
    template <array_like X, typename... Choice>
        requires(sizeof...(Choice) <= 1 && DateElement<ElementOrVoid<TensorOf<X>>> &&
                 !requires { typename OperandElement<TensorOf<X>>::clock::time_point; })
    auto operator()(X&& t, std::string_view zone, Choice... chosen) const {
        const std::chrono::time_zone* const found = zone_named("from_zone", zone);
        return map_elements(
            FunctionName("from_zone", found->name(), sizeof...(Choice), chosen...),
            [found, chosen...](const OperandElement<TensorOf<X>>& time) {
                if constexpr (sizeof...(Choice) == 0) {
                    const std::chrono::local_info info = found->get_info(time);
                    if (info.result != std::chrono::local_info::unique)
                        throw_ambiguous_time(time_text(time),
                                             info.result == std::chrono::local_info::ambiguous);
                }
                return found->to_sys(time, chosen...);
            },
            lasting_tensor(std::forward<X>(t)));
    }
#else
# define PURVIEW_NO_ZONES                                                             \
  "from_zone: time zones need std::chrono::locate_zone, which this standard library " \
  "does not have: compile with g++ 13 or later, or add the offset, t + 1h"
    template <TensorLike X, typename... Choice>
    PURVIEW_REFUSED(PURVIEW_NO_ZONES, operator()(const X&, std::string_view, const Choice&...)
                                          const);
# undef PURVIEW_NO_ZONES
#endif
};
inline constexpr FromZoneFunction from_zone;

} // namespace purview
