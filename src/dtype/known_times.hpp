#pragma once

#include <purview/dtype/visit.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <ratio>
#include <tuple>
#include <type_traits>
#include <utility>

namespace purview {

/// NumPy's times in the units that `std::chrono` has too: int64 counts, of points since 1970.
template <std::intmax_t num, std::intmax_t den = 1>
using Ticks = std::chrono::duration<std::int64_t, std::ratio<num, den>>;
using TimeUnits = std::tuple<Ticks<604800>, Ticks<86400>, Ticks<3600>, Ticks<60>, Ticks<1>,
                             Ticks<1, 1000>, Ticks<1, 1'000'000>, Ticks<1, 1'000'000'000>>;

/// Calls `visit(std::type_identity<T>)` for each time type.
template <typename Visit>
void for_each_time(Visit visit) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        const auto each = [&]<typename Unit>(std::type_identity<Unit>) {
            visit(std::type_identity<std::chrono::time_point<std::chrono::system_clock, Unit>>{});
            visit(std::type_identity<Unit>{});
        };
        (each(std::type_identity<std::tuple_element_t<i, TimeUnits>>{}), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<TimeUnits>>{});
}

/// Calls `work(std::type_identity<T>)` with the static type of `dtype`, a built-in type or one of
/// these times. Throws `DtypeError` naming `what` for other types.
template <typename Work>
auto visit_number_or_time(DType dtype, const char* what, Work work) {
    using R = decltype(work(std::type_identity<double>{}));
    if (dtype.is_builtin()) return R(visit_dtype(dtype, what, work));
    std::optional<R> result;
    for_each_time([&]<typename T>(std::type_identity<T>) {
        if (!result && dtype == kDType<T>) result.emplace(work(std::type_identity<T>{}));
    });
    if (!result) throw_dtype_unsupported(what, dtype);
    return *std::move(result);
}

} // namespace purview
