#include <purview/base/errors.hpp>
#include <purview/functional/elementwise/complex_view.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {

void throw_no_such_tensor(index_t number, index_t count) {
    throw IndexError(
        fmt::format("complex_view: the selector names tensor {} of {}", number, count));
}

} // namespace purview
