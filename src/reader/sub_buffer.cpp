#include <purview/base/errors.hpp>
#include <purview/reader/sub_buffer.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {

void check_sub_buffer(index_t offset, index_t length, index_t size) {
    if (offset < 0 || length < 0 || offset > size || length > size - offset)
        throw ShapeError(fmt::format(
            "sub_buffer: offset {} and length {} leave a buffer of size {}", offset, length, size));
}

} // namespace purview
