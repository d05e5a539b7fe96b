#include <purview/base/errors.hpp>
#include <purview/functional/group_by.hpp>

#include <fmt/format.h>

namespace purview {

void check_rows(const Operand& keys, const Operand& values) {
    if (to_shape(keys.dims.max_shape()) != to_shape(values.dims.max_shape()))
        throw ShapeError(fmt::format("group_by_reduce: keys of shape {} and values of shape {}",
                                     to_string(keys.dims.max_shape()),
                                     to_string(values.dims.max_shape())));
}

} // namespace purview
