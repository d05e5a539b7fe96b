#pragma once

#include <chrono>
#include <cstdint>
#include <ratio>
#include <tuple>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// NumPy's times in the units that `std::chrono` has too: int64 counts, of points since 1970.
template <std::intmax_t num, std::intmax_t den = 1>
using Ticks = std::chrono::duration<std::int64_t, std::ratio<num, den>>;
using TimeUnits = std::tuple<Ticks<604800>, Ticks<86400>, Ticks<3600>, Ticks<60>, Ticks<1>,
                             Ticks<1, 1000>, Ticks<1, 1'000'000>, Ticks<1, 1'000'000'000>>;

/// Calls `visit(std::type_identity<T>)` for each time type: points of the system clock, local points,
/// durations. Names of the two kinds of points are equal, and those of the system clock come first.
template <typename Visit>
void for_each_time(Visit visit) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        const auto each = [&]<typename Unit>(std::type_identity<Unit>) {
            visit(std::type_identity<std::chrono::time_point<std::chrono::system_clock, Unit>>{});
            visit(std::type_identity<std::chrono::local_time<Unit>>{});
            visit(std::type_identity<Unit>{});
        };
        (each(std::type_identity<std::tuple_element_t<i, TimeUnits>>{}), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<TimeUnits>>{});
}

} // namespace purview
