#include <purview/base/errors.hpp>
#include <purview/functional/assembly/argfilter.hpp>

#include <fmt/format.h>

namespace purview {

void require_an_element(const char* what, const AnyTensor& x) {
    if (x.empty())
        throw ShapeError(
            fmt::format("{}: a tensor of shape {} has no element", what, to_string(x.shape())));
}

} // namespace purview
