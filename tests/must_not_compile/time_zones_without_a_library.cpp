// at most 15 lines
// expect: to_zone: time zones need std::chrono::locate_zone
// expect: add the offset
#include <purview/chrono.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <vector>

namespace pv = purview;

void use(const std::vector<std::chrono::sys_seconds>& given) {
    const auto times = pv::tensor(given);
#ifdef MUST_NOT_COMPILE
    const auto local = pv::to_zone(times, "Europe/Berlin");
    // Where the library has zones, nothing is refused.
    static_assert(
        !pv::kHasTimeZones,
        "to_zone: time zones need std::chrono::locate_zone: it is here; or add the offset");
#else
    const auto local = times + std::chrono::hours(1);
#endif
}
