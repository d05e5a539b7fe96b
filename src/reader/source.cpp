#include <purview/base/errors.hpp>
#include <purview/reader/source.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {

void throw_null_source(const char* what) {
    throw Error(fmt::format("{}: the source is a null pointer", what));
}

} // namespace purview
