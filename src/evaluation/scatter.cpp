#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/scatter.hpp>
#include <purview/expression/elementwise.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {

Operand scattered_operand(const char* what, const Operand& values, const Operand& destination) {
    return scattered_operand(what, values, destination, destination.dtype());
}

Operand scattered_operand(const char* what, const Operand& values, const Operand& destination,
                          DType dtype) {
    Operand result = convert_operand(values, dtype, Op::cast);
    const ShapeSpan shape = destination.dims.max_shape();
    try {
        result.dims = dimensions::expand(result.dims, shape);
    } catch (const ShapeError&) {
        throw ShapeError(fmt::format("{}: shape {} does not broadcast to shape {}", what,
                                     to_string(values.dims.max_shape()), to_string(shape)));
    }
    return result;
}

} // namespace purview
