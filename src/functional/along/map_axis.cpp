#include <purview/base/errors.hpp>
#include <purview/functional/along/map_axis.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {

void throw_wrong_lane(const char* what, ShapeSpan shape, index_t length) {
    throw ShapeError(
        fmt::format("{}: the function has given shape {} where a lane of {} elements was expected",
                    what, to_string(shape), length));
}

} // namespace purview
