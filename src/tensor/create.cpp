#include <purview/base/errors.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/sparse_tensor.hpp>

#include <fmt/format.h>

#include <cmath>

namespace purview::inline v0_1 {

#define PURVIEW_DEFINE_TENSORS(T) PURVIEW_TENSORS_OF(, T)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_DEFINE_TENSORS)
PURVIEW_DEFINE_TENSORS(std::string)

namespace {

/// Throws for a value of a macro, whose type is not the one that is meant.
float finite(const char* what, float value) {
    if (std::isfinite(value)) return value;
    throw DtypeError(
        fmt::format("{0}: {1} as a float, as NAN and INFINITY are: the type has to be given, "
                    "{0}<double> or {0}<float>",
                    what, value));
}

} // namespace

MutableTensor<float> full(AxisValues shape, float value, Order order) {
    return full<float>(shape, finite("full", value), order);
}
Tensor<float> const_tensor(float value, AxisValues shape) {
    return const_tensor<float>(finite("const_tensor", value), shape);
}
MutableTensor<float> sparse_full(AxisValues shape, float value) {
    return sparse_full<float>(shape, finite("sparse_full", value));
}

MutableTensor<std::string> full(AxisValues shape, const char* text, Order order) {
    return full(shape, std::string(text), order);
}

Tensor<std::string> const_tensor(const char* text, AxisValues shape) {
    return const_tensor(std::string(text), shape);
}

} // namespace purview
