#include <purview/tensor/create.hpp>

namespace purview {

#define PURVIEW_DEFINE_TENSORS(T) PURVIEW_TENSORS_OF(, T)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_DEFINE_TENSORS)

} // namespace purview
