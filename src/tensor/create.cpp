#include <purview/tensor/create.hpp>

namespace purview::inline v0_1 {

#define PURVIEW_DEFINE_TENSORS(T) PURVIEW_TENSORS_OF(, T)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_DEFINE_TENSORS)
PURVIEW_DEFINE_TENSORS(std::string)

MutableTensor<std::string> full(AxisValues shape, const char* text, Order order) {
    return full(shape, std::string(text), order);
}

Tensor<std::string> const_tensor(const char* text, AxisValues shape) {
    return const_tensor(std::string(text), shape);
}

} // namespace purview
