#include <purview/base/errors.hpp>
#include <purview/functional/along/search.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {

void require_one_axis(const char* what, const TensorHandle& x) {
    if (x.rank() != 1)
        throw ShapeError(fmt::format("{}: a tensor of one axis is searched, not one of shape {}",
                                     what, to_string(x.shape())));
}

} // namespace purview
