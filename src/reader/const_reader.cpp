#include <purview/base/errors.hpp>
#include <purview/reader/const_reader.hpp>

#include <fmt/format.h>

namespace purview {

void throw_negative_size(index_t size, const char* what) {
    throw ShapeError(fmt::format("{}: size {} is negative", what, size));
}

} // namespace purview
