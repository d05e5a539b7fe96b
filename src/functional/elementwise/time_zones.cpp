#include <purview/base/errors.hpp>
#include <purview/functional/elementwise/time_zones.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {

void throw_no_zone(const char* what, std::string_view name) {
    throw Error(fmt::format("{}: there is no time zone '{}'", what, name));
}

void throw_ambiguous_time(const std::string& time, bool twice) {
    throw Error(
        fmt::format("from_zone: clocks of the zone show {} {}: choose the earliest or latest", time,
                    twice ? "twice" : "never"));
}

} // namespace purview
